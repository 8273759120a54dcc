// Asks all sentinels at once where the primary is. Whether it is one is seen
// once it is connected to (SignIn::primary_only).
// Threads: those of its loop, one at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "store/redis/inquiry.hpp"
#include "store/redis/node_client.hpp"

namespace stint::inline v0::store::redis {

class PrimaryFinder {
public:
    PrimaryFinder(boost::asio::io_context& loop, std::vector<Endpoint> sentinels, std::string name,
                  InquiryOptions options);

    /// Calls `found` once. Requires: the last search is over.
    void find(NodeHooks::Located found);

private:
    boost::asio::io_context& loop_;
    std::vector<Endpoint> sentinels_;
    std::string name_;
    InquiryOptions options_;
};

}  // namespace stint::inline v0::store::redis
