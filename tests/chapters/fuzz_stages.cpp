// SPDX-License-Identifier: MIT
// Random command lines and damaged input files for every chapter, with AddressSanitizer and UBSan.
//     fuzz_stages ROUNDS FOLDER [SEED]
// Each chapter's own main() runs ROUNDS times in FOLDER, with a stage that computes nothing: so the
// result is wrong, or the command line is, or the file. It must end with a status that error.hpp
// names, within seconds, and each line on stderr must be short and printable. Without a SEED, every
// run of this program tries the same.
#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "problem/basics.hpp"
#include "problem/distmesh.hpp"
#include "problem/floyd.hpp"
#include "problem/kmeans.hpp"
#include "problem/mergesort.hpp"
#include "problem/montecarlo.hpp"
#include "problem/nbody.hpp"
#include "problem/quicksort.hpp"
#include "problem/storms.hpp"

namespace {

constexpr unsigned kSeconds = 60;  // of one run; the sanitizers make it slow
constexpr std::size_t kLongestLine = 1100;

using Words = std::vector<std::string>;
using Random = std::mt19937_64;

int console = -1;  // the stderr of this program
std::string running;  // the command line, for a report

void say(const std::string& message) {
    const std::string line = message + "\n";
    [[maybe_unused]] const auto written = ::write(console, line.data(), line.size());
}

void report_death() { say("while running: " + running); }

void on_alarm(int) {
    say("longer than " + std::to_string(kSeconds) + " s");
    report_death();
    std::_Exit(1);
}

template <class List>
const auto& pick(const List& list, Random& random) {
    return list[random() % std::size(list)];
}

bool chance(Random& random, unsigned one_in) { return random() % one_in == 0; }

// ---- Chapters

int nothing(int argc, char** argv, std::size_t chapter) {
    const auto stage = [](const auto&, auto&, auto&) {};
    switch (chapter) {
        case 0:
            return distmesh::run_stage(argc, argv, "distmesh/00_fuzz", stage);
        case 1:
            return floyd::run_stage(argc, argv, "floyd/00_fuzz", stage);
        case 2:
            return kmeans::run_stage(argc, argv, "kmeans/00_fuzz", stage);
        case 3:
            return mergesort::run_stage(argc, argv, "mergesort/00_fuzz", stage);
        case 4:
            return montecarlo::run_stage(argc, argv, "montecarlo/00_fuzz", stage, 1u << 30);
        case 5:
            return nbody::run_stage(argc, argv, "nbody/00_fuzz", stage);
        case 6:
            return quicksort::run_stage(argc, argv, "quicksort/00_fuzz", stage);
        case 7:
            return storms::run_stage(argc, argv, "storms/00_fuzz", stage);
        default:
            return basics::run_stage(argc, argv, "basics/00_fuzz", stage);
    }
}
constexpr std::size_t kChapters = 9;

// The exit status; stdout and stderr go to files of these names.
int run(std::size_t chapter, const Words& words) {
    running = "chapter " + std::to_string(chapter);
    for (const std::string& word : words) running += " '" + word.substr(0, 200) + "'";
    std::vector<char*> argv;
    Words copies = words;
    copies.insert(copies.begin(), "fuzz");
    for (std::string& word : copies) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::fflush(nullptr);
    for (const auto& [name, target] : {std::pair("out", 1), std::pair("err", 2)}) {
        const int file = ::open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        ::dup2(file, target);
        ::close(file);
    }
    ::alarm(kSeconds);
    const int status = nothing(static_cast<int>(copies.size()), argv.data(), chapter);
    ::alarm(0);
    std::cout.flush();
    std::fflush(nullptr);
    return status;
}

std::string text_of(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The flags that --help lists, with and without a value.
Words flags_of(std::size_t chapter) {
    run(chapter, {"--help"});
    const std::string help = text_of("out");
    std::set<std::string> flags;
    for (std::size_t at = help.find("\n  "); at != std::string::npos;
         at = help.find("\n  ", at + 1)) {
        const std::size_t begin = help.find("--", at);
        if (begin == std::string::npos || begin > at + 8) continue;
        flags.insert(help.substr(begin, help.find_first_of(" =", begin) - begin));
    }
    flags.erase("--then");  // tried below
    return {flags.begin(), flags.end()};
}

// ---- Files

const char* const kTexts[] = {
    "1 2 3 4 5 6 7\n2 3 4 5 6 7 8\n",
    "0 1 5\n1 2 7\n2 0 -1\n",
    "1.5,2.5\n-3,4e2\n0,0\n",
    "0 10\n5 20.5\n9 1\n",
    "# comment\n\n3\n1 2\n",
    "7 -2147483648 2147483647 0\n",
    "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 5\n2 3 6\n",
    "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n",
    "p sp 3 2\na 1 2 5\na 2 3 6\n",
    "x;y\n1;2\n\"3\";4;\n",
};
const std::string kPieces[] = {
    "",
    "\n",
    "\r\n",
    std::string(1, '\0'),
    " ",
    ",",
    ";",
    "\"",
    "-",
    "1e400",
    "nan",
    "inf",
    "9223372036854775808",
    "1e-320",
    "#",
    "\xff\xfe",
    "\xef\xbb\xbf",
    std::string(3000, '7'),
    std::string(3000, ' '),
    "0x10",
    "--",
    ".",
};

std::string damaged(std::string text, Random& random) {
    for (unsigned damage = random() % 4; damage > 0; --damage) {
        const std::size_t begin = random() % (text.size() + 1);
        switch (random() % 4) {
            case 0:
                text.insert(begin, pick(kPieces, random));
                break;
            case 1:
                text.insert(begin, text.substr(begin, random() % 40));
                break;
            case 2:
                text.erase(begin, random() % 20);
                break;
            default:
                if (begin < text.size()) text[begin] = static_cast<char>(random() % 256);
        }
    }
    return text;
}

// ---- Command lines

// Small sizes, and sizes that no machine has: nothing between, which would take its time.
const std::string kNumbers[] = {"0",
                                "1",
                                "2",
                                "3",
                                "31",
                                "33",
                                "100",
                                "257",
                                "-1",
                                "1e2",
                                "0.5",
                                "1e-9",
                                "1e18",
                                "1e30",
                                "nan",
                                "-inf",
                                "1.5",
                                "",
                                "1,2",
                                "2,,3",
                                "7 ",
                                " 7",
                                "+5",
                                "0x10",
                                "1e",
                                "e5",
                                "1e400",
                                "9223372036854775807",
                                "-9223372036854775808"};
const std::string kWords[] = {"input",   "-",       "missing.txt",  ".",           "",     "none",
                              "random",  "uniform", "first",        "a\nb",        "\x1b", "0,1",
                              "reverse", "circle",  "square:0,0,1", "wing:nan,1,1"};

std::string value(Random& random) {
    if (chance(random, 40)) return std::string(random() % 20'000, 'x');
    return chance(random, 2) ? pick(kNumbers, random) : pick(kWords, random);
}

Words command_line(const Words& flags, Random& random) {
    Words words{"--n",
                chance(random, 4) ? pick(kNumbers, random) : std::to_string(random() % 200 + 1)};
    if (chance(random, 2)) words.push_back("--check");
    for (std::size_t more = random() % 5; more > 0; --more) {
        std::string flag = pick(flags, random);
        if (chance(random, 50)) flag += pick(kPieces, random);
        if (chance(random, 4)) {
            words.push_back(flag + "=" + value(random));
        } else {
            words.push_back(flag);
            if (!chance(random, 3)) words.push_back(value(random));
        }
    }
    if (chance(random, 2)) words.insert(words.end(), {"--input", "input"});
    if (chance(random, 30)) words.push_back("--then");
    return words;
}

bool is_printable(std::string_view text) {
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r') return false;
    }
    return true;
}

// What is wrong with the end of a run; empty: nothing.
std::string fault_of(int status) {
    if (status != 0 && status != 1 && status != 2 && status != 77) {
        return "status " + std::to_string(status);
    }
    const std::string err = text_of("err");
    if (status != 0 && err.empty()) return "no message";
    if (!is_printable(err)) return "a message that cannot be printed";
    for (std::size_t begin = 0; begin < err.size();) {
        const std::size_t end = std::min(err.find('\n', begin), err.size());
        if (end - begin > kLongestLine)
            return "a line of " + std::to_string(end - begin) + " bytes";
        begin = end + 1;
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = std::atoi(argv[1]);
    const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
    if (::chdir(argv[2]) != 0) return 2;
    console = ::dup(2);
    __sanitizer_set_death_callback(report_death);
    std::signal(SIGALRM, on_alarm);
    int faults = 0;
    for (std::size_t chapter = 0; chapter < kChapters; ++chapter) {
        const Words flags = flags_of(chapter);
        Random random(seed * kChapters + chapter + 1);
        int statuses[3] = {};
        for (int round = 0; round < rounds; ++round) {
            std::ofstream("input", std::ios::binary) << damaged(pick(kTexts, random), random);
            const int status = run(chapter, command_line(flags, random));
            if (status >= 0 && status <= 2) ++statuses[status];
            const std::string fault = fault_of(status);
            if (fault.empty()) continue;
            ++faults;
            say(fault);
            report_death();
        }
        say("chapter " + std::to_string(chapter) + ": " + std::to_string(flags.size()) +
            " flags, " + std::to_string(statuses[0]) + " ended with 0, " +
            std::to_string(statuses[1]) + " with 1, " + std::to_string(statuses[2]) + " with 2");
        if (flags.size() < 15 || statuses[1] == 0 || statuses[2] == 0) ++faults;
    }
    return faults == 0 ? 0 : 1;
}
