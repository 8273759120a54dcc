// One thread with its event loop, and the jobs on their way to it.
// Threads: submit() by any.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/redis/client.hpp"

namespace stint::inline v0::store::redis {

class Worker {
public:
    using MakeClient = std::function<std::shared_ptr<Client>(boost::asio::io_context&)>;

    explicit Worker(const MakeClient& make_client);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

    void submit(std::vector<JobPtr> jobs);

private:
    void take_queue();

    boost::asio::io_context loop_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::shared_ptr<Client> client_;
    std::mutex mutex_;
    std::vector<JobPtr> queue_;
    bool scheduled_ = false;
    std::thread thread_;
};

}  // namespace stint::inline v0::store::redis
