// The command line as data: its commands and options, and what each says of
// itself. Taken from what --help prints, so that completions and the manual
// page cannot say anything else. Threads: values.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

namespace stint::inline v0::cli {

struct OptionText {
    std::vector<std::string> names{};    ///< `-h`, `--help`; none if it is known by its place
    std::string value{};                 ///< what it takes, such as `PATH`; empty: it takes nothing
    std::vector<std::string> choices{};  ///< all that it takes, if they are few words
    std::string help{};
    std::string default_value{};  ///< empty: none
    std::string variable{};       ///< of the environment, that stands in for it; empty: none
    bool required = false;
    bool repeated = false;  ///< by its place only: takes all that follows

    [[nodiscard]] bool by_place() const noexcept { return names.empty(); }
    [[nodiscard]] bool takes_files() const noexcept { return value == "PATH" || value == "FILE" || value == "LOG"; }
};

struct CommandText {
    std::string name{};
    std::string help{};
    std::string footer{};  ///< exit codes and examples, as --help shows them
    std::vector<OptionText> options{};
    std::vector<CommandText> commands{};
};

/// Returns: what --help shows of `app` and of all its commands; nothing that is hidden.
[[nodiscard]] CommandText command_text(const CLI::App& app);

}  // namespace stint::inline v0::cli
