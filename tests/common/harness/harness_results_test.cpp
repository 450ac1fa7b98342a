// SPDX-License-Identifier: MIT
// Results that one process saves and another one judges.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "common/base/error.hpp"
#include "tests/common/harness/harness_fixture.hpp"

namespace {

class SavedResults : public course_test::Harness {
  protected:
    std::string path() const { return folder / "result"; }
    void save() { ASSERT_EQ(run({"--n", "5", "--save-result", path()}), course::kExitOk) << err; }

    std::string bytes() const {
        std::ifstream in(path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void rewrite(const std::string& text) const { std::ofstream(path(), std::ios::binary) << text; }

    void expect_refused(const std::string& part, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"--n", "5", "--judge-result", path()});
        EXPECT_EQ(run(more), course::kExitFailure);
        EXPECT_NE(err.find(part), std::string::npos) << err;
        EXPECT_EQ(out, "");
    }
};

TEST_F(SavedResults, AreJudgedWithoutARun) {
    save();
    EXPECT_EQ(out, "");
    EXPECT_EQ(script.calls, "prepare poison run exchange ");  // nothing is verified
    script.calls.clear();
    script.extra.clear();
    EXPECT_EQ(run({"--n", "5", "--judge-result", path()}), course::kExitOk) << err;
    EXPECT_EQ(script.calls, "prepare poison exchange verify ");
    EXPECT_EQ(script.extra, (std::vector{3, 1, 4}));
    EXPECT_TRUE(out.starts_with("OK doubling/01_plain n=5 largest error 0")) << out;
}

TEST_F(SavedResults, OfAWrongRunAreSavedAndRefused) {
    script.wrong_in_run = 1;
    script.wrong_value = 17.0;
    save();
    expect_refused("WRONG RESULT in " + path() + ": largest error 14");
}

TEST_F(SavedResults, OfARunThatWroteNothingAreRefused) {
    script.forgets_to_write_in_run = 1;
    save();
    expect_refused("WRONG RESULT");
}

TEST_F(SavedResults, OfAnotherSizeAreRefused) {
    ASSERT_EQ(run({"--n", "4", "--save-result", path()}), course::kExitOk);
    expect_refused(": a list of 4 elements; the input asks for 5");
}

TEST_F(SavedResults, ThatAreDamagedAreRefused) {
    save();
    const std::string right = bytes();
    ASSERT_EQ(right.size(), 8 + 5 * 8 + 1 + 8 + 3 * 4u);
    for (std::size_t size = 0; size < right.size(); ++size) {
        rewrite(right.substr(0, size));
        expect_refused(": ends too early");
    }
    rewrite(right + "x");
    expect_refused(": 1 bytes more than the result has");
    std::string changed = right;
    changed[48] = 2;
    rewrite(changed);
    expect_refused(": a flag is 2, not 0 or 1");
    // A count that would need 2^60 bytes is refused before anything is allocated.
    changed = right;
    changed[49 + 7] = 0x10;
    rewrite(changed);
    expect_refused(": ends too early");
}

TEST_F(SavedResults, ThatAreMissingAreRefused) {
    expect_refused("No such file or directory");
    std::filesystem::create_directory(path());
    expect_refused("is not a regular file");
}

TEST_F(SavedResults, LeaveNoFileAfterAFailure) {
    script.on_run = [] { throw std::runtime_error("broken"); };
    EXPECT_EQ(run({"--n", "5", "--save-result", path()}), course::kExitFailure);
    EXPECT_EQ(folder.count(), 0);
}

TEST_F(SavedResults, CannotBeCombinedWithOtherOutputs) {
    for (const std::string flag : {"--save-result", "--judge-result"}) {
        for (const std::vector<std::string>& other : {std::vector<std::string>{"--check"},
                                                      {"--profile"},
                                                      {"--csv", path()},
                                                      {"--json", path()},
                                                      {"--output", path()},
                                                      {"--halves", path()}}) {
            std::vector<std::string> words = {flag, path()};
            words.insert(words.end(), other.begin(), other.end());
            EXPECT_EQ(run(words), course::kExitUsage);
            EXPECT_NE(err.find(flag + " and " + other[0] + " cannot be combined"),
                      std::string::npos)
                << err;
        }
        EXPECT_EQ(run({flag, "-"}), course::kExitUsage);
        EXPECT_EQ(run({flag, path(), "--n", "1,2"}), course::kExitUsage);
    }
    EXPECT_EQ(run({"--save-result", path(), "--judge-result", path()}), course::kExitUsage);
}

}  // namespace
