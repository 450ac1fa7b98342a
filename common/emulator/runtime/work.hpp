// SPDX-License-Identifier: MIT
// What a stream or a node of a graph does: a kernel with its arguments, a copy, a set, a function
// of the host. A stream runs it once; a graph keeps it and runs it at each launch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <emulator/launch.hpp>
#include <memory>
#include <vector>

#include "common/emulator/runtime/queued_work.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {

// Where one end of a copy lies.
enum class Place { pageable, pinned, device, managed, invalid };

// Rows of bytes.
struct Copy {
    char* destination;
    const char* source;
    std::size_t destination_pitch;
    std::size_t source_pitch;
    std::size_t width;
    std::size_t height;
    std::shared_ptr<const std::vector<char>> staged = nullptr;  // holds the source, if not nullptr

    std::size_t destination_bytes() const { return (height - 1) * destination_pitch + width; }
    std::size_t source_bytes() const { return (height - 1) * source_pitch + width; }
};

class Work {
  public:
    virtual ~Work() = default;
    virtual cudaGraphNodeType type() const = 0;
    // A task that does it once, on the device. The observer is told of it now.
    virtual std::unique_ptr<Task> make_task(int device) const = 0;

    // Of a graph's node that allocates memory, before a launch is queued: whether an earlier launch
    // has left the memory allocated. Then what the launch will have done, in this order; and what
    // frees the memory that was left, when the launch runs.
    virtual bool has_left_memory() const { return false; }
    virtual void note_launch_allocates() const {}
    virtual void note_launch_frees() const {}
    virtual void free_left_memory() const {}

    // HostHooks::note_caller() of the call that described it; only for a graph's nodes.
    std::shared_ptr<const void> caller;

  protected:
    QueuedWork describe(WorkKind kind) const {
        QueuedWork work;
        work.kind = kind;
        work.caller = caller;
        return work;
    }
};

template <class Function>
std::unique_ptr<Task> make_task_of(Function function) {
    return std::unique_ptr<Task>(new FunctionTask<Function>(std::move(function)));
}

class KernelWork final : public Work {
  public:
    KernelWork(const LaunchConfiguration& launch_configuration, KernelIdentity identity,
               std::shared_ptr<const KernelCall> kernel_call)
        : configuration(launch_configuration), kernel(identity), call(std::move(kernel_call)) {}
    cudaGraphNodeType type() const override { return cudaGraphNodeTypeKernel; }
    std::unique_ptr<Task> make_task(int device) const override;

    // Of the call, for cudaGraphKernelNodeGetParams(); they live as long as this.
    void** argument_pointers() const;

    LaunchConfiguration configuration;  // its stream is not used
    KernelIdentity kernel;
    std::shared_ptr<const KernelCall> call;

  private:
    mutable std::vector<void*> arguments_;
};

// Slices of rows, one after the other.
class CopyWork final : public Work {
  public:
    cudaGraphNodeType type() const override { return cudaGraphNodeTypeMemcpy; }
    std::unique_ptr<Task> make_task(int device) const override;

    std::vector<Copy> slices;
    Place destination = Place::device;
    Place source = Place::device;
    int variables_of = -1;  // the device, if an end is a __device__ variable
    cudaMemcpy3DParms parameters{};  // for cudaGraphMemcpyNodeGetParams()
};

// Sets elements of 1, 2 or 4 bytes; the width counts elements.
class SetWork final : public Work {
  public:
    explicit SetWork(const cudaMemsetParams& set_parameters)
        : parameters(set_parameters), told(set_parameters) {}
    cudaGraphNodeType type() const override { return cudaGraphNodeTypeMemset; }
    std::unique_ptr<Task> make_task(int device) const override;

    cudaMemsetParams parameters;
    cudaMemsetParams told;  // as the program gave them
};

class HostWork final : public Work {
  public:
    HostWork(cudaHostFn_t host_function, void* data) : parameters{host_function, data} {}
    cudaGraphNodeType type() const override { return cudaGraphNodeTypeHost; }
    std::unique_ptr<Task> make_task(int device) const override;

    cudaHostNodeParams parameters;
};

}  // namespace emulator
