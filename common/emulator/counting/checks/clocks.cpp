// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/clocks.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "common/emulator/counting/checks/host_memory.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/record/callers.hpp"
#include "common/emulator/runtime/api_call.hpp"

namespace emulator::counting {
namespace {

struct Reading {
    Callers callers;
    std::uint64_t queued = 0;  // the last work that was queued before
};

// A reading after a launch, before the kernel has run. It may be meant: a program that measures how
// long the host takes to launch reads the clock once more after it has waited.
struct Early {
    Reading first;
    Finding finding;
    std::optional<std::uint64_t> waited;  // Reading::queued of such a reading
};

std::optional<Reading>& last_reading() {
    static auto* reading = new std::optional<Reading>;  // never destroyed: see findings.cpp
    return *reading;
}

std::optional<Early>& early() {
    static auto* found = new std::optional<Early>;
    return *found;
}

pthread_t watched_thread;

bool is_same_place(const Callers& a, const Callers& b) {
    return a.count == b.count &&
           std::equal(a.code.begin(), a.code.begin() + a.count, b.code.begin());
}

void report_early() {
    report(std::move(early()->finding));
    early().reset();
}

// What the reading says of an earlier one that came before its kernel had run.
void judge_earlier(const Reading& now) {
    if (!early()) return;
    if (early()->waited) {
        // Without a launch since then, that reading was an end. Otherwise it began a new time.
        if (now.queued == *early()->waited) return early().reset();
        return report_early();
    }
    if (is_same_place(now.callers, early()->first.callers)) return report_early();
    if (!first_queued_kernel(0)) early()->waited = now.queued;
}

}  // namespace

void watch_clocks() { watched_thread = ::pthread_self(); }

void note_clock() {
    if (api_calls > 0 || current_thread != nullptr || in_host_function ||
        ::pthread_equal(::pthread_self(), watched_thread) == 0) {
        return;
    }
    const std::lock_guard lock(runtime_mutex());
    Reading now{running_callers(), last_queued_work()};
    judge_earlier(now);
    const std::optional<Reading> before = std::exchange(last_reading(), now);
    if (!before || early() || is_same_place(now.callers, before->callers)) return;
    const std::optional<std::uint64_t> kernel = first_queued_kernel(before->queued);
    if (!kernel) return;
    Finding finding;
    finding.kind = FindingKind::early_clock;
    finding.kernel = queued_work(*kernel).kernel;
    finding.actors.push_back({-1, 0, now.callers.line(), "reads the clock"});
    finding.what = "but the kernel that it launched at " + line_finder(*kernel)().text() +
                   " has not run: a launch returns at once";
    finding.advice =
        "call cudaDeviceSynchronize() before the second reading, or measure with events";
    early() = {*before, std::move(finding), {}};
}

void report_early_clock() {
    if (early() && !early()->waited) report_early();
    early().reset();
    last_reading().reset();
}

}  // namespace emulator::counting
