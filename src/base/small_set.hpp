// A set that mostly has a few members, which are then simply looked through,
// and now and then thousands. Threads: one at a time.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>

namespace stint::inline v0 {

template <typename T>
class SmallSet {
public:
    void insert(const T& member) {
        members_.push_back(member);
        if (members_.size() <= kFew) return;
        if (index_.empty()) index_.insert(members_.begin(), members_.end());
        index_.insert(member);
    }
    [[nodiscard]] bool contains(const T& member) const {
        if (!index_.empty()) return index_.contains(member);
        return std::find(members_.begin(), members_.end(), member) != members_.end();
    }
    void clear() {
        members_.clear();
        index_.clear();
    }
    [[nodiscard]] auto begin() const { return members_.begin(); }
    [[nodiscard]] auto end() const { return members_.end(); }

private:
    static constexpr std::size_t kFew = 16;

    boost::container::small_vector<T, 8> members_;
    boost::unordered_flat_set<T> index_;  // empty while there are few
};

}  // namespace stint::inline v0
