// SPDX-License-Identifier: MIT
// Launches of kernels, by the host and by device code.
#include <cuda_runtime.h>

#include <memory>
#include <string>
#include <utility>

#include "common/emulator/device/launch_check.hpp"
#include "common/emulator/device/refused_launches.hpp"
#include "common/emulator/engine/device_launch.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/engine/run_grid.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/queued_work.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {

cudaError_t apply_launch_attributes(LaunchConfiguration& configuration,
                                    const cudaLaunchAttribute* attributes, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
        switch (attributes[i].id) {
            case cudaLaunchAttributeIgnore:
            case cudaLaunchAttributePriority:  // hints
            case cudaLaunchAttributeAccessPolicyWindow:
            case cudaLaunchAttributeMemSyncDomain:
            case cudaLaunchAttributeMemSyncDomainMap:
            case cudaLaunchAttributePreferredSharedMemoryCarveout:
                break;
            case cudaLaunchAttributeCooperative:
                configuration.cooperative = attributes[i].val.cooperative != 0;
                break;
            default:
                explain(
                    "cudaLaunchKernelEx: launch attribute %d is not supported by the CPU engine",
                    static_cast<int>(attributes[i].id));
                return record_error(cudaErrorNotSupported);
        }
    }
    return cudaSuccess;
}

int launch_kernel(const LaunchConfiguration& configuration, KernelIdentity kernel,
                  std::unique_ptr<KernelCall> call) {
    if (current_thread != nullptr) {
        return launch_from_device(configuration, kernel, std::move(call));
    }
    return host_call("a kernel launch", [&] {
        const auto refuse = [&](cudaError_t error, const std::string& reason) {
            // Only <<<>>> has a name. The other calls return the error to the program.
            if (kernel.name != nullptr) {
                note_refused_launch(host_reader(), configuration, kernel, error, reason);
            }
            return error;
        };
        const LaunchVerdict verdict = check_launch(configuration, kernel);
        if (verdict.error != cudaSuccess) return refuse(verdict.error, verdict.reason);
        Stream* stream = find_stream(configuration.stream);
        if (stream == nullptr) {
            return refuse(cudaErrorInvalidResourceHandle, "there is no such stream");
        }
        auto grid = std::make_unique<Grid>(configuration, kernel, std::move(call));
        QueuedWork work;
        if (host_hooks.work_queued != nullptr) {
            work.kernel = grid->name();
            work.grid = grid->serial;
        }
        enqueue(*stream, [grid = std::move(grid), pending = PendingWork(work)]() mutable {
            pending.begin();
            run_grid_tree(std::move(grid));
        });
        return cudaSuccess;
    });
}

}  // namespace emulator
