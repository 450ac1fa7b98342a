// SPDX-License-Identifier: MIT
// The driver API's functions by name, for programs that do not link with its library. Part of
// <cuda_runtime_api.h>.
#pragma once

enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0,
    cudaDriverEntryPointSymbolNotFound = 1,
    cudaDriverEntryPointVersionNotSufficent = 2,
};
enum {
    cudaEnableDefault = 0,
    cudaEnableLegacyStream = 1,
    cudaEnablePerThreadDefaultStream = 2,
};

// *function becomes the address of the driver API's function of that name, or nullptr if the engine
// has none. Then *status says so, or, without a status, the result is cudaErrorSymbolNotFound.
// `version`: the first CUDA version whose form of the function is asked for, such as 12000.
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                             unsigned int version, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status = nullptr);
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status = nullptr);
