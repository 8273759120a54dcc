#include "selftest/selftest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/log_lines.hpp"
#include "embedded/conformance_extra.hpp"
#include "embedded/conformance_hand.hpp"
#include "embedded/conformance_random.hpp"
#include "selftest/runner.hpp"
#include "stint/error.hpp"
#include "stint/memory_store.hpp"
#include "stint/redis_store.hpp"
#include "store/redis/command_client.hpp"
#include "store/redis/redis_url.hpp"

namespace stint::inline v0::selftest {
namespace {

constexpr std::size_t kLineBytesMax = std::size_t{1} << 20;
constexpr std::size_t kFileBytesMax = std::size_t{64} << 20;
constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kDeadline{5000};

struct Source {
    std::string name;
    std::string text;
};

/// A device or a pipe may have no end, so that a line is measured as it comes.
Result<std::string> read_file(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    std::string text;
    std::vector<char> chunk(kChunkBytes);
    std::size_t lines = 1;
    std::size_t line_bytes = 0;
    while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), file.gcount() > 0) {
        const std::string_view piece{chunk.data(), static_cast<std::size_t>(file.gcount())};
        for (const char c : piece) {
            line_bytes = c == '\n' ? 0 : line_bytes + 1;
            lines += c == '\n' ? 1 : 0;
            if (line_bytes > kLineBytesMax) {
                return failure(fmt::format("{}:{}: the line has more than {} bytes", path, lines, kLineBytesMax));
            }
        }
        text += piece;
        if (text.size() > kFileBytesMax) {
            return failure(fmt::format("{}:{}: the file has more than {} bytes", path, lines, kFileBytesMax));
        }
    }
    // A folder opens, but does not read.
    if (!file.is_open() || file.bad()) return failure(fmt::format("{}: cannot be read", path));
    return text;
}

Result<std::vector<Source>> read_sources(const std::optional<std::string>& path) {
    std::vector<Source> sources;
    if (!path) {
        sources.push_back({"hand.jsonl", std::string{embedded::conformance_hand}});
        sources.push_back({"random.jsonl", std::string{embedded::conformance_random}});
        sources.push_back({"extra.jsonl", std::string{embedded::conformance_extra}});
        return sources;
    }
    if (path->empty()) return failure("--vectors: the name of a file is expected");
    auto text = read_file(*path);
    if (!text) return tl::unexpected{text.error()};
    sources.push_back({*path, std::move(*text)});
    return sources;
}

/// Where vectors are played.
class Subject {
public:
    Subject() = default;
    explicit Subject(RedisOptions options) : log_(std::make_unique<LogLines>()) {
        options.log = [log = log_.get()](const std::string& line) { log->add(line); };
        redis_ = std::make_unique<RedisStore>(std::move(options));
    }

    Result<void> run(const Vector& vector, SelftestResult& result, std::ostream& out) {
        // One store for all on a server: to tell them apart is then up to the counters' ids.
        if (redis_ != nullptr) return run_vector(vector, *redis_, ++counter_id_, result, out);
        MemoryStoreOptions small;
        small.max_memory = std::size_t{4} << 20;
        small.huge_pages = false;
        MemoryStore store{small};
        return run_vector(vector, store, 1, result, out);
    }

    /// Returns: what the server said that kept it from deciding; empty if it said nothing.
    [[nodiscard]] std::string complaint() const {
        const auto said = log_ != nullptr ? log_->lines() : std::vector<std::string>{};
        return said.empty() ? "" : ": " + said.front();
    }

private:
    std::unique_ptr<LogLines> log_;  // outlives the store
    std::unique_ptr<RedisStore> redis_;
    std::uint64_t counter_id_ = 0;
};

/// Errors: the store is none, or cannot be reached.
Result<Subject> open_subject(const std::string& url) {
    if (url == "memory://") return Subject{};
    if (!store::redis::is_redis_url(url))
        return failure("expected memory:// or redis://host:port/database (also rediss, redis+sentinel, redis+cluster)");
    try {
        RedisOptions options = parse_redis_url(url);
        options.prefix += fmt::format("selftest-{:08x}:", std::random_device{}());
        // What is tested is the answer, on a busy machine too.
        options.deadline = std::max(options.deadline, kDeadline);
        if (const auto client = store::redis::CommandClient::connect(options, kDeadline); !client) {
            return failure(fmt::format("the store cannot be reached: {}", client.error()));
        } else if (const auto time = (*client)->ask({"TIME"}); !time) {
            return failure(fmt::format("the store cannot be used: {}", time.error()));
        }
        return Subject{std::move(options)};
    } catch (const ConfigError& error) {
        return failure(error.what());
    }
}

Result<void> run_source(const Source& source, Subject& subject, SelftestResult& result, std::ostream& out) {
    const auto vectors = parse_vectors(source.text, source.name);
    if (!vectors) return tl::unexpected{vectors.error()};
    for (const Vector& vector : *vectors) {
        if (auto done = subject.run(vector, result, out); !done) {
            return failure(fmt::format("{}:{}: {}{}", source.name, vector.line, done.error(), subject.complaint()));
        }
    }
    return {};
}

}  // namespace

int selftest(const SelftestOptions& options, std::ostream& out, std::ostream& err) {
    const auto sources = read_sources(options.vectors);
    if (!sources) {
        err << fmt::format("selftest: {}\n", sources.error());
        return 2;
    }
    auto subject = open_subject(options.store);
    if (!subject) {
        err << fmt::format("selftest: --store: {}\n", subject.error());
        return 2;
    }
    SelftestResult result;
    for (const Source& source : *sources) {
        if (auto done = run_source(source, *subject, result, out); !done) {
            err << fmt::format("selftest: {}\n", done.error());
            return 2;
        }
    }
    if (result.vectors == 0) {
        err << fmt::format("selftest: {}: no vectors\n", options.vectors.value_or("built in"));
        return 2;
    }
    out << fmt::format("{}, {}, {}\n", counted(result.vectors, "vector"), counted(result.steps, "step"),
                       counted(result.mismatches, "mismatch", "es"));
    return result.mismatches == 0 ? 0 : 1;
}

}  // namespace stint::inline v0::selftest
