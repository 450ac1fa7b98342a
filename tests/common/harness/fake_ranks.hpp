// SPDX-License-Identifier: MIT
// One of several ranks, without the others: a test says what these do.
#pragma once

#include <string>

#include "common/ranks/ranks.hpp"

namespace course_test {

class FakeRanks : public course::Ranks {
  public:
    int rank() const override { return number; }
    int count() const override { return 4; }
    std::string parameters() const override { return "ranks=4"; }
    int device(int first) const override { return first + (number > 0 ? 1 : 0); }
    void begin_run() override {
        log += "begin ";
        was_told_ = false;
    }
    void end_run() override { log += "end "; }
    void meet() const override { log += "meet "; }
    void take_largest(std::span<double> values) const override { values.back() += 1000.0; }
    bool speaks() const override { return speaks_; }
    std::string prefix() const override { return "rank " + std::to_string(number) + " of 4: "; }
    bool must_end_all() const override { return !was_told_; }
    void end_all(int status, const std::string& message) const override {
        ended = std::to_string(status) + " " + message;
    }

    bool is_there_failure(bool failed) override {
        ++meetings;
        speaks_ = failed;
        was_told_ = failed || meetings == another_fails_in;
        return was_told_;
    }

    int number = 0;
    int meetings = 0;  // calls of together()
    int another_fails_in = 0;  // this meeting; 0: in none
    mutable std::string log;
    mutable std::string ended;

  private:
    bool speaks_ = false;
    bool was_told_ = false;
};

}  // namespace course_test
