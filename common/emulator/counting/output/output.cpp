// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/output.hpp"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/emulator/counting/output/json.hpp"
#include "common/emulator/counting/output/report.hpp"
#include "common/emulator/counting/output/table.hpp"
#include "common/emulator/counting/record/sampling.hpp"

namespace emulator::counting {
namespace {

void write_json(const std::string& path) {
    const std::string text = to_json(make_reports());
    std::FILE* const file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
    bool written = file != nullptr && std::fputs(text.c_str(), file) >= 0;
    if (file != nullptr) {
        written = (path == "-" ? std::fflush(file) : std::fclose(file)) == 0 && written;
    }
    if (!written) {
        std::fprintf(stderr, "emulator: %s: %s\n", path.c_str(), std::strerror(errno));
        std::_Exit(1);
    }
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

void write_counters(const std::string& target) {
    print_sampling_note();
    if (target == "none" || (target.empty() && counting().kernels.empty())) return;
    if (target.empty()) {
        print_table(stderr, make_reports());
    } else {
        write_json(target);
    }
}

}  // namespace emulator::counting
