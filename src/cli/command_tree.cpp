#include "cli/command_tree.hpp"

#include <CLI/CLI.hpp>

namespace stint::inline v0::cli {
namespace {

/// CLI11 shows the words that an option takes behind its type: `TEXT:{time,file}`.
std::vector<std::string> choices_in(const std::string& type) {
    const std::size_t open = type.find('{');
    if (open == std::string::npos || type.back() != '}') return {};
    return CLI::detail::split(type.substr(open + 1, type.size() - open - 2), ',');
}

OptionText option_text(const CLI::Option& option) {
    OptionText text;
    for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
    const std::string type = option.get_type_name();
    text.choices = choices_in(type);
    if (option.get_items_expected_max() > 0) text.value = text.choices.empty() ? type : "WORD";
    text.help = option.get_description();
    text.default_value = option.get_default_str();
    text.variable = option.get_envname();
    text.required = option.get_required();
    text.repeated = text.by_place() && option.get_items_expected_max() > 1;
    return text;
}

}  // namespace

CommandText command_text(const CLI::App& app) {
    CommandText text{.name = app.get_name(), .help = app.get_description(), .footer = app.get_footer()};
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_group().empty()) text.options.push_back(option_text(*option));
    }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (!command->get_group().empty()) text.commands.push_back(command_text(*command));
    }
    return text;
}

}  // namespace stint::inline v0::cli
