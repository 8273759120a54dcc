// What calls are counted by: a value, several of them, or none.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace stint::inline v0 {

/// What can be one part of a key: text and bytes as they are; whole numbers (no single characters) and enumerations in
/// decimal digits.
template <typename T>
concept KeyPart = std::convertible_to<const T&, std::string_view> || std::is_enum_v<T> ||
                  (std::integral<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                   !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>);

/// A key of no parts: all calls count together.
using NoKey = std::tuple<>;
inline constexpr NoKey kNoKey{};

namespace detail {

template <typename T>
struct KeyTraits {
    static constexpr bool kValid = KeyPart<T>;
    static constexpr std::size_t kParts = 1;
};
template <typename... Parts>
struct KeyTraits<std::tuple<Parts...>> {
    static constexpr bool kValid = (KeyPart<std::remove_cvref_t<Parts>> && ...);
    static constexpr std::size_t kParts = sizeof...(Parts);
};
template <typename First, typename Second>
struct KeyTraits<std::pair<First, Second>> : KeyTraits<std::tuple<First, Second>> {};

}  // namespace detail

/// A part, or a std::tuple or std::pair of parts.
template <typename T>
concept Key = detail::KeyTraits<std::remove_cvref_t<T>>::kValid;

/// How many parts a key has.
template <Key T>
inline constexpr std::size_t kKeyParts = detail::KeyTraits<std::remove_cvref_t<T>>::kParts;

/// A key and what a call costs, for functions that tell both.
template <Key T>
struct KeyAndCost {
    T key;
    std::uint64_t cost = 1;
};
template <Key T>
KeyAndCost(T, std::uint64_t) -> KeyAndCost<T>;

namespace detail {

template <typename T>
struct KeyTraits<KeyAndCost<T>> {
    static constexpr bool kValid = false;
};

/// The parts of a key as bytes, without an allocation. Refers to the key and to itself.
template <std::size_t kParts>
class KeyTexts {
public:
    template <typename T>
    explicit KeyTexts(const T& key) noexcept {
        if constexpr (KeyPart<T>) {
            add(key);
        } else {
            std::apply([&](const auto&... parts) { (add(parts), ...); }, key);
        }
    }
    KeyTexts(const KeyTexts&) = delete;
    KeyTexts& operator=(const KeyTexts&) = delete;
    ~KeyTexts() = default;

    [[nodiscard]] std::span<const std::string_view> values() const noexcept { return {texts_.data(), kParts}; }

private:
    template <typename Part>
    void add(const Part& part) noexcept {
        if constexpr (std::convertible_to<const Part&, std::string_view>) {
            texts_[size_++] = std::string_view{part};
        } else if constexpr (std::is_enum_v<Part>) {
            add_number(static_cast<std::underlying_type_t<Part>>(part));
        } else {
            add_number(part);
        }
    }
    template <typename Number>
    void add_number(Number number) noexcept {
        using Wide = std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>;
        static_assert(sizeof(Number) <= sizeof(Wide));
        std::array<char, kDigits>& digits = digits_[size_];
        const auto end = std::to_chars(digits.data(), digits.data() + kDigits, static_cast<Wide>(number)).ptr;
        texts_[size_++] = {digits.data(), static_cast<std::size_t>(end - digits.data())};
    }

    static constexpr std::size_t kDigits = 20;
    static constexpr std::size_t kSpace = kParts == 0 ? 1 : kParts;
    std::size_t size_ = 0;
    std::array<std::string_view, kSpace> texts_;
    std::array<std::array<char, kDigits>, kSpace> digits_;
};

}  // namespace detail
}  // namespace stint::inline v0
#pragma GCC visibility pop
