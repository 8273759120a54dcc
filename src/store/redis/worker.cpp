#include "store/redis/worker.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace stint::inline v0::store::redis {

namespace asio = boost::asio;

Worker::Worker(const MakeClient& make_client) : work_(asio::make_work_guard(loop_)), client_(make_client(loop_)) {
    asio::post(loop_, [this] { client_->start(); });
    thread_ = std::thread{[this] { loop_.run(); }};
}

Worker::~Worker() {
    asio::post(loop_, [this] {
        take_queue();
        client_->stop();
        work_.reset();
    });
    thread_.join();
}

void Worker::submit(std::vector<JobPtr> jobs) {
    {
        const std::lock_guard lock{mutex_};
        for (JobPtr& job : jobs) queue_.push_back(std::move(job));
        if (std::exchange(scheduled_, true)) return;  // all that comes until it runs goes out with it
    }
    asio::post(loop_, [this] {
        take_queue();
        client_->pump();
    });
}

void Worker::take_queue() {
    std::vector<JobPtr> jobs;
    {
        const std::lock_guard lock{mutex_};
        jobs.swap(queue_);
        scheduled_ = false;
    }
    for (JobPtr& job : jobs) client_->add(std::move(job));
}

}  // namespace stint::inline v0::store::redis
