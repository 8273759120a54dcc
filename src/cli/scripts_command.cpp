#include "cli/scripts_command.hpp"

#include <array>
#include <ostream>
#include <string_view>

#include "base/suggest.hpp"
#include "cli/store_choice.hpp"
#include "stint/error.hpp"
#include "store/redis/endpoint.hpp"
#include "store/redis/script_loader.hpp"
#include "store/redis/scripts.hpp"

namespace stint::inline v0::cli {
namespace {

using store::redis::kScripts;
using store::redis::ScriptId;

int load(const ScriptsCommand& command, std::ostream& out, std::ostream& err) {
    const StoreChoice choice{command.store, 0};
    if (choice.server() == nullptr) {
        err << "stint scripts load: --store is missing: a server, as redis://host\n";
        return 2;
    }
    const auto loaded = store::redis::load_scripts(*choice.server(), kPatience);
    if (!loaded) {
        err << "stint scripts load: the store cannot be reached: " << loaded.error() << '\n';
        return 2;
    }
    int exit_code = 0;
    for (const auto& at : *loaded) {
        if (at.done) {
            out << to_string(store::redis::Endpoint{at.server.host, at.server.port}) << ": " << kScripts
                << " scripts\n";
        } else {
            err << "stint scripts load: " << at.done.error() << '\n';
            exit_code = 2;
        }
    }
    return exit_code;
}

}  // namespace

int load_scripts(const ScriptsCommand& command, std::ostream& out, std::ostream& err) {
    try {
        return load(command, out, err);
    } catch (const ConfigError& error) {
        err << error.what() << '\n';
        return 2;
    }
}

int print_scripts(const ScriptsCommand& command, std::ostream& out, std::ostream& err) {
    std::array<std::string_view, kScripts> names;
    for (std::size_t i = 0; i < kScripts; ++i) {
        const auto script = static_cast<ScriptId>(i);
        names[i] = to_string(script);
        if (command.name.empty()) out << script_sha(script) << ' ' << names[i] << '\n';
        if (command.name == names[i]) {
            out << script_text(script);
            return 0;
        }
    }
    if (command.name.empty()) return 0;
    err << "stint scripts print: there is no script '" << command.name << "'" << suggestion(command.name, names)
        << '\n';
    return 2;
}

}  // namespace stint::inline v0::cli
