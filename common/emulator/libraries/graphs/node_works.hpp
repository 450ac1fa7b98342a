// SPDX-License-Identifier: MIT
// What nodes do, made from the parameters that a program gives. `function` is the caller's name,
// for messages.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "common/emulator/runtime/graph.hpp"

namespace emulator {

cudaError_t make_kernel_work(const char* function, const cudaKernelNodeParams* parameters,
                             std::shared_ptr<Work>& work);
cudaError_t make_copy_work(const char* function, const cudaMemcpy3DParms* parameters,
                           std::shared_ptr<Work>& work);
cudaMemcpy3DParms linear_parameters(void* destination, const void* source, std::size_t bytes,
                                    cudaMemcpyKind kind);
cudaError_t make_set_work(const char* function, const cudaMemsetParams* parameters,
                          std::shared_ptr<Work>& work);
cudaError_t make_host_work(const cudaHostNodeParams* parameters, std::shared_ptr<Work>& work);
cudaError_t make_event_work(cudaGraphNodeType type, cudaEvent_t event, std::shared_ptr<Work>& work);
// Of every kind that needs no graph: the kinds above.
cudaError_t make_work(const char* function, const cudaGraphNodeParams& parameters,
                      std::shared_ptr<Work>& work);

}  // namespace emulator
