// SPDX-License-Identifier: MIT
#include <cuda.h>

#include <string_view>

#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"

namespace emulator {
namespace {

struct EntryPoint {
    std::string_view name;
    void* function;
    unsigned int since;  // the first CUDA version that has it
};

template <class Function>
void* address_of(Function* function) {
    return reinterpret_cast<void*>(function);
}

const EntryPoint kEntryPoints[] = {
    {"cuInit", address_of(cuInit), 2000},
    {"cuDriverGetVersion", address_of(cuDriverGetVersion), 2020},
    {"cuDeviceGetCount", address_of(cuDeviceGetCount), 2000},
    {"cuDeviceGet", address_of(cuDeviceGet), 2000},
    {"cuDeviceGetAttribute", address_of(cuDeviceGetAttribute), 2000},
    {"cuDeviceGetName", address_of(cuDeviceGetName), 2000},
    {"cuGetErrorName", address_of(cuGetErrorName), 6000},
    {"cuGetErrorString", address_of(cuGetErrorString), 6000},
    {"cuTensorMapEncodeTiled", address_of(cuTensorMapEncodeTiled), 12000},
    {"cuTensorMapReplaceAddress", address_of(cuTensorMapReplaceAddress), 12000},
};

cudaError_t find_entry_point(const char* caller, const char* symbol, void** function,
                             unsigned int version, cudaDriverEntryPointQueryResult* status) {
    return host_call(caller, [&] {
        if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
        *function = nullptr;
        cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
        for (const EntryPoint& entry : kEntryPoints) {
            if (entry.name != symbol) continue;
            const bool is_old = version < entry.since;
            result = is_old ? cudaDriverEntryPointVersionNotSufficent : cudaDriverEntryPointSuccess;
            if (!is_old) *function = entry.function;
        }
        if (result != cudaDriverEntryPointSuccess) {
            explain("%s: the CPU engine has no %s of CUDA %u.%u", caller, symbol, version / 1000,
                    version % 1000 / 10);
        }
        if (status != nullptr) *status = result;
        return status != nullptr || *function != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
    });
}

}  // namespace
}  // namespace emulator

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                             unsigned int version, unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
    return emulator::find_entry_point("cudaGetDriverEntryPointByVersion", symbol, function, version,
                                      status);
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* status) {
    return emulator::find_entry_point("cudaGetDriverEntryPoint", symbol, function, CUDA_VERSION,
                                      status);
}
