// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/findings.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/emulator/process/errors.hpp"

namespace emulator::counting {
namespace {

// More lines than this would hide the first ones, which the reader should start with.
constexpr std::size_t kMaxPrinted = 20;

struct Findings {
    std::vector<Finding> all;
    std::unordered_map<std::uint64_t, std::size_t> index_of_key;
};

Findings& all_findings() {
    static auto* findings = new Findings;  // never destroyed: static destructors may run kernels
    return *findings;
}

const char* label(FindingKind kind) {
    switch (kind) {
        case FindingKind::out_of_bounds:
            return "out of bounds";
        case FindingKind::use_after_free:
            return "use after free";
        case FindingKind::uninitialised_shared:
            return "uninitialised shared memory";
        case FindingKind::uninitialised_global:
            return "uninitialised global memory";
        case FindingKind::host_pointer:
            return "host pointer";
        case FindingKind::no_peer_access:
            return "no peer access";
        case FindingKind::race_in_block:
            return "race";
        case FindingKind::race_between_blocks:
            return "race between blocks";
        case FindingKind::race_between_streams:
            return "race between streams";
        case FindingKind::same_value_writes:
            return "warning: writes of the same value";
        case FindingKind::barrier_divergence:
            return "barrier divergence";
        case FindingKind::device_pointer_on_host:
            return "device pointer on the host";
        case FindingKind::missing_synchronisation:
            return "missing synchronisation";
        case FindingKind::never_synchronised:
            return "never synchronised";
        case FindingKind::endless_kernel:
            return "endless kernel";
        case FindingKind::copy_in_flight:
            return "copy in flight";
        case FindingKind::copy_never_awaited:
            return "copy never waited for";
        case FindingKind::missing_proxy_fence:
            return "missing proxy fence";
        case FindingKind::invalid_call:
            return "invalid call";
        case FindingKind::texture_access:
            return "texture";
        case FindingKind::launch_refused:
            return "launch refused";
        case FindingKind::double_free:
            return "double free";
        case FindingKind::wrong_free:
            return "wrong free";
        case FindingKind::memory_leak:
            return "warning: memory leak";
        case FindingKind::barrier_after_end:
            return "warning: barrier after the end of threads";
    }
    return "";
}

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
    std::string text = label(finding.kind) + std::string(": ");
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

std::size_t add(Finding finding) {
    std::vector<Finding>& all = all_findings().all;
    const std::size_t index = find_same(finding);
    if (index < all.size()) {
        all[index].count += finding.count;
        return index;
    }
    if (index < kMaxPrinted) explain("%s", text_of(finding).c_str());
    all.push_back(std::move(finding));
    return index;
}

}  // namespace

bool is_warning(FindingKind kind) {
    return kind == FindingKind::same_value_writes || kind == FindingKind::barrier_after_end ||
           kind == FindingKind::memory_leak;
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

const std::vector<Finding>& findings() { return all_findings().all; }

void clear_findings() { all_findings() = {}; }

bool has_errors() {
    return std::any_of(findings().begin(), findings().end(),
                       [](const Finding& finding) { return !is_warning(finding.kind); });
}

void print_summary() {
    const std::size_t count = findings().size();
    if (count <= kMaxPrinted) return;
    explain("there are %zu more findings; --counters FILE lists all of them", count - kMaxPrinted);
}

}  // namespace emulator::counting
