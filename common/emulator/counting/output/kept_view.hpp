// SPDX-License-Identifier: MIT
// What is kept of a run for a view (view.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "common/emulator/counting/record/request.hpp"
#include "common/emulator/device/properties/kernel_resources.hpp"

namespace emulator::counting {

struct KeptLane {
    std::uint32_t object;  // index into View::objects
    std::uint64_t offset;
};

struct KeptRequest {
    std::uint64_t number;  // of its instruction's requests, from 1
    std::uint64_t grid;
    std::int64_t block;
    int warp;
    std::uint64_t interval;  // how many barriers the block had passed
    std::uint32_t lanes;
    Cost cost;
    bool found;
    std::vector<KeptLane> places;  // of the lanes that took part, in their order
};

struct KeptInstruction {
    PlaceId place;
    Space space;
    Operation operation;
    std::uint8_t bytes;
    std::uint64_t requests = 0;
    unsigned most_wasted = 0;
    std::size_t worst = 0;  // index of the request with the most waste, if there is waste
    unsigned found = 0;
    std::vector<KeptRequest> kept = {};
    // Of the block whose steps are kept: sectors of global memory, and how many different ones.
    std::uint64_t block_sectors = 0;
    std::unordered_set<std::uintptr_t> different_sectors = {};
};

// Equal steps of a warp, one after the other.
struct KeptSteps {
    std::uint64_t interval;
    PlaceId place;
    std::uint32_t lanes;
    std::uint32_t running;
    std::uint64_t count;
};

struct KeptWarp {
    std::vector<KeptSteps> steps;
    std::uint64_t left_out = 0;  // steps
};

struct KeptShape {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes;  // dynamic
    KernelResources resources;
    std::uint64_t launches = 0;
};

struct KeptKernel {
    std::vector<KeptShape> shapes;
    std::uint64_t other_shapes = 0;  // launches of shapes that were not kept
    std::uint64_t grid = 0;  // the block whose steps are kept; 0: none yet
    std::int64_t block = 0;
    std::vector<KeptWarp> warps;
};

struct KeptObject {
    std::string name;
    std::size_t bytes;
    unsigned base;  // the first address, modulo 128: it decides about sectors and banks
};

struct View {
    std::vector<KeptKernel> kernels;  // as Counting::kernels
    std::vector<KeptInstruction> instructions;
    std::vector<KeptObject> objects;
    std::uint64_t other_instructions = 0;  // requests of instructions that were not kept
};

}  // namespace emulator::counting
