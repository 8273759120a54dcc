// For tests: a value read from bytes.
#pragma once

#include <algorithm>
#include <string_view>

#include "resp/reader.hpp"

namespace stint::inline v0::store::redis {

class TestValue {
public:
    explicit TestValue(std::string_view bytes) {
        std::ranges::copy(bytes, reader_.prepare(bytes.size()).begin());
        reader_.commit(bytes.size());
        value_ = reader_.next().value();
    }
    [[nodiscard]] const resp::Value& operator*() const noexcept { return *value_; }
    [[nodiscard]] const resp::Value* get() const noexcept { return value_; }

private:
    resp::Reader reader_;
    const resp::Value* value_ = nullptr;
};

}  // namespace stint::inline v0::store::redis
