#include "plot.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace accuracy {
namespace {

constexpr int kLeft = 250;
constexpr int kTop = 50;
constexpr int kRow = 34;
constexpr int kUnit = 240;  // pixels for N

double x_of(double multiple) {
    return kLeft + multiple * kUnit;
}

std::string axis(int bottom) {
    std::string svg;
    for (int tenth = 0; tenth <= 20; tenth += 5) {
        const double x = x_of(tenth / 10.0);
        svg += fmt::format("<line x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\" class=\"{3}\"/>\n", x, kTop - 10, bottom,
                           tenth == 10 ? "limit" : "grid");
        svg += fmt::format("<text x=\"{}\" y=\"{}\" class=\"tick\">{} N</text>\n", x, bottom + 18, tenth / 10.0);
    }
    return svg;
}

std::string row(const Contender& contender, const std::vector<Measured>& results, int y) {
    std::string svg =
        fmt::format("<text x=\"{}\" y=\"{}\" class=\"name\">{}</text>\n", kLeft - 14, y + 4, contender.name);
    double worst = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        // Dots of equal value would hide each other: they are spread over the row.
        const double spread = static_cast<double>(i) / static_cast<double>(results.size()) - 0.5;
        svg +=
            fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\"/>\n", x_of(results[i].worst), y + spread * 20);
        worst = std::max(worst, results[i].worst);
    }
    return svg + fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" class=\"worst\"/>\n",
                             x_of(worst), y - 13, y + 13);
}

}  // namespace

std::string plot(const std::vector<Contender>& contenders, const std::vector<std::vector<Measured>>& results) {
    const int bottom = kTop + static_cast<int>(contenders.size()) * kRow;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"13\">\n"
        "<style>circle{{fill:#2a6fb0;fill-opacity:.55}}.grid{{stroke:#ddd}}.limit{{stroke:#444;stroke-dasharray:4 3}}"
        ".worst{{stroke:#c0392b;stroke-width:3}}.name{{text-anchor:end}}.tick{{text-anchor:middle;fill:#555}}</style>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        "<text x=\"{}\" y=\"24\">The most let through in any stretch of one period: a dot for each of {} kinds of "
        "traffic, the worst in red</text>\n",
        kLeft + 2 * kUnit + 30, bottom + 32, 14, results.empty() ? 0 : results[0].size());
    svg += axis(bottom);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        svg += row(contenders[i], results[i], kTop + static_cast<int>(i) * kRow + kRow / 2);
    }
    return svg + "</svg>\n";
}

}  // namespace accuracy
