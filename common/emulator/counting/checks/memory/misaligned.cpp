// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/memory/misaligned.hpp"

#include <string>
#include <utility>

#include "common/emulator/counting/checks/memory/memory_map.hpp"
#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/output/phrases.hpp"
#include "common/emulator/counting/record/paths.hpp"
#include "common/emulator/counting/record/recorder.hpp"
#include "common/emulator/counting/record/source_lines.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/engine/grid.hpp"

namespace emulator::counting {
namespace {

// "byte 120 of allocation 3 (4216 bytes)"
std::string describe_place(const Worker& worker, const Range& range, std::uintptr_t address) {
    if (range.space == Space::shared) return describe_shared(worker, address);
    const std::string owner = describe_address(reinterpret_cast<const void*>(address));
    const std::string byte = "byte " + std::to_string(address - range.begin) + " of ";
    return byte + (owner.starts_with("in allocation") ? owner.substr(3) : "a variable");
}

}  // namespace

void check_misaligned(std::uintptr_t address, unsigned size, Operation operation,
                      const void* code) {
    const bool is_pair = size == 16 && !copies_a_vector(code);
    if (is_pair && address % 8 == 0) return;
    Worker& worker = *worker_of_running_block();
    const std::string wanted = std::to_string(is_pair ? 8 : size);
    Finding finding;
    finding.kind = FindingKind::misaligned_address;
    finding.kernel = worker.grid().name();
    finding.actors.push_back({worker.block(), current_thread->linear_index,
                              find_line(code, callers_of(running_path())),
                              present_of(operation) + " " + in_bytes(size)});
    finding.what = "at " + describe_place(worker, find_range(worker, address), address) +
                   ", an address that is no multiple of " + wanted + ", where a GPU stops";
    finding.advice = "let each access of this type begin at a multiple of " + wanted +
                     " bytes, or use a smaller type";
    report(std::move(finding));
    worker.grid().fail(cudaErrorMisalignedAddress);
    worker.abandon_block();
}

}  // namespace emulator::counting
