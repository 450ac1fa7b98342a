// SPDX-License-Identifier: MIT
#include "common/harness/command_line.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "common/base/error.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course::UsageError;

class CommandLineTest : public testing::Test {
  protected:
    CommandLineTest() {
        line_.add_integer("--n", n_, "problem size");
        line_.add_integers("--sizes", sizes_, "problem sizes");
        line_.add_integer("--repeats", repeats_, "timed runs", 1, 1000);
        line_.add_unsigned("--seed", seed_, "seed");
        line_.add_real("--dt", dt_, "time step", 0.0);
        line_.add_text("--input", input_, "input");
        line_.add_flag("--check", check_, "check");
        line_.add_choice("--memory", memory_, {"pinned", "pageable"}, "host memory");
    }

    std::optional<std::string> parse(std::vector<const char*> words) {
        words.insert(words.begin(), "program");
        return line_.parse(static_cast<int>(words.size()), words.data());
    }

    std::string fault(const std::vector<const char*>& words) {
        return course_test::message_of<UsageError>([&] { parse(words); });
    }

    course::CommandLine line_{"program", "what it does", "v7"};
    std::int64_t n_ = 0;
    std::vector<std::int64_t> sizes_ = {7};
    int repeats_ = 5;
    std::uint64_t seed_ = 1;
    double dt_ = 0.01;
    std::string input_;
    bool check_ = false;
    std::string memory_ = "pinned";
};

TEST_F(CommandLineTest, DefaultsStay) {
    EXPECT_FALSE(parse({}));
    EXPECT_EQ(n_, 0);
    EXPECT_EQ(repeats_, 5);
    EXPECT_EQ(dt_, 0.01);
    EXPECT_FALSE(line_.given("--n"));
}

TEST_F(CommandLineTest, RunsMayBeTheLargestIntegers) {
    course::StageOptions options;
    options.warmup = options.repeats = std::numeric_limits<int>::max();
    EXPECT_EQ(options.runs(), 4294967294);
}

TEST_F(CommandLineTest, AFlagIsNoValueOfAnotherFlag) {
    EXPECT_EQ(fault({"--input", "--check"}),
              "--input is followed by the flag --check in place of a value (a file of this name: "
              "./--check)");
    EXPECT_NE(fault({"--input", "--seed", "3"}).find("the flag --seed"), std::string::npos);
    EXPECT_NE(fault({"--input=--help"}).find("the flag --help"), std::string::npos);
    EXPECT_NE(fault({"--input", "--seed=3"}).find("the flag --seed"), std::string::npos);
    EXPECT_NE(fault({"--input", "-h"}).find("the flag -h"), std::string::npos);
    EXPECT_FALSE(parse({"--input", "-"}));
    EXPECT_FALSE(parse({"--input", "./--check"}));
    EXPECT_EQ(input_, "./--check");
    EXPECT_FALSE(parse({"--input", "--no-flag-of-this-program"}));
}

TEST_F(CommandLineTest, AMessageIsOneLine) {
    for (const std::vector<const char*>& words : std::vector<std::vector<const char*>>{
             {"left\nover"}, {"--n", "1\n2"}, {"--no\nflag"}, {"--memory", "a\nb"}, {"--n\n=3"}}) {
        const std::string said = fault(words);
        EXPECT_FALSE(said.empty());
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
}

TEST_F(CommandLineTest, AListOfIntegersIsReadInItsOrder) {
    EXPECT_FALSE(parse({}));
    EXPECT_EQ(sizes_, std::vector<std::int64_t>{7});
    EXPECT_FALSE(parse({"--sizes", "31,1e3,2"}));
    EXPECT_EQ(sizes_, (std::vector<std::int64_t>{31, 1000, 2}));
    EXPECT_FALSE(parse({"--sizes", "5"}));
    EXPECT_EQ(sizes_, std::vector<std::int64_t>{5});
    EXPECT_EQ(fault({"--sizes", "1,x"}), "--sizes 'x' is not a number");
    EXPECT_EQ(fault({"--sizes", "-1,3"}), "--sizes '-1' is below 1");
    EXPECT_EQ(fault({"--sizes", ",3"}), "--sizes '' is empty; a number is expected");
}

TEST_F(CommandLineTest, EachTypeIsRead) {
    EXPECT_FALSE(parse({"--n", "1e10", "--repeats=7", "--seed", "18446744073709551615", "--dt",
                        "2.5e-3", "--input", "-", "--check", "--memory", "pageable"}));
    EXPECT_EQ(n_, 10000000000);
    EXPECT_EQ(repeats_, 7);
    EXPECT_EQ(seed_, 18446744073709551615ULL);
    EXPECT_EQ(dt_, 2.5e-3);
    EXPECT_EQ(input_, "-");
    EXPECT_TRUE(check_);
    EXPECT_EQ(memory_, "pageable");
    EXPECT_TRUE(line_.given("--n"));
}

TEST_F(CommandLineTest, EachFaultNamesFlagAndValue) {
    EXPECT_EQ(fault({"--n", "0"}), "--n '0' is below 1");
    EXPECT_EQ(fault({"--n", "-5"}), "--n '-5' is below 1");
    EXPECT_EQ(fault({"--n=-5"}), "--n '-5' is below 1");
    EXPECT_EQ(fault({"--n", "abc"}), "--n 'abc' is not a number");
    EXPECT_EQ(fault({"--n", "1.5"}), "--n '1.5' is not an integer");
    EXPECT_EQ(fault({"--n", "9223372036854775808"}), "--n '9223372036854775808' is out of range");
    EXPECT_EQ(fault({"--n", ""}), "--n '' is empty; a number is expected");
    EXPECT_EQ(fault({"--repeats", "0"}), "--repeats '0' is below 1");
    EXPECT_EQ(fault({"--repeats", "1001"}), "--repeats '1001' is above 1000");
    EXPECT_EQ(fault({"--repeats", "1e10"}), "--repeats '1e10' is above 1000");
    EXPECT_EQ(fault({"--seed", "-1"}), "--seed '-1' is out of range");
    EXPECT_EQ(fault({"--dt", "nan"}), "--dt 'nan' is not finite");
    EXPECT_EQ(fault({"--dt", "-1"}), "--dt '-1' is below 0");
    EXPECT_EQ(fault({"--dt", "fast"}), "--dt 'fast' is not a number");
    EXPECT_EQ(fault({"--input", ""}), "--input '' is empty");
    EXPECT_EQ(fault({"--memory", "paged"}), "--memory 'paged' is not one of pinned, pageable");
}

TEST_F(CommandLineTest, WordsThatAreNoFlags) {
    EXPECT_EQ(fault({"--bogus"}), "not a flag of this program: --bogus (--help lists them)");
    EXPECT_EQ(fault({"--bogus", "3", "word"}),
              "not a flag of this program: --bogus 3 word (--help lists them)");
    EXPECT_EQ(fault({"word"}), "not a flag of this program: word (--help lists them)");
    EXPECT_NE(fault({"--chec"}), "");  // no abbreviations
    EXPECT_EQ(fault({"--n"}), "--n: give it once, with one value");
    EXPECT_EQ(fault({"--n", "3", "--n", "4"}), "--n: give it once, with one value");
}

TEST_F(CommandLineTest, HelpAndVersionAreAnswers) {
    const auto help = parse({"--help"});
    ASSERT_TRUE(help);
    for (const char* part : {"what it does", "--n", "problem size", "--repeats", "timed runs",
                             "pinned, pageable", "--version", "Exit status"}) {
        EXPECT_NE(help->find(part), std::string::npos) << part;
    }
    EXPECT_EQ(help->find("INTEGER=0"), std::string::npos);  // no default that cannot be given
    EXPECT_EQ(parse({"--version"}).value_or(""), "program v7\n");
}

}  // namespace
