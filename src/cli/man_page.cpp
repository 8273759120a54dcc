#include "cli/man_page.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string_view>

namespace stint::inline v0::cli {
namespace {

/// Returns: the text as it shall be seen: `-` is typed by users, `\` is roff's own, and a line may not begin with
/// the `.` or `'` of a request.
std::string plain(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        if ((letter == '.' || letter == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
        if (letter == '-') result += '\\';
        if (letter == '\\')
            result += "\\e";
        else
            result += letter;
    }
    return result;
}

std::string bold(std::string_view text) {
    return "\\fB" + plain(text) + "\\fR";
}
std::string italic(std::string_view text) {
    return "\\fI" + plain(text) + "\\fR";
}

std::string value_text(const OptionText& option) {
    std::string text = option.choices.empty() ? italic(option.value) : "";
    for (const std::string& choice : option.choices) text += (text.empty() ? "" : "|") + bold(choice);
    return option.repeated ? text + "..." : text;
}

void add_option(std::string& page, const OptionText& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back(bold(name));
    page += fmt::format(".TP\n{}", fmt::join(names, ", "));
    if (!option.value.empty()) page += (names.empty() ? "" : " ") + value_text(option);
    page += '\n' + plain(option.help) + ".\n";
    if (option.required) page += "Must be given.\n";
    if (!option.default_value.empty()) page += "Default: " + bold(option.default_value) + ".\n";
    if (!option.variable.empty()) page += "The environment variable " + bold(option.variable) + " stands in for it.\n";
}

/// Prose is filled; lines that are indented stay as they are.
void add_footer(std::string& page, const std::string& footer) {
    std::istringstream lines{footer};
    bool example = false;
    for (std::string line; std::getline(lines, line);) {
        const bool indented = line.starts_with("  ");
        if (indented != example) page += indented ? ".RS 4\n.nf\n" : ".fi\n.RE\n";
        example = indented;
        if (line.empty())
            page += ".PP\n";
        else
            page += plain(indented ? line.substr(2) : line) + '\n';
    }
    if (example) page += ".fi\n.RE\n";
}

void add_command(std::string& page, const CommandText& command, const std::string& words) {
    std::string usage = bold(words);
    bool options = false;
    for (const OptionText& option : command.options) options = options || !option.by_place();
    if (options) usage += " [" + italic("OPTION") + "]...";
    for (const OptionText& option : command.options) {
        if (!option.by_place()) continue;
        usage += option.required ? ' ' + value_text(option) : " [" + value_text(option) + ']';
    }
    if (!command.commands.empty()) usage += ' ' + italic("COMMAND");
    page += ".SS " + plain(words) + '\n' + usage + "\n.PP\n" + plain(command.help) + ".\n";
    for (const OptionText& option : command.options) add_option(page, option);
    page += ".PP\n";
    add_footer(page, command.footer);
    for (const CommandText& inner : command.commands) add_command(page, inner, words + ' ' + inner.name);
}

}  // namespace

std::string man_page(const CommandText& program, const std::string& version) {
    std::string page = fmt::format(
        ".\\\" Made from what stint --help says.\n"
        ".TH STINT 1 \"\" \"stint {}\" \"User Commands\"\n"
        ".SH NAME\nstint \\- a rate limiter: its server and command line\n"
        ".SH SYNOPSIS\n{} {} [{}]...\n"
        ".SH DESCRIPTION\n{}\n.SH OPTIONS\n",
        plain(version), bold("stint"), italic("COMMAND"), italic("OPTION"), plain(program.help));
    for (const OptionText& option : program.options) add_option(page, option);
    page += ".SH COMMANDS\n";
    for (const CommandText& command : program.commands) add_command(page, command, "stint " + command.name);
    page += ".SH NOTES\n";
    add_footer(page, program.footer);
    return page;
}

}  // namespace stint::inline v0::cli
