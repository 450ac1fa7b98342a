// SPDX-License-Identifier: MIT
// Merge sort, stage multisort/04: multisort in OpenCL.
// Idea: the same two kernels for any maker's device, and for a CPU. They are text (mergesort.cl),
// compiled in the first set-up for the device of the run (build_ms). The host handles what CUDA
// hides: a context, a queue and the places of the arguments.
// Compared with multisort/03_equal_shares: the host code; in the kernels only qualifiers, types and
// the thread's number. Buffers, grid and launches are those of multisort/03, line by line.
// Limit now: the searches, as in stage multisort/03.
// Not of the thesis: Herrero and Troiani 2024, 3.7, figures 14 to 16; its authors doubt these
// times.
#include "problem/mergesort.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "common/backends/opencl/device.hpp"
#include "mergesort.cl.hpp"
#include "problem/multisort.hpp"

using course::opencl::device_of, course::opencl::Device;
using course::opencl::milliseconds_between, course::opencl::milliseconds_of;
using mergesort::blocks_for, mergesort::multisort_work;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

// Kernels with the types of their arguments: a call enqueues the kernel.
using InsertionSortKernel = cl::KernelFunctor<cl::Buffer, cl_long, cl_long>;
using MergeRunsKernel = cl::KernelFunctor<cl::Buffer, cl::Buffer, cl_long, cl_long, cl_long>;

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const std::int64_t size_i = input.options.integer("--size-i");
    const int threads = static_cast<int>(input.options.integer("--threads"));
    const std::int64_t runs = (count - 1) / size_i + 1;
    const int blocks = blocks_for(runs, threads);
    const std::size_t bytes = input.keys.size_bytes();
    timer.begin(Phase::kSetup);
    Device& device = device_of(timer.backend());
    cl::CommandQueue& queue = device.queue();
    device.check_group_size("--threads", threads);
    const cl::Program& program =
        device.program(mergesort_cl, "-DGROUP_SIZE=" + std::to_string(threads));
    InsertionSortKernel insertion_sort_kernel(program, "insertion_sort_kernel");
    MergeRunsKernel merge_runs_kernel(program, "merge_runs_kernel");
    cl::Buffer d_from = device.buffer<Key>(count), d_to = device.buffer<Key>(count);

    timer.begin(Phase::kCopyIn);
    queue.enqueueWriteBuffer(d_from, CL_BLOCKING, 0, bytes, input.keys.data());

    timer.begin(Phase::kKernels);
    // The queue is in order: a kernel starts after the kernel before it has ended.
    const std::size_t all_threads = static_cast<std::size_t>(blocks) * threads;
    const cl::EnqueueArgs grid(queue, cl::NDRange(all_threads), cl::NDRange(threads));
    const cl::Event runs_sorted = insertion_sort_kernel(grid, d_from, count, size_i);
    cl::Event merged = runs_sorted;
    for (std::int64_t run_shares = 1; run_shares < runs; run_shares *= 2) {
        merged = merge_runs_kernel(grid, d_from, d_to, count, size_i, run_shares);
        std::swap(d_from, d_to);
    }

    timer.begin(Phase::kCopyOut);
    queue.enqueueReadBuffer(d_from, CL_BLOCKING, 0, bytes, output.keys.data());
    timer.end();
    timer.note_grid(blocks, threads);
    timer.declare_work(multisort_work(count, size_i));
    output.report = {{"insertion_sort_ms", milliseconds_of(runs_sorted)},
                     {"merge_ms", milliseconds_between(runs_sorted, merged)},
                     {"build_ms", device.build_ms()}};
}

int main(int argc, char** argv) {
    return mergesort::run_stage(argc, argv, STAGE_NAME, course::opencl::named_errors<sort_keys>,
                                nullptr,
                                {mergesort::size_i_option(2), mergesort::threads_option()});
}
