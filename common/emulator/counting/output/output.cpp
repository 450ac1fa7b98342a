// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/emulator/counting/output/json.hpp"
#include "common/emulator/counting/output/report.hpp"
#include "common/emulator/counting/output/table.hpp"

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

}  // namespace

void write_counters(const std::string& target) {
    if (target == "none" || (target.empty() && counting().kernels.empty())) return;
    if (target.empty()) {
        print_table(stderr, make_reports());
    } else {
        write_json(target);
    }
}

}  // namespace emulator::counting
