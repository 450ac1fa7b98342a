// SPDX-License-Identifier: MIT
// Pairs in, the same pairs in the order of their keys out. The keys are those of the other stages
// of a sorting chapter; the value of a pair is the place of its key in the input.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string_view>
#include <vector>

#include "common/harness/problem.hpp"
#include "common/sorting/pairs.hpp"
#include "common/sorting/sort_problem.hpp"

namespace course::sorting {

using PairInput = InputOf<Pair>;  // its `keys` are pairs
using PairOutput = OutputOf<Pair>;
using SortPairs = void (*)(const PairInput&, PairOutput&, PhaseTimer&);

class PairProblem final : public SortProblem {
  public:
    // The values are 32 bits long.
    static constexpr std::int64_t kLargestN = std::int64_t{1} << 32;

    // `stage` says all but the function.
    PairProblem(SortStage stage, SortPairs sort_pairs);

    std::string_view n_help() const override { return "pairs"; }
    double host_bytes(std::int64_t n) const override;
    void prepare(const StageOptions& options, const Backend& backend) override;
    void poison_output() override;
    void run(PhaseTimer& timer) override;
    Verdict verify() override;
    void exchange_result(ResultFile& file) override { file.list(output_.keys); }
    std::vector<ReportField> report() const override { return output_.report; }
    void write_output(std::ostream& out, PhaseTimer& timer) override;

  private:
    SortPairs sort_pairs_;
    std::vector<Pair> pairs_;
    std::vector<Pair> sorted_;
    PairInput input_;
    PairOutput output_;
};

// main() of a stage that sorts pairs. Returns an ExitStatus.
int run_pair_sort(int argc, char** argv, std::string_view stage_name, const SortStage& stage,
                  SortPairs sort_pairs);

}  // namespace course::sorting
