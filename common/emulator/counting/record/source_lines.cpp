// SPDX-License-Identifier: MIT
#include "common/emulator/counting/record/source_lines.hpp"

#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <unordered_map>

namespace emulator::counting {
namespace {

// An instruction's lines: its own line, then the line of the call of each function that was inlined
// around it.
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

// addr2line as a server. It prints each address that it reads, and then the lines of that address.
// Reading the debug information takes longer than any answer, and is done once. The server ends
// when the program ends, because that closes the socket.
class AddressServer {
  public:
    AddressServer() {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
        ::posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
        ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        const std::string program = "/proc/" + std::to_string(::getpid()) + "/exe";
        const char* const words[] = {"addr2line", "-a", "-i", "-e", program.c_str(), nullptr};
        pid_t process = 0;
        const int error = ::posix_spawnp(&process, words[0], &files, nullptr,
                                         const_cast<char* const*>(words), environ);
        ::posix_spawn_file_actions_destroy(&files);
        ::close(ends[1]);
        if (error == 0) answers_ = ::fdopen(ends[0], "r");
        if (answers_ == nullptr) ::close(ends[0]);
    }

    // Calls `answer` with each line of the answers. Without addr2line there is no call.
    template <typename Answer>
    void ask(const std::string& addresses, Answer answer) {
        if (answers_ == nullptr) return;
        const std::string text = addresses + kLast;
        for (std::size_t sent = 0; sent < text.size();) {
            const ssize_t now =
                ::send(::fileno(answers_), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
            if (now <= 0) return;
            sent += static_cast<std::size_t>(now);
        }
        char line[4096];
        bool last = false;
        while (std::fgets(line, sizeof line, answers_) != nullptr) {
            if (last) return;
            const std::string_view said = line;
            last = said.starts_with("0x") && said.find_first_not_of("0x\n") == said.npos;
            if (!last) answer(said);
        }
    }

  private:
    static constexpr const char* kLast = "0\n";  // an address without lines: "??:0"

    std::FILE* answers_ = nullptr;
};

void look_up(const std::vector<const void*>& codes) {
    static auto* server = new AddressServer;
    const std::uintptr_t base = load_address();
    std::string addresses;
    for (const void* code : codes) {
        char number[32];
        // The call lies before its return address.
        std::snprintf(number, sizeof number, "%zx\n",
                      static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(code) - base - 1));
        addresses += number;
        known_frames()[code];
    }
    std::size_t next = 0;
    Frames* frames = nullptr;
    server->ask(addresses, [&](std::string_view line) {
        if (line.starts_with("0x")) {
            frames = next < codes.size() ? &known_frames()[codes[next++]] : nullptr;
        } else if (frames != nullptr) {
            frames->push_back(parse_line(line));
        }
    });
}

const Frames& frames_of(const void* code) {
    const auto found = known_frames().find(code);
    if (found != known_frames().end()) return found->second;
    look_up({code});
    return known_frames()[code];
}

// Whether a file belongs to a folder of the engine. The engine's tests have folders of the same
// names.
bool is_in_engine(const std::string& file, const char* folder) {
    const std::size_t found = file.rfind(folder);
    constexpr std::string_view kTests = "tests/";
    return found != std::string::npos && !std::string_view(file).substr(0, found).ends_with(kTests);
}

// In include/, or in the include/ of a library.
bool is_engine_header(const std::string& file) {
    return is_in_engine(file, "common/emulator/include") ||
           (is_in_engine(file, "common/emulator/libraries/") &&
            file.find("/include/") != std::string::npos);
}

// A program may lie below /usr itself: in containers, /usr/src is usual.
bool is_system_header(const std::string& file) {
    const auto begins = [&](const char* folder) { return file.starts_with(folder); };
    return begins("/usr/include/") || begins("/usr/lib") || begins("/usr/local/include/") ||
           begins("/usr/local/lib") || begins("/usr/local/cuda");
}

// Neither a line of the engine, whose headers replace CUDA's, nor one of the system.
bool is_program_line(const SourceLine& line) {
    return line.line > 0 && !is_in_engine(line.file, "common/emulator/") &&
           !is_system_header(line.file);
}

}  // namespace

std::string SourceLine::text() const {
    const std::size_t slash = file.rfind('/');
    const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
    return line == 0 ? "?" : name + ":" + std::to_string(line);
}

void find_lines(const std::vector<const void*>& codes) {
    // Few enough that all answers fit into the socket's buffer: otherwise both sides could wait for
    // each other.
    constexpr std::size_t kAtOnce = 100;
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

std::vector<SourceLine> find_call_lines(const void* code, const std::vector<const void*>& callers) {
    std::vector<SourceLine> lines;
    const auto add = [&](const void* place) {
        for (const SourceLine& line : frames_of(place)) {
            if (is_program_line(line)) lines.push_back(line);
        }
    };
    add(code);
    for (const void* caller : callers) add(caller);
    return lines;
}

bool in_program_function(const void* code) {
    const Frames& frames = frames_of(code);
    if (frames.empty()) return false;
    const SourceLine& outermost = frames.back();
    return is_program_line(outermost) || is_engine_header(outermost.file);
}

bool copies_a_vector(const void* code) {
    const Frames& frames = frames_of(code);
    return !frames.empty() && frames.front().file.ends_with("/emulator/vector_types.hpp");
}

}  // namespace emulator::counting
