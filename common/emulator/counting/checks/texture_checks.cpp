// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/texture_checks.hpp"

#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/record/accesses.hpp"
#include "common/emulator/counting/record/recorder.hpp"
#include "common/emulator/device/texture_hooks.hpp"

namespace emulator::counting {
namespace {

void on_access(const void* address, unsigned bytes, bool is_store, const void* code) {
    record_texel(is_store ? EventKind::store : EventKind::load, address, bytes, code);
}

void on_failed(const char* what, const void* code) {
    Worker& worker = *worker_of_running_block();
    {
        const Unrecorded unrecorded;
        Finding finding;
        finding.kind = FindingKind::texture_access;
        finding.kernel = worker.grid().name();
        finding.actors.push_back(
            {worker.block(), current_thread->linear_index, find_line(code), what});
        finding.advice = "check the object, and the function that uses it";
        report(std::move(finding));
    }
    worker.grid().fail(cudaErrorIllegalAddress);
    worker.abandon_block();
}

}  // namespace

void attach_texture_checks() {
    texture_hooks.access = on_access;
    texture_hooks.failed = on_failed;
}

}  // namespace emulator::counting
