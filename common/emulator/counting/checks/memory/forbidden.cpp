// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/memory/forbidden.hpp"

#include <algorithm>
#include <emulator/checks/own_checks.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/phrases.hpp"
#include "common/emulator/counting/record/paths.hpp"
#include "common/emulator/counting/record/recorder.hpp"
#include "common/emulator/counting/record/source_lines.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/process/executable.hpp"

namespace emulator::counting {
namespace {

Finding by_running_thread(Worker& worker, FindingKind kind, std::string did, SourceLine line) {
    Finding finding;
    finding.kind = kind;
    finding.kernel = worker.grid().name();
    finding.actors.push_back(
        {worker.block(), current_thread->linear_index, std::move(line), std::move(did)});
    return finding;
}

std::string variable_of(const Range& range) {
    const auto& variables = data_variables();
    const auto found =
        std::find_if(variables.begin(), variables.end(),
                     [&](const Variable& variable) { return variable.address == range.begin; });
    return found == variables.end() ? "a constant" : found->name;
}

std::vector<Finding>& waiting_findings() {
    static auto* findings = new std::vector<Finding>;  // never destroyed: see findings.cpp
    return *findings;
}

[[noreturn]] void report_and_end_block(Worker& worker, Finding finding) {
    const bool waits = must_wait(worker);
    if (waits) {
        report_later(std::move(finding));
    } else {
        report(std::move(finding));
    }
    end_block(worker, waits);
}

}  // namespace

bool must_wait(Worker& worker) {
    return has_read_unwritten != nullptr && has_read_unwritten(worker);
}

void report_later(Finding finding) { waiting_findings().push_back(std::move(finding)); }

void report_waiting() {
    for (Finding& finding : std::exchange(waiting_findings(), {})) report(std::move(finding));
}

void end_block(Worker& worker, bool waits) {
    worker.grid().fail(cudaErrorIllegalAddress);
    while (waits) worker.suspend();
    worker.abandon_block();
}

void report_constant_write(Worker& worker, const Range& range, unsigned size, Operation operation,
                           const void* code) {
    Finding finding = by_running_thread(
        worker, FindingKind::constant_write,
        present_of(operation) + " " + in_bytes(size) + " of " + variable_of(range),
        find_line(code));
    finding.what = "which no kernel may change";
    finding.advice =
        "make it a __device__ variable, or let the host write it by cudaMemcpyToSymbol()";
    report_and_end_block(worker, std::move(finding));
}

void report_foreign_local(unsigned size, Operation operation, const void* code) {
    Worker& worker = *worker_of_running_block();
    Finding finding = by_running_thread(
        worker, FindingKind::out_of_bounds,
        present_of(operation) + " " + in_bytes(size) + " of another thread's local memory",
        find_line(code));
    finding.what = "which only that thread reaches";
    finding.advice = "exchange the values through shared memory, or by __shfl_sync()";
    report_and_end_block(worker, std::move(finding));
}

void report_stale_load(Worker& worker, int thread, PlaceId place, std::int64_t writing_block,
                       const Cell& cell) {
    constexpr std::uint64_t kOfStaleLoads = 1 << 8;
    const std::uint64_t key =
        std::uint64_t{place} << 32 | std::uint64_t{cell.write_place} << 16 | kOfStaleLoads;
    if (count_if_reported(key)) return;
    Finding finding;
    finding.kind = FindingKind::stale_load;
    finding.kernel = worker.grid().name();
    finding.actors = {{worker.block(), thread, line_of(place), "reads global memory by __ldg()"},
                      {writing_block, cell.write.thread(), line_of(cell.write_place), "wrote"}};
    finding.what = "in the same kernel: the read-only cache may still hold the old value";
    finding.advice = "load it without __ldg(), or in a later kernel";
    report(key, std::move(finding));
}

}  // namespace emulator::counting

namespace emulator {

void refuse_local_index(const char* array, long long index, std::size_t elements) {
    using namespace counting;
    if (!is_recording()) return;
    const void* const code = __builtin_return_address(0);
    const std::uint16_t path = running_path();
    const Unrecorded unrecorded;
    Worker& worker = *worker_of_running_block();
    Finding finding =
        by_running_thread(worker, FindingKind::out_of_bounds,
                          "uses element " + std::to_string(index) + " of its local array " + array,
                          find_line(code, callers_of(path)));
    finding.what = "which has " + std::to_string(elements) + (elements == 1 ? "" : " elements");
    finding.advice = "check the index against the size";
    report_and_end_block(worker, std::move(finding));
}

}  // namespace emulator
