// SPDX-License-Identifier: MIT
// The problem, the oracle and main() of chapter basics.
#include "problem/basics.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <ostream>
#include <string>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/harness/problem.hpp"
#include "common/input/parallel_ranges.hpp"
#include "common/input/splitmix64.hpp"

namespace basics {

using course::text;

constexpr std::int32_t kNotStored = INT32_MIN;  // what a sum holds before a run

const HostMemory kPageableMemory{[](std::size_t bytes) {
                                     void* memory = std::malloc(bytes);
                                     if (memory == nullptr) throw std::bad_alloc();
                                     return memory;
                                 },
                                 [](void* memory) { std::free(memory); }};

Input make_input(std::string_view name, std::int64_t n, std::uint64_t seed,
                 const HostMemory& memory) {
    if (n > kMaxSide) throw course::UsageError(text("--n ", n, ": at most ", kMaxSide));
    Input input;
    input.n = static_cast<int>(n);
    const auto count = static_cast<std::size_t>(input.count());
    input.memory = {memory.allocate(count * sizeof(std::int32_t)), memory.release};
    input.cells = {static_cast<std::int32_t*>(input.memory.get()), count};
    if (name == "largest") {
        std::ranges::fill(input.cells, kLargest);
    } else if (name == "random") {
        // A random number by position, so that all cores may fill the matrix.
        course::parallel_ranges(input.count(), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::uint64_t bits =
                    course::finish_splitmix64(seed + (i + 1) * course::kSplitmix64Step) >> 32;
                const std::uint64_t below = bits * (2 * kLargest + 1) >> 32;
                input.cells[i] = static_cast<std::int32_t>(below) - kLargest;
            }
        });
    } else {
        throw course::UsageError(text("--input ", name, ": there are random and largest"));
    }
    return input;
}

std::int64_t count_wrong(const Input& input, const Output& output) {
    const std::int64_t n = input.n;
    std::vector<std::int64_t> columns(n);
    std::int64_t wrong = 0;
    std::mutex mutex;
    course::parallel_ranges(n, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int64_t> own_columns(n);
        std::int64_t own_wrong = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            std::int64_t row = 0;
            for (std::int64_t j = 0; j < n; ++j) {
                row += input.cells[i * n + j];
                own_columns[j] += input.cells[i * n + j];
            }
            own_wrong += row != output.row_sums[i];
        }
        const std::lock_guard lock(mutex);
        wrong += own_wrong;
        for (std::int64_t j = 0; j < n; ++j) columns[j] += own_columns[j];
    });
    for (std::int64_t j = 0; j < n; ++j) wrong += columns[j] != output.column_sums[j];
    return wrong;
}

std::string first_wrong(const Input& input, const Output& output) {
    const std::int64_t n = input.n;
    const auto difference = [](const char* line, std::int64_t number, std::int32_t sum,
                               std::int64_t right) {
        if (sum == kNotStored) return text(line, ' ', number, " has none, not ", right);
        return text(line, ' ', number, " has ", sum, ", not ", right);
    };
    std::vector<std::int64_t> columns(n);
    for (std::int64_t i = 0; i < n; ++i) {
        std::int64_t row = 0;
        for (std::int64_t j = 0; j < n; ++j) {
            row += input.cells[i * n + j];
            columns[j] += input.cells[i * n + j];
        }
        if (row != output.row_sums[i]) return difference("row", i, output.row_sums[i], row);
    }
    for (std::int64_t j = 0; j < n; ++j) {
        if (columns[j] == output.column_sums[j]) continue;
        return difference("column", j, output.column_sums[j], columns[j]);
    }
    return {};
}

namespace {

class Matrix final : public course::Problem {
  public:
    Matrix(AddCells add_cells, const HostMemory& memory) : add_cells_(add_cells), memory_(memory) {}

    std::string_view chapter() const override { return "basics"; }
    std::string_view summary() const override {
        return "Basics: the sum of each row and each column of a matrix";
    }
    std::string_view n_help() const override { return "rows of the matrix, and columns"; }
    std::string_view input_help() const override { return "random (default), or largest"; }

    std::int64_t default_n(std::string_view engine, bool check) const override {
        if (check) return 1000;
        return engine == "gpu" || engine == "cpu" ? 16'384 : 1024;
    }

    // The matrix, with up to three more columns, and the sums.
    double device_bytes(std::int64_t n) const override {
        const auto side = static_cast<double>(n);
        return 4.0 * side * (side + 5.0);
    }
    // A stage may need the matrix in another kind of memory as well.
    double host_bytes(std::int64_t n) const override { return 2.0 * device_bytes(n); }

    void prepare(const course::StageOptions& options, const course::Backend&) override {
        name_ = options.input.empty() ? "random" : options.input;
        input_ = make_input(name_, options.n, options.seed, memory_);
        output_.row_sums.resize(static_cast<std::size_t>(input_.n));
        output_.column_sums.resize(static_cast<std::size_t>(input_.n));
    }

    std::int64_t n() const override { return input_.n; }
    std::string input_name() const override { return name_; }

    void poison_output() override {
        std::ranges::fill(output_.row_sums, kNotStored);
        std::ranges::fill(output_.column_sums, kNotStored);
    }

    void run(PhaseTimer& timer) override { add_cells_(input_, output_, timer); }

    course::Verdict verify() override {
        const std::int64_t wrong = count_wrong(input_, output_);
        if (wrong > 0) {
            return {false, text(wrong, " of ", 2 * n(),
                                " sums are wrong; the first: ", first_wrong(input_, output_))};
        }
        return {true, text("all ", 2 * n(), " sums are right")};
    }

    void exchange_result(course::ResultFile& file) override {
        file.list(output_.row_sums);
        file.list(output_.column_sums);
    }

    void write_output(std::ostream& out, PhaseTimer&) override {
        for (const std::int32_t sum : output_.row_sums) out << sum << '\n';
        for (const std::int32_t sum : output_.column_sums) out << sum << '\n';
    }

  private:
    AddCells add_cells_;
    HostMemory memory_;
    std::string name_;
    Input input_;
    Output output_;
};

}  // namespace

int run_stage(int argc, char** argv, std::string_view stage_name, AddCells add_cells,
              const HostMemory& memory) {
    return course::run_problem(argc, argv, stage_name,
                               [&] { return std::make_unique<Matrix>(add_cells, memory); });
}

}  // namespace basics
