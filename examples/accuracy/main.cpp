// How exact is each algorithm? Plays 42 kinds of traffic to a limit of 100 in
// 60 seconds and prints a table in Markdown; with a file name it also writes a
// picture (SVG). What comes out, and what it means: docs/algorithms.md.
//     accuracy [PICTURE.svg]
//     accuracy --kinds        each kind of traffic for itself
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string_view>

#include "measure.hpp"
#include "plot.hpp"
#include "traffic.hpp"

namespace accuracy {
namespace {

void print_table(const std::vector<Contender>& contenders, const std::vector<Traffic>& kinds,
                 const std::vector<std::vector<Measured>>& results) {
    std::cout << "| algorithm | promised, at most | measured, worst | with | let through, of what the log does: in all "
                 "| median kind | worst kind |\n|---|---|---|---|---|---|---|\n";
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        std::size_t worst = 0;
        double allowed = 0;
        double exact = 0;
        std::vector<double> shares;
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            if (results[i][k].worst > results[i][worst].worst) worst = k;
            allowed += static_cast<double>(results[i][k].allowed);
            exact += static_cast<double>(results[0][k].allowed);
            shares.push_back(static_cast<double>(results[i][k].allowed) / static_cast<double>(results[0][k].allowed));
        }
        std::sort(shares.begin(), shares.end());
        std::cout << fmt::format("| {} | {} N | {:.2f} N | {} | {:.1f} % | {:.1f} % | {:.1f} % |\n", contenders[i].name,
                                 contenders[i].promise, results[i][worst].worst, kinds[worst].name,
                                 100 * allowed / exact, 100 * shares[shares.size() / 2], 100 * shares.front());
    }
}

void print_kinds(const std::vector<Contender>& contenders, const std::vector<Traffic>& kinds,
                 const std::vector<std::vector<Measured>>& results) {
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        std::cout << kinds[k].name << '\n';
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            std::cout << fmt::format("    {:36} {:6} allowed, worst {:.2f} N\n", contenders[i].name,
                                     results[i][k].allowed, results[i][k].worst);
        }
    }
}

}  // namespace
}  // namespace accuracy

int main(int argc, char** argv) {
    using namespace std::string_view_literals;
    const std::string_view argument = argc > 1 ? argv[1] : "";
    const auto contenders = accuracy::contenders();
    const auto kinds = accuracy::all_kinds();
    std::vector<std::vector<accuracy::Measured>> results;
    for (const auto& contender : contenders) {
        auto& row = results.emplace_back();
        for (const auto& kind : kinds) row.push_back(accuracy::measure(contender.limit, kind));
    }
    if (argument == "--kinds"sv) {
        accuracy::print_kinds(contenders, kinds, results);
        return 0;
    }
    accuracy::print_table(contenders, kinds, results);
    if (argument.empty()) return 0;
    std::ofstream file{std::string{argument}};
    file << accuracy::plot(contenders, results);
    if (!file.flush()) {
        std::cerr << "accuracy: " << argument << ": cannot be written\n";
        return 2;
    }
    return 0;
}
