// SPDX-License-Identifier: MIT
// The bodies on the device and their steps of leapfrog, as stage limit/01 has them: for stages
// limit/02 to limit/05, which change only how the accelerations are computed.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "04_soa_accelerations/leapfrog.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/nbody.hpp"

namespace nbody {

using course::cuda_check;

class BodySystem {
  public:
    // Allocates. The input must outlive the system.
    explicit BodySystem(const Input& input)
        : input_(input),
          d_bodies_(input.count()),
          h_velocities_(to_lists(input.velocities)),
          h_accelerations_(h_velocities_.size()),
          d_velocities_(h_velocities_.size()),
          d_accelerations_(h_accelerations_.size()) {}

    const float4* bodies() const { return d_bodies_.data(); }
    Lists3 accelerations() { return split(d_accelerations_, input_.count()); }
    // For kernels that add to the accelerations.
    void clear_accelerations() {
        cuda_check(cudaMemset(d_accelerations_.data(), 0, d_accelerations_.bytes()));
    }

    void copy_in() {
        cuda_check(cudaMemcpy(d_bodies_.data(), input_.bodies.data(), d_bodies_.bytes(),
                              cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(d_velocities_.data(), h_velocities_.data(), d_velocities_.bytes(),
                              cudaMemcpyHostToDevice));
    }

    // All steps of the input. Calls compute_accelerations() for the start and for each step. After
    // steps that are due, the state is copied to `output` and written.
    template <class ComputeAccelerations>
    void advance(Output& output, const ComputeAccelerations& compute_accelerations) {
        compute_accelerations();
        for (std::int64_t step = 1; step <= input_.steps; ++step) {
            kick(0.5f * input_.dt);
            drift(input_.dt);
            compute_accelerations();
            kick(0.5f * input_.dt);
            if (output.is_due(step)) {
                copy_state_out(output);
                output.write_step(step);
            }
        }
    }

    void copy_out(Output& output) {
        copy_state_out(output);
        cuda_check(cudaMemcpy(h_accelerations_.data(), d_accelerations_.data(),
                              d_accelerations_.bytes(), cudaMemcpyDeviceToHost));
        from_lists(h_accelerations_, output.accelerations);
    }

  private:
    static constexpr int kThreads = 128;

    int blocks() const { return (input_.count() - 1) / kThreads + 1; }

    void kick(float duration) {
        const Lists3 v = split(d_velocities_, input_.count()), a = accelerations();
        kick_kernel<<<blocks(), kThreads>>>(v.x, v.y, v.z, a.x, a.y, a.z, duration, input_.count());
        cuda_check(cudaGetLastError());
    }

    void drift(float duration) {
        const Lists3 v = split(d_velocities_, input_.count());
        drift_kernel<<<blocks(), kThreads>>>(d_bodies_.data(), v.x, v.y, v.z, duration,
                                             input_.count());
        cuda_check(cudaGetLastError());
    }

    void copy_state_out(Output& output) {
        cuda_check(cudaMemcpy(output.bodies.data(), d_bodies_.data(), d_bodies_.bytes(),
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(h_velocities_.data(), d_velocities_.data(), d_velocities_.bytes(),
                              cudaMemcpyDeviceToHost));
        from_lists(h_velocities_, output.velocities);
    }

    const Input& input_;
    DeviceBuffer<float4> d_bodies_;
    std::vector<float> h_velocities_, h_accelerations_;
    DeviceBuffer<float> d_velocities_, d_accelerations_;
};

}  // namespace nbody
