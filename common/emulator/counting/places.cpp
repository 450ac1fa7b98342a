// SPDX-License-Identifier: MIT
#include "places.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "counters.hpp"
#include "recorder.hpp"

namespace emulator::counting {
namespace {

// An instruction's lines: where it stands, then where each function that was inlined around it was
// called.
using Frames = std::vector<SourceLine>;

std::unordered_map<const void*, Frames>& known_frames() {
    static auto* known = new std::unordered_map<const void*, Frames>;
    return *known;
}

std::uintptr_t load_address() {
    std::uintptr_t base = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            *static_cast<std::uintptr_t*>(result) = info->dlpi_addr;
            return 1;  // the first entry is the executable
        },
        &base);
    return base;
}

SourceLine parse_line(std::string_view text) {
    // "file:line", "file:line (discriminator 2)", "??:?"
    SourceLine parsed;
    text = text.substr(0, text.find('\n'));
    text = text.substr(0, text.find(" (disc"));
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || text.starts_with("??")) return parsed;
    parsed.file = text.substr(0, colon);
    parsed.line = std::atoi(text.data() + colon + 1);
    return parsed;
}

// Asks addr2line, which prints each address before its lines.
void look_up(const std::vector<const void*>& codes) {
    const std::uintptr_t base = load_address();
    std::string command =
        "addr2line -a -i -e /proc/" + std::to_string(::getpid()) + "/exe 2>/dev/null";
    for (const void* code : codes) {
        char number[32];
        // The call lies before its return address.
        std::snprintf(number, sizeof number, " %zx",
                      static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(code) - base - 1));
        command += number;
        known_frames()[code];
    }
    std::FILE* output = ::popen(command.c_str(), "r");
    if (output == nullptr) return;
    std::size_t next = 0;
    Frames* frames = nullptr;
    char line[4096];
    while (std::fgets(line, sizeof line, output) != nullptr) {
        if (std::string_view(line).starts_with("0x")) {
            frames = next < codes.size() ? &known_frames()[codes[next++]] : nullptr;
        } else if (frames != nullptr) {
            frames->push_back(parse_line(line));
        }
    }
    ::pclose(output);
}

const Frames& frames_of(const void* code) {
    const auto found = known_frames().find(code);
    if (found != known_frames().end()) return found->second;
    look_up({code});
    return known_frames()[code];
}

// Neither the engine's own, whose headers stand in for CUDA's, nor the system's.
bool is_program_line(const SourceLine& line) {
    return line.line > 0 && line.file.find("common/emulator/") == std::string::npos &&
           !line.file.starts_with("/usr/");
}

}  // namespace

std::string SourceLine::text() const {
    const std::size_t slash = file.rfind('/');
    const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
    return line == 0 ? "?" : name + ":" + std::to_string(line);
}

void find_lines(const std::vector<const void*>& codes) {
    // The length of a command line is limited.
    constexpr std::size_t kAtOnce = 4000;
    std::vector<const void*> unknown;
    for (const void* code : codes) {
        if (!known_frames().contains(code)) unknown.push_back(code);
    }
    std::sort(unknown.begin(), unknown.end());
    unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
    for (std::size_t first = 0; first < unknown.size(); first += kAtOnce) {
        const std::size_t last = std::min(first + kAtOnce, unknown.size());
        look_up({unknown.begin() + static_cast<std::ptrdiff_t>(first),
                 unknown.begin() + static_cast<std::ptrdiff_t>(last)});
    }
}

SourceLine find_line(const void* code, const std::vector<const void*>& callers) {
    SourceLine innermost;
    const auto look_at = [&](const void* place) {
        for (const SourceLine& line : frames_of(place)) {
            if (innermost.line == 0) innermost = line;
            if (is_program_line(line)) return &line;
        }
        return static_cast<const SourceLine*>(nullptr);
    };
    if (const SourceLine* line = look_at(code)) return *line;
    for (const void* caller : callers) {
        if (const SourceLine* line = look_at(caller)) return *line;
    }
    return innermost;
}

bool in_program_function(const void* code) {
    const Frames& frames = frames_of(code);
    if (frames.empty()) return false;
    const SourceLine& outermost = frames.back();
    return is_program_line(outermost) ||
           outermost.file.find("common/emulator/include/") != std::string::npos;
}

std::vector<const void*> running_callers() {
    if (current_thread == nullptr || current_thread->record == nullptr) return {};
    return callers_of(path_of(current_thread->record->prefix));
}

SourceLine line_of(PlaceId place) {
    if (place == 0) return {};
    const Head head = counting().places[place].head;
    return find_line(code_at(code_of(head)), callers_of(path_of(head)));
}

std::string kernel_of(PlaceId place) {
    const Counting& all = counting();
    return place == 0 ? "" : all.kernels[all.places[place].kernel]->name;
}

}  // namespace emulator::counting
