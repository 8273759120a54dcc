#include "cli/completions.hpp"

#include <gmock/gmock.h>

namespace stint::inline v0::cli {
namespace {

using ::testing::HasSubstr;

CommandText program() {
    const OptionText help{.names = {"-h", "--help"}, .help = R"(It's [this]: a\b)"};
    const OptionText rules{.names = {"--rules"}, .value = "PATH", .help = "Rules"};
    const OptionText format{.names = {"--format"}, .value = "WORD", .choices = {"one", "two"}, .help = "How"};
    const OptionText logs{.value = "LOG", .help = "Logs", .repeated = true};
    return {.name = "stint",
            .options = {help},
            .commands = {{.name = "play", .help = "Play: it's so", .options = {rules, format, logs}},
                         {.name = "outer", .help = "Has more", .commands = {{.name = "inner", .help = "Is in it"}}}}};
}

TEST(Completions, BashKnowsWhatMayFollow) {
    const std::string script = bash_completion(program());
    EXPECT_THAT(script, HasSubstr("'play --rules') files=1 ;;"));
    EXPECT_THAT(script, HasSubstr("'play --format') words='one two' ;;"));
    EXPECT_THAT(script, HasSubstr("'') words='play outer -h --help' ;;"));
    EXPECT_THAT(script, HasSubstr("'play') words='--rules --format' files=1 ;;"));
    EXPECT_THAT(script, HasSubstr("'outer') words='inner' ;;"));
    EXPECT_THAT(script, HasSubstr("        outer) ((COMP_CWORD < 3))"));
}

TEST(Completions, ZshQuotesWhatIsItsOwn) {
    const std::string script = zsh_completion(program());
    EXPECT_THAT(script, HasSubstr(R"('(-h --help)--help[It'\''s \[this\]: a\\b]')"));
    EXPECT_THAT(script, HasSubstr(R"('play:Play\: it'\''s so')"));
    EXPECT_THAT(script, HasSubstr("'--rules=[Rules]:PATH:_files'"));
    EXPECT_THAT(script, HasSubstr("'--format=[How]:WORD:(one two)'"));
    EXPECT_THAT(script, HasSubstr("'*:LOG:_files'"));
    EXPECT_THAT(script, HasSubstr("inner) _stint_outer_inner ;;"));
}

TEST(Completions, FishQuotesWhatIsItsOwn) {
    const std::string script = fish_completion(program());
    EXPECT_THAT(script, HasSubstr(R"(complete -c stint -n '__stint_at ' -s h -l help -d 'It\'s [this]: a\\b')"));
    EXPECT_THAT(script, HasSubstr(R"(complete -c stint -n '__stint_at ' -a play -d 'Play: it\'s so')"));
    EXPECT_THAT(script, HasSubstr("complete -c stint -n '__stint_in play' -l rules -r -F -d 'Rules'"));
    EXPECT_THAT(script, HasSubstr("complete -c stint -n '__stint_in play' -l format -x -a 'one two' -d 'How'"));
    EXPECT_THAT(script, HasSubstr("complete -c stint -n '__stint_in play' -F\n"));
    EXPECT_THAT(script, HasSubstr("complete -c stint -n '__stint_at outer' -a inner -d 'Is in it'"));
}

}  // namespace
}  // namespace stint::inline v0::cli
