// The numbers of the attribute names that rules use. Threads: immutable once
// the rules are compiled.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.hpp"
#include "rules/resolved_request.hpp"

namespace stint::inline v0::rules {

class AttributeTable {
public:
    /// Returns: the number of this name, a new one if it is new.
    AttributeId intern(std::string_view name) {
        const auto found = ids_.find(name);
        if (found != ids_.end()) return found->second;
        const auto id = static_cast<AttributeId>(ids_.size());
        ids_.emplace(std::string{name}, id);
        return id;
    }

    /// Returns: its number, or nothing if no rule uses it.
    [[nodiscard]] std::optional<AttributeId> find(std::string_view name) const noexcept {
        const auto found = ids_.find(name);
        if (found == ids_.end()) return std::nullopt;
        return found->second;
    }

    [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }

private:
    struct Hash {
        using is_transparent = void;
        using is_avalanching = void;
        std::size_t operator()(std::string_view name) const noexcept { return hash64(name, 0); }
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(std::string_view left, std::string_view right) const noexcept { return left == right; }
    };

    boost::unordered_flat_map<std::string, AttributeId, Hash, Equal> ids_;
};

}  // namespace stint::inline v0::rules
