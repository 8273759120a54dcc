#include "base/glob.hpp"

#include "base/assert.hpp"

namespace stint::inline v0 {

Glob::Glob(std::string_view pattern) {
    STINT_ASSERT(has_wildcard(pattern));
    const std::size_t first = pattern.find('*');
    const std::size_t last = pattern.rfind('*');
    prefix_ = pattern.substr(0, first);
    suffix_ = pattern.substr(last + 1);
    length_min_ = prefix_.size() + suffix_.size();
    for (std::size_t begin = first + 1; begin < last;) {
        const std::size_t end = pattern.find('*', begin);
        if (end > begin) middle_.emplace_back(pattern.substr(begin, end - begin));
        length_min_ += end - begin;
        begin = end + 1;
    }
}

// Taking the first place where each middle part stands leaves the most room
// for those that follow, so no other place needs to be tried.
bool Glob::fits(std::string_view text) const noexcept {
    if (text.size() < length_min_) return false;
    if (!text.starts_with(prefix_) || !text.ends_with(suffix_)) return false;
    text.remove_prefix(prefix_.size());
    text.remove_suffix(suffix_.size());
    for (const std::string& part : middle_) {
        const std::size_t at = text.find(part);
        if (at == text.npos) return false;
        text.remove_prefix(at + part.size());
    }
    return true;
}

}  // namespace stint::inline v0
