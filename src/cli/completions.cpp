#include "cli/completions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

namespace stint::inline v0::cli {
namespace {

/// Calls `visit(words, command)` for the program and each command, outer ones first; `words` are those that lead there.
void walk(const CommandText& command, const std::string& words,
          const std::function<void(const std::string&, const CommandText&)>& visit) {
    visit(words, command);
    for (const CommandText& inner : command.commands) {
        walk(inner, words.empty() ? inner.name : words + ' ' + inner.name, visit);
    }
}

std::string replaced(std::string_view text, std::string_view special, std::string_view before) {
    std::string result;
    for (const char letter : text) {
        if (special.find(letter) != std::string_view::npos) result += before;
        result += letter;
    }
    return result;
}

/// Returns: the text between single quotes for bash and zsh, where nothing but the quote itself ends it.
std::string quoted(std::string_view text) {
    std::string result = "'";
    for (const char letter : text) result += letter == '\'' ? std::string{"'\\''"} : std::string{letter};
    return result + "'";
}

std::string fish_quoted(std::string_view text) {
    return "'" + replaced(text, "'\\", "\\") + "'";
}

/// Returns: the words that may follow `command` wherever they like: commands, options, choices.
std::vector<std::string> words_of(const CommandText& command, const CommandText& program) {
    std::vector<std::string> words;
    for (const CommandText& inner : command.commands) words.push_back(inner.name);
    for (const OptionText& option : command.options) {
        words.insert(words.end(), option.names.begin(), option.names.end());
        if (option.by_place()) words.insert(words.end(), option.choices.begin(), option.choices.end());
        if (option.value != "COMMAND") continue;
        for (const CommandText& inner : program.commands) words.push_back(inner.name);
    }
    return words;
}

constexpr std::string_view kBash = R"(# Completes stint in bash; made by `stint completions bash`.
_stint() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command='' words='' files=''
    # --option=value comes as three words.
    if [[ $word == '=' ]]; then word=''; elif [[ $before == '=' ]]; then before=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
    ((COMP_CWORD < 2)) || command=${{COMP_WORDS[1]}}
    case $command in
        {inner}) ((COMP_CWORD < 3)) || command+=" ${{COMP_WORDS[2]}}" ;;
    esac
    case "$command $before" in
{values}        *)
            case $command in
{commands}            esac
            ;;
    esac
    mapfile -t COMPREPLY < <(
        compgen -W "$words" -- "$word"
        if [[ $files ]]; then compgen -f -- "$word"; fi
    )
    # What readline does for names of files; there is no readline where this is only called.
    if [[ $files ]]; then compopt -o filenames 2>/dev/null; fi
    return 0
}}
complete -F _stint stint
)";

}  // namespace

std::string bash_completion(const CommandText& program) {
    std::vector<std::string> inner;  // commands that have commands of their own
    std::string values;
    std::string commands;
    walk(program, "", [&](const std::string& words, const CommandText& command) {
        if (!words.empty() && !command.commands.empty()) inner.push_back(words);
        for (const OptionText& option : command.options) {
            if (option.by_place() || option.value.empty()) continue;
            std::vector<std::string> patterns;
            for (const std::string& name : option.names) patterns.push_back(quoted(fmt::format("{} {}", words, name)));
            std::string effect;
            if (option.takes_files()) effect = " files=1";
            if (!option.choices.empty())
                effect = fmt::format(" words={}", quoted(fmt::format("{}", fmt::join(option.choices, " "))));
            values += fmt::format("        {}){} ;;\n", fmt::join(patterns, " | "), effect);
        }
        const bool files = std::ranges::any_of(
            command.options, [](const auto& option) { return option.by_place() && option.takes_files(); });
        commands +=
            fmt::format("                {}) words={}{} ;;\n", quoted(words),
                        quoted(fmt::format("{}", fmt::join(words_of(command, program), " "))), files ? " files=1" : "");
    });
    return fmt::format(kBash, fmt::arg("inner", fmt::join(inner, " | ")), fmt::arg("values", values),
                       fmt::arg("commands", commands));
}

namespace {

/// Returns: what zsh offers for an option's value.
std::string zsh_action(const OptionText& option, const CommandText& program) {
    if (option.takes_files()) return "_files";
    if (option.value == "COMMAND")
        return fmt::format("({})", fmt::join(words_of({.commands = program.commands}, program), " "));
    return option.choices.empty() ? " " : fmt::format("({})", fmt::join(option.choices, " "));
}

/// Returns: an argument of zsh's _arguments.
std::string zsh_argument(const OptionText& option, const CommandText& program) {
    const std::string value = fmt::format(":{}:{}", replaced(option.value, ":\\", "\\"), zsh_action(option, program));
    if (option.by_place()) return quoted((option.repeated ? "*" : option.required ? "" : ":") + value);
    const std::string help = fmt::format("[{}]", replaced(option.help, "[]\\", "\\"));
    std::vector<std::string> each;
    for (const std::string& name : option.names) {
        const std::string others = option.names.size() > 1 ? fmt::format("({})", fmt::join(option.names, " ")) : "";
        const std::string taken = option.value.empty() ? help : fmt::format("={}{}", help, value);
        each.push_back(quoted(fmt::format("{}{}{}", others, name, taken)));
    }
    return fmt::format("{}", fmt::join(each, " \\\n        "));
}

constexpr std::string_view kZshInner = R"(        '1:command:->command' '*::arguments:->arguments' && return
    case $state in
        command)
            commands=(
{described}            )
            _describe command commands
            ;;
        arguments)
            case $words[1] in
{calls}            esac
            ;;
    esac
)";

}  // namespace

std::string zsh_completion(const CommandText& program) {
    std::string script = "#compdef stint\n# Completes stint in zsh; made by `stint completions zsh`.\n";
    const auto function = [](std::string words) {
        std::ranges::replace(words, ' ', '_');
        return words.empty() ? std::string{"_stint"} : "_stint_" + words;
    };
    walk(program, "", [&](const std::string& words, const CommandText& command) {
        script += fmt::format("\n{}() {{\n", function(words));
        if (!command.commands.empty()) script += "    local curcontext=$curcontext state line\n    local -a commands\n";
        script += fmt::format("    _arguments {}\\\n", command.commands.empty() ? "" : "-C ");
        std::vector<std::string> arguments;
        for (const OptionText& option : command.options)
            arguments.push_back("        " + zsh_argument(option, program));
        script += fmt::format("{}", fmt::join(arguments, " \\\n"));
        if (command.commands.empty()) {
            script += "\n}\n";
            return;
        }
        std::string described;
        std::string calls;
        for (const CommandText& inner : command.commands) {
            described +=
                fmt::format("                {}\n", quoted(inner.name + ':' + replaced(inner.help, ":\\", "\\")));
            calls += fmt::format("                {}) {} ;;\n", inner.name,
                                 function(words.empty() ? inner.name : words + ' ' + inner.name));
        }
        script += " \\\n" + fmt::format(kZshInner, fmt::arg("described", described), fmt::arg("calls", calls)) + "}\n";
    });
    return script +
           "\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then _stint \"$@\"; else compdef _stint stint; fi\n";
}

namespace {

constexpr std::string_view kFish = R"(# Completes stint in fish; made by `stint completions fish`.

# Whether the words before the cursor begin with these, behind `stint`.
function __stint_in
    set -l words (commandline -opc)[2..-1]
    set -l last (count $argv)
    test "$words[1..$last]" = "$argv"
end

# Whether they are these and no more.
function __stint_at
    set -l words (commandline -opc)[2..-1]
    test "$words" = "$argv"
end

complete -c stint -f
)";

std::string fish_option(const OptionText& option, const CommandText& program, const std::string& words) {
    std::string line = fmt::format("complete -c stint -n '{} {}'", words.empty() ? "__stint_at" : "__stint_in", words);
    if (option.by_place()) {
        if (option.takes_files()) return line + " -F\n";
        std::vector<std::string> offered = option.choices;
        if (option.value == "COMMAND") offered = words_of({.commands = program.commands}, program);
        if (offered.empty()) return "";
        return fmt::format("complete -c stint -n '__stint_at {}' -a '{}'\n", words, fmt::join(offered, " "));
    }
    for (const std::string& name : option.names) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (option.takes_files())
        line += " -r -F";
    else if (!option.value.empty())
        line += " -x";
    if (!option.choices.empty()) line += fmt::format(" -a '{}'", fmt::join(option.choices, " "));
    return line + fmt::format(" -d {}\n", fish_quoted(option.help));
}

}  // namespace

std::string fish_completion(const CommandText& program) {
    std::string script{kFish};
    walk(program, "", [&](const std::string& words, const CommandText& command) {
        for (const CommandText& inner : command.commands) {
            script += fmt::format("complete -c stint -n '__stint_at {}' -a {} -d {}\n", words, inner.name,
                                  fish_quoted(inner.help));
        }
        for (const OptionText& option : command.options) script += fish_option(option, program, words);
    });
    return script;
}

}  // namespace stint::inline v0::cli
