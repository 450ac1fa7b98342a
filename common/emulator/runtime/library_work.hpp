// SPDX-License-Identifier: MIT
// Runs the work of a library that is queued in a stream (emulator/library_work.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include <emulator/for_libraries/library_work.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/emulator/runtime/work.hpp"

namespace emulator {

// Reads and writes device memory, as a kernel does. A graph may run it many times.
class LibraryWork final : public Work {
  public:
    // `library_function` is a literal.
    LibraryWork(const char* library_function, std::vector<LibraryRange> outputs,
                std::vector<LibraryRange> inputs, std::function<void()> what)
        : function(library_function),
          written(std::move(outputs)),
          read(std::move(inputs)),
          work(std::move(what)) {}
    // As the kernels that a library launches on a GPU.
    cudaGraphNodeType type() const override { return cudaGraphNodeTypeKernel; }
    std::unique_ptr<Task> make_task(int device) const override;

    // Whether all of it is device memory. If not, that is explained.
    bool uses_device_memory() const;

    const char* function;
    std::vector<LibraryRange> written;
    std::vector<LibraryRange> read;
    std::function<void()> work;
    std::vector<Progress> after;  // what it waits for, beside the work of its stream
};

// Runs what is queued in the stream, without ordering anything after it.
void run_library_work(cudaStream_t stream);

}  // namespace emulator
