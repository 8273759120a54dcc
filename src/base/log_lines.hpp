// Lines that somebody says from any thread, kept for one who asks later.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace stint::inline v0 {

class LogLines {
public:
    void add(const std::string& line) {
        const std::lock_guard lock{mutex_};
        lines_.push_back(line);
    }
    [[nodiscard]] std::vector<std::string> lines() const {
        const std::lock_guard lock{mutex_};
        return lines_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
};

}  // namespace stint::inline v0
