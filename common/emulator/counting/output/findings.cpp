// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/findings.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/emulator/process/errors.hpp"

namespace emulator::counting {
namespace {

// More lines than this would hide the first ones, which the reader should start with.
constexpr std::size_t kMaxPrinted = 20;

struct Findings {
    std::vector<Finding> all;
    std::size_t printed = 0;
    std::size_t quiet = 0;
    std::unordered_map<std::uint64_t, std::size_t> index_of_key;
};

Findings& all_findings() {
    static auto* findings = new Findings;  // never destroyed: static destructors may run kernels
    return *findings;
}

constexpr bool are_in_order() {
    for (std::size_t i = 0; i < std::size(kFindingKinds); ++i) {
        if (kFindingKinds[i].kind != static_cast<FindingKind>(i)) return false;
    }
    return true;
}
static_assert(are_in_order());

std::string name(const Actor& actor) {
    if (!actor.name.empty()) return actor.name;
    if (actor.block < 0) return "the host";
    return "block " + std::to_string(actor.block) + " thread " + std::to_string(actor.thread);
}

// Two threads of one block: the block is named only once.
std::string name(const Actor& actor, const Actor& first) {
    if (!actor.kernel.empty()) return "kernel " + actor.kernel + ", " + name(actor);
    if (actor.block >= 0 && actor.block == first.block) {
        return "thread " + std::to_string(actor.thread);
    }
    return name(actor);
}

std::string text_of(const Finding& finding) {
    std::string text = words_of(finding.kind).label + std::string(": ");
    if (!finding.kernel.empty()) text += "kernel " + finding.kernel + ", ";
    const Actor& first = finding.actors.front();
    text += first.line.text() + ": " + name(first) + " " + first.did;
    if (finding.actors.size() > 1) {
        const Actor& second = finding.actors[1];
        text += " that " + name(second, first) + " " + second.did + " at " + second.line.text();
    }
    if (!finding.what.empty()) text += ", " + finding.what;
    if (!finding.advice.empty()) text += "; " + finding.advice;
    return text + ".";
}

// Threads and blocks differ from one occurrence to the next, so the lines identify a finding.
bool is_same(const Finding& a, const Finding& b) {
    if (a.kind != b.kind || a.kernel != b.kernel || a.actors.size() != b.actors.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.actors.size(); ++i) {
        if (a.actors[i].line.file != b.actors[i].line.file ||
            a.actors[i].line.line != b.actors[i].line.line || a.actors[i].did != b.actors[i].did) {
            return false;
        }
    }
    return true;
}

// The index of the finding in all of them; their number if it is new.
std::size_t find_same(const Finding& finding) {
    const std::vector<Finding>& all = all_findings().all;
    const auto known = std::find_if(all.begin(), all.end(),
                                    [&](const Finding& other) { return is_same(other, finding); });
    return static_cast<std::size_t>(known - all.begin());
}

std::size_t add(Finding finding, bool quietly = false) {
    std::vector<Finding>& all = all_findings().all;
    const std::size_t index = find_same(finding);
    if (index < all.size()) {
        all[index].count += finding.count;
        return index;
    }
    if (quietly) {
        ++all_findings().quiet;
    } else if (all_findings().printed < kMaxPrinted) {
        ++all_findings().printed;
        explain("%s", text_of(finding).c_str());
    }
    all.push_back(std::move(finding));
    return index;
}

}  // namespace

bool is_warning(FindingKind kind) {
    return std::string_view(words_of(kind).label).starts_with("warning");
}

void report(Finding finding) { add(std::move(finding)); }

bool count_if_reported(std::uint64_t key) {
    const auto known = all_findings().index_of_key.find(key);
    if (known == all_findings().index_of_key.end()) return false;
    ++all_findings().all[known->second].count;
    return true;
}

void report(std::uint64_t key, Finding finding) {
    all_findings().index_of_key[key] = add(std::move(finding));
}

void report_quietly(std::uint64_t key, Finding finding) {
    all_findings().index_of_key[key] = add(std::move(finding), true);
}

const std::vector<Finding>& findings() { return all_findings().all; }

void clear_findings() { all_findings() = {}; }

bool has_errors() {
    return std::any_of(findings().begin(), findings().end(),
                       [](const Finding& finding) { return !is_warning(finding.kind); });
}

void print_summary() {
    const std::size_t quiet = all_findings().quiet;
    const std::size_t more = findings().size() - all_findings().printed - quiet;
    if (more > 0) {
        explain("there are %zu more findings; --counters FILE lists all of them", more);
    }
    if (quiet > 0) {
        explain(
            "the same memory has races in %zu more pair%s of lines, which the cure above may end; "
            "--counters FILE lists all of them",
            quiet, quiet == 1 ? "" : "s");
    }
}

}  // namespace emulator::counting
