// SPDX-License-Identifier: MIT
// The memory of a triangulation on the device, and launches of kernels whose blocks wait for each
// other.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/edge_flips.cuh"

namespace distmesh {

using course::cuda_check, course::DeviceBuffer;

// How many blocks of a kernel the device holds at once: no more may wait for each other.
template <typename Kernel>
std::int64_t resident_blocks(Kernel kernel) {
    int device = 0, multiprocessors = 0, blocks = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kBlockSize, 0));
    return std::int64_t{multiprocessors} * blocks;
}

// A thread for each of `threads`, or as many as may wait for each other, who take several each.
// Returns the blocks.
template <typename Kernel, typename... Arguments>
std::int64_t launch_resident(Kernel kernel, std::int64_t most_blocks, std::int64_t threads,
                             Arguments... arguments) {
    const std::int64_t blocks = std::min((threads + kBlockSize - 1) / kBlockSize, most_blocks);
    void* pointers[] = {&arguments...};
    cuda_check(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                           dim3(kBlockSize), pointers));
    return blocks;
}

// The points of a mesh and their triangulation on the device, for as long as the host does not
// triangulate anew.
class DeviceMesh {
  public:
    // Its bars are summed by `sums` blocks and listed by `totals`.
    DeviceMesh(const Mesh& mesh, const HalfEdges& half_edges, const Input& input, std::int64_t sums,
               std::int64_t totals)
        : edge_count(half_edges.edge_count()),
          input_(input),
          count_(mesh.count()),
          triangle_count_(half_edges.triangle_count()),
          vertices_(static_cast<std::int64_t>(input.vertices.size())),
          points_(count_),
          triangulated_(count_),
          pushes_(edge_count),
          lengths_(edge_count),
          wanted_(edge_count),
          sums_(sums),
          statuses_(2),
          crowded_(count_),
          bars_(edge_count),
          offsets_(count_ + 1),
          list_(2 * edge_count),
          corners_(3 * triangle_count_),
          twins_(3 * triangle_count_),
          edges_(3 * triangle_count_),
          inside_(triangle_count_),
          leaving_(count_),
          totals_(totals),
          claims_(triangle_count_),
          wishes_(edge_count),
          wished_(2),
          answer_(1) {}

    void copy_in(const Mesh& mesh, const HalfEdges& half_edges) {
        to_device(vertices_, input_.vertices.data());
        to_device(points_, mesh.points.data());
        to_device(corners_, half_edges.corners.data());
        to_device(twins_, half_edges.twins.data());
        to_device(edges_, half_edges.edges.data());
    }

    // Before a triangulation is repaired, listed and iterated.
    void clear() {
        set(claims_, 0xff);
        set(wished_, 0);
        set(answer_, 0);
        set(statuses_, 0);
        set(crowded_, 0);
        cuda_check(cudaMemcpyAsync(triangulated_.data(), points_.data(), points_.bytes(),
                                   cudaMemcpyDeviceToDevice));
    }

    Answer copy_out_answer() const {
        Answer answer;
        to_host(&answer, answer_);
        return answer;
    }

    void copy_out_points(Mesh& mesh) const { to_host(mesh.points.data(), points_); }

    // What Mesh::triangulate() must know of a mesh at rest.
    void copy_out(Mesh& mesh) const {
        std::vector<Point> triangulated(count_);
        std::vector<int> inside(triangle_count_);
        std::vector<Triangle> all(triangle_count_), triangles;
        to_host(triangulated.data(), triangulated_);
        to_host(inside.data(), inside_);
        to_host(all.data(), corners_);
        for (std::size_t t = 0; t < all.size(); ++t) {
            if (inside[t] != 0) triangles.push_back(all[t]);
        }
        copy_out_points(mesh);
        mesh.take_back(std::move(triangulated), std::move(triangles));
    }

    void drop_crowded(Mesh& mesh) const {
        std::vector<std::int32_t> crowded(count_);
        to_host(crowded.data(), crowded_);
        mesh.drop(crowded);
    }

    Triangulation triangulation() {
        return {.corners = corners_.data(),
                .twins = twins_.data(),
                .edges = edges_.data(),
                .claims = claims_.data(),
                .wishes = wishes_.data(),
                .inside = inside_.data(),
                .leaving = leaving_.data(),
                .totals = totals_.data(),
                .bars = bars_.data(),
                .offsets = offsets_.data(),
                .list = list_.data(),
                .wished = wished_.data(),
                .answer = answer_.data(),
                .triangle_count = triangle_count_};
    }

    // The iterations that are next.
    Loop loop(const Mesh& mesh) {
        Domain domain = input_.domain;
        domain.vertices = vertices_.data();
        return {.points = points_.data(),
                .triangulated = triangulated_.data(),
                .bars = bars_.data(),
                .offsets = offsets_.data(),
                .list = list_.data(),
                .lengths = lengths_.data(),
                .wanted = wanted_.data(),
                .pushes = pushes_.data(),
                .crowded = crowded_.data(),
                .sums = sums_.data(),
                .statuses = statuses_.data(),
                .progress = &answer_.data()->progress,
                .count = count_,
                .bar_count = edge_count,
                .fixed = input_.fixed,
                .first = mesh.iterations(),
                .most = mesh.iterations_left(),
                .domain = domain,
                .h0 = input_.h0};
    }

    const std::int64_t edge_count;

  private:
    template <typename T>
    static void to_device(DeviceBuffer<T>& to, const void* from) {
        cuda_check(cudaMemcpy(to.data(), from, to.bytes(), cudaMemcpyHostToDevice));
    }
    template <typename T>
    static void to_host(void* to, const DeviceBuffer<T>& from) {
        cuda_check(cudaMemcpy(to, from.data(), from.bytes(), cudaMemcpyDeviceToHost));
    }
    template <typename T>
    static void set(DeviceBuffer<T>& buffer, int byte) {
        cuda_check(cudaMemsetAsync(buffer.data(), byte, buffer.bytes()));
    }

    const Input& input_;
    const std::int64_t count_, triangle_count_;
    DeviceBuffer<Point> vertices_;
    DeviceBuffer<double2> points_, triangulated_, pushes_;
    DeviceBuffer<double> lengths_, wanted_;
    DeviceBuffer<Sums> sums_;
    DeviceBuffer<Status> statuses_;
    DeviceBuffer<int> crowded_;
    DeviceBuffer<int2> bars_;
    DeviceBuffer<int> offsets_, list_, corners_, twins_, edges_, inside_, leaving_, totals_;
    DeviceBuffer<unsigned long long> claims_;
    DeviceBuffer<int> wishes_, wished_;
    DeviceBuffer<Answer> answer_;
};

}  // namespace distmesh
