// One request as an access log tells it: when, and the attributes that rules
// ask for. It refers to the memory of whoever made it (a line, a scratch
// buffer, a RecordStore) and lives no longer. Threads: a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "stint/time.hpp"

namespace stint::inline v0::replay {

/// What a log line can say of a request, by the names that rules use.
enum class Field : std::uint8_t { ip, method, path, query, status, user, host, referer, user_agent, protocol };

inline constexpr std::array<std::string_view, 10> kFieldNames{"ip",   "method", "path",    "query",      "status",
                                                              "user", "host",   "referer", "user_agent", "protocol"};
inline constexpr std::size_t kFieldCount = kFieldNames.size();

struct AccessRecord {
    Instant time;

    [[nodiscard]] bool has(Field field) const noexcept { return slot(field).data() != nullptr; }
    /// Returns: the value; empty if absent.
    [[nodiscard]] std::string_view get(Field field) const noexcept { return slot(field); }
    /// An empty value is a value, and not absent.
    void set(Field field, std::string_view value) noexcept {
        values_[static_cast<std::size_t>(field)] = value.data() != nullptr ? value : std::string_view{""};
    }
    void clear(Field field) noexcept { values_[static_cast<std::size_t>(field)] = {}; }

private:
    [[nodiscard]] const std::string_view& slot(Field field) const noexcept {
        return values_[static_cast<std::size_t>(field)];
    }

    std::array<std::string_view, kFieldCount> values_{};  // null data stands for "absent"
};

/// Returns: the field of this name, or nothing.
[[nodiscard]] inline std::optional<Field> field_named(std::string_view name) noexcept {
    for (std::size_t i = 0; i < kFieldCount; ++i) {
        if (kFieldNames[i] == name) return static_cast<Field>(i);
    }
    return std::nullopt;
}

}  // namespace stint::inline v0::replay
