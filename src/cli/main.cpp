// The program: one subcommand for each thing that stint can do. Here is only
// what their options are called; CLI11 stays in this file and command_tree.cpp,
// as it is slow to compile.
#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration_text.hpp"
#include "base/suggest.hpp"
#include "cli/check_command.hpp"
#include "cli/command_tree.hpp"
#include "cli/completions.hpp"
#include "cli/key_command.hpp"
#include "cli/lint_command.hpp"
#include "cli/man_page.hpp"
#include "cli/replay_command.hpp"
#include "cli/scripts_command.hpp"
#include "cli/serve_command.hpp"
#include "selftest/selftest.hpp"
#include "stint/limit.hpp"
#include "stint/version.hpp"

namespace stint::inline v0::cli {
namespace {

constexpr int kUsageError = 2;
constexpr std::size_t kMemoryMax = std::size_t{1} << 44;        // 16 TiB
constexpr std::size_t kRequestBytesMax = std::size_t{1} << 30;  // body or header

/// Adds an option that takes a duration such as `10s`; shows `value` as its default.
void add_duration(CLI::App& app, const std::string& name, std::chrono::milliseconds& value, const std::string& help) {
    const auto read = [&value, name](const std::string& text) {
        const Result<Duration> duration = parse_duration(text);
        if (!duration) throw CLI::ValidationError(name, duration.error());
        value = std::chrono::ceil<std::chrono::milliseconds>(*duration);
    };
    app.add_option_function<std::string>(name, read, help)
        ->type_name("DURATION")
        ->default_str(write_duration(value))
        ->run_callback_for_default(false);
}

/// Returns: `bytes` in the largest unit that it is a whole number of.
std::string write_bytes(std::size_t bytes) {
    if (bytes % (std::size_t{1} << 30) == 0) return std::to_string(bytes >> 30) + "GiB";
    if (bytes % (std::size_t{1} << 20) == 0) return std::to_string(bytes >> 20) + "MiB";
    return std::to_string(bytes >> 10) + "KiB";
}

/// Adds an option that takes bytes such as `64KiB`; k, M and G are powers of 1024.
void add_bytes(CLI::App& app, const std::string& name, std::size_t& value, std::size_t most, const std::string& help) {
    app.add_option(name, value, help)
        ->transform(CLI::AsSizeValue(false).description(""))
        ->check(CLI::Range(std::size_t{1}, most).description(""))
        ->type_name("BYTES")
        ->default_str(write_bytes(value));
}

void add_count(CLI::App& app, const std::string& name, std::size_t& value, std::size_t least, const std::string& help) {
    app.add_option(name, value, help)
        ->check(CLI::Range(least, std::size_t{1'000'000}).description(""))
        ->type_name("N")
        ->capture_default_str();
}

/// The variable keeps passwords off the command line, which others on the machine can see.
void add_store(CLI::App& app, std::string& url) {
    app.add_option("--store", url, "Where counters are: memory:// or redis://host")
        ->type_name("URL")
        ->envname("STINT_STORE")
        ->capture_default_str();
}

std::vector<const CLI::App*> commands(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App* find_command(const CLI::App& app, std::string_view name) {
    for (const CLI::App* command : commands(app)) {
        if (command->get_name() == name) return command;
    }
    return nullptr;
}

int complain_of_unknown(const CLI::App& app, const std::string& word) {
    std::vector<std::string_view> known;
    for (const CLI::App* command : commands(app)) {
        if (!command->get_group().empty()) known.push_back(command->get_name());
    }
    std::cerr << "stint: unknown command '" << word << "'" << suggestion(word, known)
              << "\nRun with --help for more information.\n";
    return kUsageError;
}

/// Returns: `exit_code`, or that of an error if what was printed could not be written.
int printed(int exit_code) {
    if (std::cout.flush() || exit_code == kUsageError) return exit_code;
    std::cerr << "stint: standard output cannot be written\n";
    return kUsageError;
}

void add_serve(CLI::App& app, int& exit_code) {
    CLI::App* serve = app.add_subcommand("serve", "Answer checks over HTTP");
    const auto command = std::make_shared<ServeCommand>();
    serve
        ->add_option("--rules", command->rules,
                     "Rule file, or a folder of them; reloaded when it changes and on SIGHUP")
        ->type_name("PATH");
    serve->add_option("--http", command->http, "Address to listen at; port 0 takes a free one")
        ->type_name("ADDR")
        ->capture_default_str();
    add_store(*serve, command->store);
    add_count(*serve, "--instances", command->instances, 1,
              "Servers that share the store; while it fails, each decides by its part of a limit");
    add_count(*serve, "--threads", command->threads, 0, "Threads that serve; 0: one for each core");
    add_bytes(*serve, "--max-memory", command->max_memory, kMemoryMax, "Most memory for counters");
    add_duration(*serve, "--drain-timeout", command->drain_timeout, "How long SIGTERM waits for connections");
    http::HttpOptions& bounds = command->bounds;
    add_bytes(*serve, "--max-body", bounds.body_bytes_max, kRequestBytesMax, "Largest body of a request");
    add_bytes(*serve, "--max-header", bounds.header_bytes_max, kRequestBytesMax, "Largest header of a request");
    add_count(*serve, "--max-attributes", bounds.attributes_max, 1, "Most attributes of a request");
    add_count(*serve, "--max-connections", bounds.connections_max, 1, "Most connections; one more gets 503");
    add_count(*serve, "--max-pipelined", bounds.pipelined_max, 1,
              "Most requests decided before their replies are sent");
    add_duration(*serve, "--idle-timeout", bounds.idle_timeout, "How long a connection may wait for its next request");
    add_duration(*serve, "--request-timeout", bounds.request_timeout,
                 "How long a request may take to arrive, and its reply to be taken");
    serve->add_flag("--x-ratelimit", bounds.x_rate_limit, "Send X-RateLimit-* header fields too");
    serve->footer(
        "Examples:\n"
        "  stint serve --rules rules.yaml\n"
        "  stint serve --rules /etc/stint/rules.d --http 0.0.0.0:8080 --max-memory 1GiB\n"
        "  stint serve --rules rules.yaml --store redis://127.0.0.1:6379");
    serve->callback([command, &exit_code] { exit_code = cli::serve(*command, std::cout, std::cerr); });
}

void add_check(CLI::App& app, int& exit_code) {
    CLI::App* check = app.add_subcommand("check", "Decide one request by a rule file");
    const auto command = std::make_shared<CheckCommand>();
    check->add_option("--rules", command->rules, "Rule file, or a folder of them")->type_name("PATH")->required();
    add_store(*check, command->store);
    check->add_option("--cost", command->cost, "Units that the request uses; 0 looks without consuming")
        ->check(CLI::Range(std::uint64_t{0}, kCostMax).description(""))
        ->type_name("N")
        ->capture_default_str();
    check->add_flag("--json", command->json, "Print the JSON object that the server would answer");
    check->add_option("attributes", command->attributes, "What is known of the request")->type_name("NAME=VALUE");
    check->footer(
        "Exit codes: 0 allowed, 1 denied, 2 rules, attributes or store cannot be used.\n\n"
        "Examples:\n"
        "  stint check --rules rules.yaml action=submit team=42\n"
        "  stint check --rules rules.yaml --cost 5 --json action=submit team=42");
    check->callback([command, &exit_code] { exit_code = printed(cli::check(*command, std::cout, std::cerr)); });
}

void add_replay(CLI::App& app, int& exit_code) {
    CLI::App* replay = app.add_subcommand("replay", "Play an access log against rules: who would have been limited");
    const auto options = std::make_shared<ReplayOptions>();
    replay->add_option("--rules", options->rules, "Rule file, or a folder of them")->type_name("PATH")->required();
    replay->add_option("--format", options->format, "How lines are written")
        ->check(CLI::IsMember({"auto", "combined", "common", "json"}))
        ->capture_default_str();
    replay->add_option("--order", options->order, "Decide lines by their time, or as they stand in the files")
        ->check(CLI::IsMember({"time", "file"}))
        ->capture_default_str();
    add_count(*replay, "--top", options->top, 0, "Keys and clients listed for each rule");
    replay->add_flag("--json", options->json, "Print one JSON object instead of the table");
    replay->add_option("--html", options->html, "Write a self-contained page with plots")->type_name("FILE");
    add_bytes(*replay, "--max-memory", options->max_memory, kMemoryMax, "Most memory for counters");
    replay->add_option("logs", options->logs, "Logs, also gzip; - is standard input")->type_name("LOG")->required();
    replay->footer(
        "Exit codes: 0 the log was read, 2 an option, the rules or a file cannot be used.\n\n"
        "Examples:\n"
        "  stint replay --rules rules.yaml access.log access.log.1.gz\n"
        "  zcat access.log.*.gz | stint replay --rules rules.yaml --html report.html -");
    replay->callback([options, &exit_code] { exit_code = cli::replay(*options, std::cin, std::cout, std::cerr); });
}

void add_lint(CLI::App& app, int& exit_code) {
    CLI::App* lint = app.add_subcommand("lint", "Say whether rule files are valid, and what in them looks unintended");
    const auto options = std::make_shared<LintOptions>();
    lint->add_flag("--strict", options->strict, "Exit with 1 if there are warnings");
    lint->add_option("files", options->files, "Rule files, or folders of them")->type_name("PATH")->required();
    lint->footer(
        "Exit codes: 0 valid, 1 valid with warnings under --strict, 2 not valid.\n\n"
        "Examples:\n"
        "  stint lint rules.yaml\n"
        "  stint lint --strict rules.d");
    lint->callback([options, &exit_code] { exit_code = printed(cli::lint(*options, std::cout, std::cerr)); });
}

void add_selftest(CLI::App& app, int& exit_code) {
    CLI::App* selftest = app.add_subcommand("selftest", "Play conformance vectors to a store, and compare each answer");
    const auto options = std::make_shared<selftest::SelftestOptions>();
    selftest->add_option("--vectors", options->vectors, "File of vectors; default: those built in")->type_name("FILE");
    add_store(*selftest, options->store);
    selftest->footer(
        "Exit codes: 0 nothing differs, 1 something does, 2 the file or the store cannot be used.\n\n"
        "Examples:\n"
        "  stint selftest\n"
        "  stint selftest --vectors more.jsonl\n"
        "  stint selftest --store redis://127.0.0.1:6379");
    selftest->callback(
        [options, &exit_code] { exit_code = printed(selftest::selftest(*options, std::cout, std::cerr)); });
}

CLI::App* add_key_command(CLI::App& app, const std::string& name, const std::string& help, KeyCommand& command) {
    CLI::App* added = app.add_subcommand(name, help);
    added->add_option("--rules", command.rules, "Rule file, or a folder of them")->type_name("PATH")->required();
    add_store(*added, command.store);
    added->add_option("rule", command.rule, "The rule's name")->type_name("RULE")->required();
    added->add_option("key", command.key, "The key's attributes")->type_name("NAME=VALUE");
    return added;
}

void add_inspect(CLI::App& app, int& exit_code) {
    const auto command = std::make_shared<KeyCommand>();
    CLI::App* inspect = add_key_command(app, "inspect", "Show what a server holds of a key", *command);
    inspect->add_flag("--json", command->json, "Print one JSON object");
    inspect->footer(
        "Exit codes: 0 shown, 2 rules, key or store cannot be used.\n\n"
        "Examples:\n"
        "  stint inspect --store redis://127.0.0.1:6379 --rules rules.yaml submit team=42");
    inspect->callback([command, &exit_code] { exit_code = printed(cli::inspect(*command, std::cout, std::cerr)); });
}

void add_reset(CLI::App& app, int& exit_code) {
    const auto command = std::make_shared<KeyCommand>();
    CLI::App* reset = add_key_command(app, "reset", "Make a key on a server as if never used", *command);
    reset->footer(
        "Exit codes: 0 done, 2 rules, key or store cannot be used.\n\n"
        "Examples:\n"
        "  stint reset --store redis://127.0.0.1:6379 --rules rules.yaml submit team=42");
    reset->callback([command, &exit_code] { exit_code = printed(cli::reset(*command, std::cout, std::cerr)); });
}

void add_scripts(CLI::App& app, int& exit_code) {
    CLI::App* scripts = app.add_subcommand("scripts", "Load the scripts that check on a server, or print them");
    scripts->require_subcommand(1);
    scripts->footer(
        "Examples:\n"
        "  stint scripts load --store redis://127.0.0.1:6379\n"
        "  stint scripts print");
    const auto command = std::make_shared<ScriptsCommand>();
    CLI::App* load = scripts->add_subcommand("load", "Load them on all servers of a store");
    add_store(*load, command->store);
    load->footer(
        "Exit codes: 0 all servers have them, 2 not all.\n\n"
        "Examples:\n"
        "  stint scripts load --store redis://loader:password@127.0.0.1:6379");
    load->callback([command, &exit_code] { exit_code = printed(cli::load_scripts(*command, std::cout, std::cerr)); });
    CLI::App* print = scripts->add_subcommand("print", "Print one script, or the SHA-1 and the name of each");
    print->add_option("name", command->name, "The script's name")->type_name("NAME");
    print->footer(
        "Examples:\n"
        "  stint scripts print\n"
        "  stint scripts print together | redis-cli -x SCRIPT LOAD");
    print->callback([command, &exit_code] { exit_code = printed(cli::print_scripts(*command, std::cout, std::cerr)); });
}

void add_completions(CLI::App& app, int& exit_code) {
    CLI::App* completions = app.add_subcommand("completions", "Print a script by which a shell completes stint");
    const auto shell = std::make_shared<std::string>();
    completions->add_option("shell", *shell, "The shell")->check(CLI::IsMember({"bash", "zsh", "fish"}))->required();
    completions->footer(
        "Examples:\n"
        "  source <(stint completions bash)\n"
        "  stint completions fish > ~/.config/fish/completions/stint.fish");
    completions->callback([&app, shell, &exit_code] {
        const CommandText program = command_text(app);
        std::cout << (*shell == "bash"  ? bash_completion(program)
                      : *shell == "zsh" ? zsh_completion(program)
                                        : fish_completion(program));
        exit_code = printed(0);
    });
}

/// For those who package stint: not shown, as users have the page.
void add_man(CLI::App& app, int& exit_code) {
    app.add_subcommand("man", "Print the manual page")->group("")->callback([&app, &exit_code] {
        std::cout << man_page(command_text(app), STINT_VERSION);
        exit_code = printed(0);
    });
}

/// `stint help` and `stint help COMMAND`, as in other programs.
void add_help(CLI::App& app, int& exit_code) {
    CLI::App* help = app.add_subcommand("help", "Say what stint or one of its commands does");
    const auto command = std::make_shared<std::string>();
    help->add_option("command", *command, "The command")->type_name("COMMAND");
    help->footer(
        "Examples:\n"
        "  stint help\n"
        "  stint help serve");
    help->callback([&app, command, &exit_code] {
        const CLI::App* about = command->empty() ? &app : find_command(app, *command);
        if (about == nullptr) {
            exit_code = complain_of_unknown(app, *command);
            return;
        }
        // Not App::help(), which would explain the command that is being run: this one.
        const std::string name = command->empty() ? app.get_name() : app.get_name() + " " + *command;
        std::cout << app.get_formatter()->make_help(about, name, CLI::AppFormatMode::Normal);
        exit_code = printed(0);
    });
}

int run(int argc, char** argv) {
    CLI::App app{"stint decides, for every request, whether this caller may go on."};
    app.name("stint");
    app.set_version_flag("--version", "stint " STINT_VERSION);
    app.require_subcommand(0, 1);
    app.get_formatter()->column_width(34);
    app.footer(
        "Examples:\n"
        "  stint serve --rules rules.yaml\n"
        "  stint check --rules rules.yaml action=submit team=42\n\n"
        "stint COMMAND --help says more about a command.");
    int exit_code = 0;
    add_serve(app, exit_code);
    add_check(app, exit_code);
    add_replay(app, exit_code);
    add_lint(app, exit_code);
    add_selftest(app, exit_code);
    add_inspect(app, exit_code);
    add_reset(app, exit_code);
    add_scripts(app, exit_code);
    add_completions(app, exit_code);
    add_man(app, exit_code);
    add_help(app, exit_code);
    // CLI11 would only say that it was not expected.
    if (argc > 1 && argv[1][0] != '-' && find_command(app, argv[1]) == nullptr) {
        return complain_of_unknown(app, argv[1]);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kUsageError;
    }
    if (app.get_subcommands().empty()) {
        std::cerr << "stint: a command is missing\n" << app.help();
        return kUsageError;
    }
    return exit_code;
}

}  // namespace
}  // namespace stint::inline v0::cli

int main(int argc, char** argv) {
    try {
        return stint::cli::run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "stint: " << error.what() << '\n';
        return 1;
    }
}
