// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "common/emulator/counting/output/json.hpp"
#include "common/emulator/counting/output/report.hpp"
#include "common/emulator/counting/output/table.hpp"
#include "common/emulator/counting/record/sampling.hpp"

namespace emulator::counting {
namespace {

// Writes beside the file and renames at the end: a full disk leaves the old file. A pipe or a
// device is written directly, and so is a symbolic link, which a rename would replace.
bool write_whole(const std::string& path, const std::string& text) {
    struct stat status {};
    const bool exists = lstat(path.c_str(), &status) == 0;
    if (exists && access(path.c_str(), F_OK) == 0 && access(path.c_str(), W_OK) != 0) return false;
    const bool direct = exists && !S_ISREG(status.st_mode);
    const std::string name = direct ? path : path + "." + std::to_string(::getpid()) + ".partial";
    std::FILE* const file = std::fopen(name.c_str(), "w");
    if (file == nullptr) return false;
    bool written = std::fputs(text.c_str(), file) >= 0;
    written = std::fclose(file) == 0 && written;
    if (direct) return written;
    if (written && std::rename(name.c_str(), path.c_str()) == 0) return true;
    const int error = errno;
    ::unlink(name.c_str());
    errno = error;
    return false;
}

void write_json(const std::string& path) {
    const std::string text = to_json(make_reports());
    const bool written = path == "-"
                             ? std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0
                             : write_whole(path, text);
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
