// SPDX-License-Identifier: MIT
#include "common/sorting/pair_problem.hpp"

#include <memory>
#include <utility>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/parallel_ranges.hpp"

namespace course::sorting {

PairProblem::PairProblem(SortStage stage, SortPairs sort_pairs)
    : SortProblem(std::move(stage)), sort_pairs_(sort_pairs) {}

// The keys, the pairs, the output, two lists of a stage, and a bit for each value.
double PairProblem::host_bytes(std::int64_t n) const { return 28.2 * static_cast<double>(n); }

void PairProblem::prepare(const StageOptions& options, const Backend& backend) {
    const auto refuse = [](std::int64_t count, std::string_view what) {
        if (count > kLargestN) {
            throw UsageError(text(what, ": at most ", kLargestN, " pairs, for values are 32 bits"));
        }
    };
    refuse(options.n, "--n");
    SortProblem::prepare(options, backend);
    refuse(n(), input_name());
    pairs_.resize(static_cast<std::size_t>(n()));
    sorted_.resize(pairs_.size());
    parallel_ranges(n(), [this](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            pairs_[i] = pair_of(input().keys[i], static_cast<Value>(i));
        }
    });
    input_ = {pairs_, input().options, input().seed};
    output_.keys = sorted_;
}

// No value is beside its key: the keys are those of the input, complemented.
void PairProblem::poison_output() {
    parallel_ranges(n(), [this](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) sorted_[i] = ~pairs_[i] ^ Pair { 0xffffffff };
    });
}

void PairProblem::run(PhaseTimer& timer) {
    output_.report.clear();
    sort_pairs_(input_, output_, timer);
}

Verdict PairProblem::verify() { return verify_pairs(input().keys, sorted_); }

void PairProblem::write_output(std::ostream& out, PhaseTimer&) {
    write_pairs(out, sorted_, raw_output());
}

int run_pair_sort(int argc, char** argv, std::string_view stage_name, const SortStage& stage,
                  SortPairs sort_pairs) {
    return run_problem(argc, argv, stage_name,
                       [&] { return std::make_unique<PairProblem>(stage, sort_pairs); });
}

}  // namespace course::sorting
