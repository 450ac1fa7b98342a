// SPDX-License-Identifier: MIT
// Replaces common/sorting/sort_problem.hpp where a stage is compiled for the test of stability: a
// key knows its place in the input, but comparisons ignore it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/harness/phase_timer.hpp"
#include "common/harness/problem.hpp"

namespace course::sorting {

struct Key {
    std::int32_t key, place;
};

inline bool operator<(const Key& a, const Key& b) { return a.key < b.key; }
inline bool operator>(const Key& a, const Key& b) { return b < a; }
inline bool operator<=(const Key& a, const Key& b) { return !(b < a); }
inline bool operator>=(const Key& a, const Key& b) { return !(a < b); }

struct Option {
    std::string name, help;
    std::int64_t value = 0, minimum = 0, maximum = 0;
    std::vector<std::string> choices = {};
    bool at_most_n = false;
};

class Options {
  public:
    explicit Options(std::map<std::string, std::int64_t> values = {}) : values_(values) {}
    std::int64_t integer(const std::string& name) const { return values_.at(name); }

  private:
    std::map<std::string, std::int64_t> values_;
};

struct Input {
    std::span<const Key> keys;
    Options options;
    std::uint64_t seed = 1;

    std::int64_t count() const { return static_cast<std::int64_t>(keys.size()); }
};

struct Output {
    std::span<Key> keys;
    std::vector<ReportField> report;
};

using SortKeys = void (*)(const Input&, Output&, PhaseTimer&);
using LargestN = std::int64_t (*)();

}  // namespace course::sorting

template <>
struct std::numeric_limits<course::sorting::Key> {
    static constexpr course::sorting::Key max() {
        return {numeric_limits<std::int32_t>::max(), numeric_limits<std::int32_t>::max()};
    }
};
