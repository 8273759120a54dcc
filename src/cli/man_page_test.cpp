#include "cli/man_page.hpp"

#include <gmock/gmock.h>

namespace stint::inline v0::cli {
namespace {

using ::testing::HasSubstr;

std::string page_of(const OptionText& option, const std::string& footer = "") {
    return man_page({.name = "stint",
                     .help = "Limits",
                     .commands = {{.name = "play", .help = "Play", .footer = footer, .options = {option}}}},
                    "1.2.3");
}

TEST(ManPage, AnOptionSaysAllThatHelpSays) {
    const std::string page = page_of({.names = {"-r", "--rules"},
                                      .value = "PATH",
                                      .help = "Rule file",
                                      .default_value = "a-b",
                                      .variable = "STINT_RULES",
                                      .required = true});
    EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-r\\fR, \\fB\\-\\-rules\\fR \\fIPATH\\fR\nRule file.\nMust be given.\n"
                                "Default: \\fBa\\-b\\fR.\n"
                                "The environment variable \\fBSTINT_RULES\\fR stands in for it.\n"));
    EXPECT_THAT(page, HasSubstr("\"stint 1.2.3\""));
    EXPECT_THAT(page, HasSubstr(".SS stint play\n\\fBstint play\\fR [\\fIOPTION\\fR]...\n"));
}

TEST(ManPage, WhatIsKnownByItsPlaceStandsInTheUsage) {
    EXPECT_THAT(page_of({.value = "LOG", .help = "Logs", .required = true, .repeated = true}),
                HasSubstr("\\fBstint play\\fR \\fILOG\\fR...\n"));
    EXPECT_THAT(page_of({.value = "WORD", .choices = {"one", "two"}, .help = "How"}),
                HasSubstr("\\fBstint play\\fR [\\fBone\\fR|\\fBtwo\\fR]\n"));
}

TEST(ManPage, TextCannotBeARequest) {
    EXPECT_THAT(page_of({.names = {"--a"}, .help = ".hidden a\\b"}), HasSubstr("\n\\&.hidden a\\eb.\n"));
    EXPECT_THAT(page_of({.names = {"--a"}, .help = "'quoted'"}), HasSubstr("\n\\&'quoted'.\n"));
}

TEST(ManPage, ExamplesKeepTheirLines) {
    EXPECT_THAT(page_of({}, "Exit codes: 0.\n\nExamples:\n  stint play\n  .x\nMore."),
                HasSubstr("Exit codes: 0.\n.PP\nExamples:\n.RS 4\n.nf\nstint play\n\\&.x\n.fi\n.RE\nMore.\n"));
}

}  // namespace
}  // namespace stint::inline v0::cli
