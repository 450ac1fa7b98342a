// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

#include "common/emulator/runtime/errors.hpp"

namespace emulator {

cudaError_t apply_launch_attributes(LaunchConfiguration& configuration,
                                    const cudaLaunchAttribute* attributes, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
        switch (attributes[i].id) {
            case cudaLaunchAttributeIgnore:
            case cudaLaunchAttributePriority:  // a hint
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

}  // namespace emulator
