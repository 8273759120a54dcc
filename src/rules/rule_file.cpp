#include "rules/rule_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/locale/utf.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "rules/yaml_fields.hpp"

namespace stint::inline v0::rules {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Problem> problem(const fs::path& file, std::string reason) {
    return tl::unexpected<Problem>{Problem{.file = file.string(), .line = 0, .column = 0, .reason = std::move(reason)}};
}

tl::unexpected<Problem> too_large(const fs::path& file) {
    return problem(file, fmt::format("is too large; a rule file has {} bytes at most, but a folder may hold several",
                                     kFileBytesMax));
}

bool is_rule_file_name(const std::string& name) {
    return !name.starts_with('.') && (name.ends_with(".yaml") || name.ends_with(".yml"));
}

bool is_allowed(boost::locale::utf::code_point point) {
    return point >= 0x20 || point == '\t' || point == '\n' || point == '\r';
}

}  // namespace

Result<std::vector<fs::path>, Problem> list_rule_files(const fs::path& path) {
    std::error_code ec;
    const fs::file_status status = fs::status(path, ec);
    if (!fs::exists(status)) {
        return problem(path, fmt::format("cannot be read: {}", ec ? ec.message() : "no such file or folder"));
    }
    if (!fs::is_directory(status)) return std::vector{path};
    std::vector<std::string> names;
    fs::directory_iterator entries{path, ec};
    for (; !ec && entries != fs::directory_iterator{}; entries.increment(ec)) {
        std::string name = entries->path().filename().string();
        if (is_rule_file_name(name)) names.push_back(std::move(name));
    }
    if (ec) return problem(path, fmt::format("cannot be read: {}", ec.message()));
    if (names.empty()) return problem(path, "this folder holds no rules: no visible file named *.yaml or *.yml");
    std::sort(names.begin(), names.end());
    std::vector<fs::path> files;
    for (const std::string& name : names) files.push_back(path / name);
    return files;
}

Result<std::string, Problem> read_rule_file(const fs::path& file) {
    std::error_code ec;
    if (fs::is_directory(file, ec)) return problem(file, "is a folder, not a rule file");
    if (fs::exists(file, ec) && !fs::is_regular_file(file, ec)) {
        // A pipe would keep whoever reloads rules waiting for its other end.
        return problem(file, "is not a regular file");
    }
    errno = 0;
    std::ifstream stream{file, std::ios::binary};
    if (!stream) return problem(file, fmt::format("cannot be read: {}", std::strerror(errno)));
    // In pieces: room for the largest file at once would stay with the process after each reload.
    std::string text;
    std::array<char, 16384> piece{};
    do {
        stream.read(piece.data(), piece.size());
        text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    } while (stream && text.size() <= kFileBytesMax);
    if (stream.bad()) return problem(file, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (text.size() > kFileBytesMax) {
        return too_large(file);
    }
    return text;
}

Result<void, Problem> check_text(std::string_view text, const std::string& file) {
    if (text.size() > kFileBytesMax) {
        return too_large(file);
    }
    std::size_t line = 1;
    std::size_t column = 1;
    const auto refuse = [&](std::string reason) {
        return tl::unexpected<Problem>{
            Problem{.file = file, .line = line, .column = column, .reason = std::move(reason)}};
    };
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        const auto byte = static_cast<unsigned char>(*at);
        const auto point = boost::locale::utf::utf_traits<char>::decode(at, end);
        if (!boost::locale::utf::is_valid_codepoint(point)) {
            return refuse(fmt::format("the byte 0x{:02x} is no UTF-8; a rule file is UTF-8 text", byte));
        }
        if (!is_allowed(point)) {
            return refuse(
                fmt::format("the control character 0x{:02x} is not allowed; write it as \"\\x{:02x}\"", byte, byte));
        }
        column = point == '\n' ? 1 : column + 1;
        line += point == '\n' ? 1 : 0;
    }
    return {};
}

}  // namespace stint::inline v0::rules
