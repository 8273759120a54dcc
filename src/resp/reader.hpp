// RESP2 and RESP3 without I/O: bytes in, values out. It reads what a server
// answers, or, for a server, what its clients ask. A value in many pieces is
// read once, going on where the bytes ended; neither that nor the number of its
// elements costs an allocation once buffer and node list have grown to it.
//
// Protocol: https://redis.io/docs/reference/protocol-spec/. Attributes are read
// and dropped; streamed strings and aggregates (`$?`) are refused.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "resp/input_buffer.hpp"
#include "resp/value.hpp"

namespace stint::inline v0::resp {

enum class Input : std::uint8_t {
    replies,   ///< of a server: values of any type
    commands,  ///< of a client: arrays of bulk strings, or lines that are split into arguments
};

/// What is beyond is a protocol error that names the bound. Bounds on what is
/// declared hold before its bytes have arrived.
struct ReaderOptions {
    Input input = Input::replies;
    std::size_t bulk_bytes_max = std::size_t{16} << 20;   ///< of one bulk string, bulk error, verbatim string, argument
    std::size_t line_bytes_max = std::size_t{64} << 10;   ///< of one line, without its type and its end
    std::size_t depth_max = 16;                           ///< aggregates inside each other; an array alone is 1
    std::uint32_t elements_max = 1U << 20;                ///< of one value at all depths, attributes' too; arguments
    std::size_t value_bytes_max = std::size_t{64} << 20;  ///< of one value with all that is in it
};

struct ProtocolError {
    std::string_view reason;   ///< a constant
    std::uint64_t offset = 0;  ///< of the line or line end at fault, in bytes since the reader was made

    friend bool operator==(const ProtocolError&, const ProtocolError&) = default;
};

class Reader {
public:
    explicit Reader(const ReaderOptions& options = {});

    /// Returns: room for at least `size` bytes that arrive. Ends the views into the last value.
    /// Call next() until it has nothing before this, or the buffer grows.
    [[nodiscard]] std::span<char> prepare(std::size_t size);
    /// Takes the first `count` bytes of that room as arrived.
    void commit(std::size_t count) noexcept { buffer_.commit(count); }

    /// Returns: the next value, valid until the next call of next() or prepare(); null if it has not arrived whole.
    /// Of commands, each is an array of at least one bulk string; empty lines and arrays are passed over.
    /// Errors: the bytes break the protocol or a bound. There is no way on: the same error is returned from then on.
    /// Cost: linear in the bytes, whatever the pieces they come in.
    [[nodiscard]] Result<const Value*, ProtocolError> next();

    /// Returns: whether bytes wait that are no whole value yet. Requires: next() had nothing.
    [[nodiscard]] bool under_way() const noexcept { return buffer_.size() > 0; }

private:
    enum class Step : std::uint8_t { starved, failed, element, more };
    struct Frame {
        std::uint32_t elements_left;
        std::uint32_t node;  // of an attribute: none
        bool attribute;
    };
    struct Bulk {
        char type;
        std::size_t bytes;
    };

    void drop_delivered() noexcept;
    void start_value() noexcept;
    Step step();
    Step read_line(char type);
    Step read_inline();
    Step split_inline(std::size_t bytes);
    Step read_scalar(char type, std::string_view line);
    Step open_bulk(char type, std::string_view line);
    Step read_bulk();
    Step open_aggregate(char type, std::string_view line);
    bool close_aggregates() noexcept;
    void add(Value value);
    void add_text(Type type, std::size_t begin, std::size_t size);
    void mend_views() noexcept;
    Step fail(std::size_t at, std::string_view reason) noexcept;

    ReaderOptions options_;
    InputBuffer buffer_;
    std::vector<Value> nodes_;
    std::vector<Frame> frames_;  // the aggregates that wait for elements, outermost first
    // Places are counted from the begin of the value.
    std::size_t position_ = 0;      // where the line or bulk begins that is read next
    std::size_t searched_ = 0;      // no line end before this
    std::optional<Bulk> bulk_;      // its length has been read, its bytes have not
    std::uint32_t elements_ = 0;    // declared so far
    std::uint32_t attributes_ = 0;  // frames that are attributes
    bool moved_ = false;            // the bytes have moved since the value began
    bool delivered_ = false;        // the value at the front has been handed out
    std::optional<ProtocolError> error_;
};

}  // namespace stint::inline v0::resp
