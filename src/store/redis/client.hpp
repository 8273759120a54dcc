// Who takes jobs on a worker's thread and sees that they end: one server's
// client, or one that knows several servers.
// Threads: those of its loop, one at a time.
#pragma once

#include "store/redis/job.hpp"

namespace stint::inline v0::store::redis {

class Client {
public:
    Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client() = default;

    virtual void start() = 0;
    /// Fails all jobs, closes what is open, and refuses whatever comes.
    virtual void stop() = 0;
    /// Takes a job; it goes out with the next pump(). Each has its answer or its error by its deadline.
    virtual void add(JobPtr job) = 0;
    virtual void pump() = 0;
};

}  // namespace stint::inline v0::store::redis
