// What the snippets of docs/cpp.md take for granted.
#pragma once

#include <array>
#include <cassert>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "stint/asio.hpp"
#include "stint/stint.hpp"
#include "stint/testing.hpp"

using namespace std::chrono_literals;

struct Team {
    int id = 0;
    std::string name;
    std::string plan;
};
struct Contest {
    int submit(const Team& team, std::string_view answer);
};
struct Page {};
using Headers = std::vector<std::pair<std::string, std::string>>;

int too_many_requests(const Headers& headers);
int accepted(int value, const Headers& headers);
void f();
void send_invitation(int user);
int by_user(int user);
int by_team(const Contest& contest, const Team& team, std::string_view answer);

namespace page_table {
inline constexpr stint::RuleTable kRules{{
    {.name = "invite", .key = {"user"}, .limits = {stint::per_minute(25)}},
    {.name = "all", .limits = {stint::per_minute(25)}},
}};
}
