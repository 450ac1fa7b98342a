// SPDX-License-Identifier: MIT
#include "common/emulator/counting/skipped_line.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>

#include "common/emulator/counting/record/source_lines.hpp"

namespace emulator::counting {
namespace {

bool skipped_any = false;

SourceLine read_skipped_line() {
    const char* const value = std::getenv("EMULATOR_SKIP");
    if (value == nullptr || *value == '\0') return {};
    const std::string text = value;
    const std::size_t colon = text.rfind(':');
    SourceLine line;
    if (colon != std::string::npos) {
        line.file = text.substr(0, colon);
        line.line = std::atoi(text.c_str() + colon + 1);
    }
    if (line.line <= 0) {
        std::fprintf(stderr, "emulator: EMULATOR_SKIP=%s: expected FILE:LINE\n", value);
        std::_Exit(EXIT_FAILURE);  // functions that run at exit would need the settings
    }
    return line;
}

const SourceLine& skipped_line() {
    static const auto* line = new SourceLine(read_skipped_line());  // never destroyed
    return *line;
}

}  // namespace

bool is_skipped(const void* code) {
    const SourceLine& skipped = skipped_line();
    if (skipped.line == 0) return false;
    static auto* known = new std::unordered_map<const void*, bool>;
    const auto [entry, is_new] = known->try_emplace(code, false);
    if (is_new) entry->second = find_line(code).text() == skipped.text();
    skipped_any |= entry->second;
    return entry->second;
}

void warn_if_nothing_skipped() {
    const SourceLine& skipped = skipped_line();
    if (skipped.line == 0 || skipped_any) return;
    std::fprintf(stderr, "emulator: EMULATOR_SKIP=%s: no barrier of that line was reached\n",
                 skipped.text().c_str());
}

}  // namespace emulator::counting
