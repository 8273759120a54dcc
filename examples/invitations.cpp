// Invitations to documents, and somebody who sends spam through them: a user
// may invite 25 people in a minute and 200 in a day. Who goes on against 50
// refusals is out for a day, and does not see it: the site answers as usual and
// drops the work.
#include <stint/stint.hpp>
#include <stint/testing.hpp>

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace {

using namespace std::chrono_literals;

// All rules of the program in one place. A rule file may change their numbers.
inline constexpr stint::RuleTable kRules{{
    {.name = "invite",
     .key = {"user"},
     .limits = {stint::per_minute(25), stint::per_day(200)},
     .ban = stint::Ban{.denials = 50, .within = 10min, .duration = 24h, .silent = true}},
}};

struct Reply {
    int status = 200;
    std::string text;
};

class Invitations {
public:
    explicit Invitations(stint::Limiter& limiter)
        : send_{stint::try_rate_limited<kRules, "invite">(
              limiter, [this](const std::string&, const std::string&) { ++sent_; },
              [](const std::string& user, const std::string&) { return std::string_view{user}; })} {}

    Reply invite(const std::string& user, const std::string& guest) {
        const auto sent = send_(user, guest);
        // Of a silent refusal nobody hears.
        if (sent || sent.decision().silent) return {200, "invited " + guest};
        return {429, "too many invitations"};
    }
    [[nodiscard]] int sent() const noexcept { return sent_; }

private:
    std::function<stint::RateLimitResult<void>(const std::string& user, const std::string& guest)> send_;
    int sent_ = 0;
};

}  // namespace

int main() {
    stint::testing::ManualClock clock;  // a day passes at once
    stint::MemoryStore store{{.clock = clock}};
    stint::Limiter limiter{store, stint::RuleSet{}};
    Invitations site{limiter};

    int accepted = 0;
    int refused = 0;
    for (int i = 0; i < 1'000; ++i) {
        const Reply reply = site.invite("spammer", "guest" + std::to_string(i) + "@example.org");
        ++(reply.status == 200 ? accepted : refused);
        clock.advance(100ms);
    }
    std::printf("the spammer saw %d invitations accepted and %d refused; %d were sent\n", accepted, refused,
                site.sent());

    const int before = site.sent();
    for (int i = 0; i < 20; ++i) site.invite("ann", "friend" + std::to_string(i) + "@example.org");
    std::printf("ann invited 20 people; %d were sent\n", site.sent() - before);

    clock.advance(25h);
    const Reply reply = site.invite("spammer", "mother@example.org");
    std::printf("a day later the spammer may invite again: %d, %s\n", reply.status, reply.text.c_str());
}
