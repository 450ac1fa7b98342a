// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/output.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>

#include "common/emulator/counting/output/json.hpp"
#include "common/emulator/counting/output/report.hpp"
#include "common/emulator/counting/output/table.hpp"
#include "common/emulator/counting/record/sampling.hpp"
#include "common/emulator/process/output_file.hpp"

namespace emulator::counting {
namespace {

constinit bool has_table = true;

std::unique_ptr<OutputFile>& json_file() {
    static auto* file = new std::unique_ptr<OutputFile>;  // never destroyed: see findings.cpp
    return *file;
}

// Not only with a table: the findings are those of the recorded blocks, too.
void print_sampling_note() {
    const auto& kernels = counting().kernels;
    const auto sampled = [](const auto& kernel) { return kernel->is_sampled; };
    if (std::none_of(kernels.begin(), kernels.end(), sampled)) return;
    std::fprintf(stderr,
                 "emulator: this program has more accesses than the budget of %" PRIu64
                 ": some blocks were neither counted nor checked; EMULATOR_BUDGET=0 records all\n",
                 budget());
}

}  // namespace

void choose_counters(const std::string& target) {
    json_file().reset();
    has_table = target.empty();
    if (!has_table && target != "none") json_file() = std::make_unique<OutputFile>(target);
}

void write_counters() {
    print_sampling_note();
    if (OutputFile* const file = json_file().get()) {
        file->write(to_json(make_reports()));
        file->finish();
    } else if (has_table && !counting().kernels.empty()) {
        print_table(stderr, make_reports());
    }
}

}  // namespace emulator::counting
