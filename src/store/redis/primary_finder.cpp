#include "store/redis/primary_finder.hpp"

#include <memory>
#include <utility>

#include "store/redis/primary_vote.hpp"

namespace stint::inline v0::store::redis {
namespace {

struct Search {
    PrimaryVote vote;
    NodeHooks::Located found;
    std::vector<std::shared_ptr<Inquiry>> inquiries{};
};

void take_reply(const std::shared_ptr<Search>& search, const resp::Value* reply) {
    if (search->found == nullptr) return;
    search->vote.add(reply);
    if (!search->vote.over()) return;
    const NodeHooks::Located found = std::exchange(search->found, nullptr);
    for (const auto& inquiry : search->inquiries) inquiry->cancel();
    found(search->vote.leading());
}

}  // namespace

PrimaryFinder::PrimaryFinder(boost::asio::io_context& loop, std::vector<Endpoint> sentinels, std::string name,
                             InquiryOptions options)
    : loop_(loop), sentinels_(std::move(sentinels)), name_(std::move(name)), options_(std::move(options)) {}

void PrimaryFinder::find(NodeHooks::Located found) {
    auto search = std::make_shared<Search>(Search{PrimaryVote{sentinels_.size()}, std::move(found)});
    for (std::size_t i = 0; i < sentinels_.size(); ++i) {
        search->inquiries.push_back(std::make_shared<Inquiry>(loop_, options_));
    }
    for (std::size_t i = 0; i < sentinels_.size(); ++i) {
        search->inquiries[i]->ask(sentinels_[i], {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name_},
                                  [search](const resp::Value* reply) { take_reply(search, reply); });
    }
}

}  // namespace stint::inline v0::store::redis
