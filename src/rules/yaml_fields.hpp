// YAML read the careful way: every problem is noted with its place, unknown
// and repeated keys are problems, and text is taken as it is written (yaml-cpp
// alone would take `yes` for a boolean and `010` for 8, and keep silent about
// the second of two equal keys). Include in .cpp files only.
// Tested by parse_rules_test.cpp. Threads: one document at a time.
#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stint/error.hpp"
#include "stint/time.hpp"

namespace stint::inline v0::rules {

inline constexpr std::size_t kFileBytesMax = std::size_t{4} << 20;  ///< of one rule file
inline constexpr std::size_t kProblemsMax = 10'000;                 ///< after so many the rest is not read
inline constexpr std::size_t kReadsMax = 4'000'000;                 ///< nodes of one file, with what aliases repeat

/// What is wrong with one file, and how much of it may still be read: nodes
/// that aliases repeat count each time, so that a few lines cannot become billions.
class Notes {
public:
    Notes(std::string file, std::size_t bytes, std::vector<Problem>& problems)
        : file_{std::move(file)}, nodes_left_{std::min(65'536 + 4 * bytes, kReadsMax)}, problems_{problems} {}

    void add(const YAML::Mark& mark, std::string reason);
    void add(const YAML::Node& node, std::string reason) { add(node.Mark(), std::move(reason)); }
    /// Returns: whether one more node may be read; if not, that is noted once.
    [[nodiscard]] bool spend(const YAML::Node& node);
    [[nodiscard]] bool exhausted() const noexcept { return exhausted_; }
    [[nodiscard]] std::size_t count() const noexcept { return problems_.size(); }
    [[nodiscard]] const std::string& file() const noexcept { return file_; }

private:
    std::string file_;
    std::size_t nodes_left_;
    bool exhausted_ = false;
    std::vector<Problem>& problems_;
};

/// Returns: what kind of value a node is, for messages.
[[nodiscard]] std::string describe(const YAML::Node& node);

/// A mapping of which all keys are known.
class Fields {
public:
    /// Notes unknown and repeated keys, and a node that is no mapping.
    /// `what` is the thing that the mapping describes, such as "a rule".
    Fields(const YAML::Node& node, std::string_view what, std::span<const std::string_view> known, Notes& notes);

    [[nodiscard]] const YAML::Node& node() const noexcept { return node_; }
    /// Returns: the value of this key, or null if it is not there.
    [[nodiscard]] const YAML::Node* find(std::string_view key) const noexcept;
    /// The same, noting that it is missing.
    [[nodiscard]] const YAML::Node* require(std::string_view key) const;

    // Each returns nothing if the key is absent, or after noting what is wrong.
    [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
    [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;
    /// `most`: named when the number is larger.
    [[nodiscard]] std::optional<std::uint64_t> number(std::string_view key, std::uint64_t least,
                                                      std::uint64_t most) const;
    /// More than 0.
    [[nodiscard]] std::optional<Duration> duration(std::string_view key) const;
    /// Returns: the index of the value in `words`.
    [[nodiscard]] std::optional<std::size_t> choice(std::string_view key,
                                                    std::span<const std::string_view> words) const;
    /// Returns: the elements of a list; empty, after a note, if it is none.
    [[nodiscard]] std::vector<YAML::Node> list(std::string_view key) const;

private:
    struct Field {
        std::string key;
        YAML::Node value;
        YAML::Mark mark;
    };

    YAML::Node node_;
    std::string what_;
    Notes& notes_;
    std::vector<Field> fields_;
};

/// Returns: the text of a scalar as it is written; nothing after a note.
[[nodiscard]] std::optional<std::string> read_text(const YAML::Node& node, std::string_view field, Notes& notes);

}  // namespace stint::inline v0::rules
