// The business of a contest: no word about limits.
#pragma once

#include <map>
#include <mutex>
#include <string>

/// Threads: any.
class Contest {
public:
    struct Verdict {
        bool right = false;
        int tries = 0;  ///< of this team, with this one
    };

    explicit Contest(std::string solution) : solution_(std::move(solution)) {}

    Verdict submit(const std::string& team, const std::string& answer) {
        const std::lock_guard lock{mutex_};
        return {answer == solution_, ++tries_[team]};
    }

private:
    std::string solution_;
    std::mutex mutex_;
    std::map<std::string, int> tries_;
};
