// SPDX-License-Identifier: MIT
// Instances of graphs: what a launch runs, and in which order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "common/emulator/runtime/graph.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {

struct Plan;

// A node as a launch runs it. Child graphs lie flat in the plan, between two empty nodes.
struct PlanNode {
    cudaGraphNode_t source = nullptr;  // by which the program names it; nullptr: an end of a child
    std::uint64_t graph = 0;
    std::uint64_t number = 0;
    int device = 0;
    std::shared_ptr<const Work> work;
    std::vector<std::size_t> before;  // indices in the plan
    std::size_t chain = 0;  // a path along edges
    std::uint64_t position = 0;  // in the chain, from 1
    bool is_enabled = true;
    std::vector<std::shared_ptr<Plan>> bodies;  // of a conditional node
};

// Every node comes after those that it depends on; otherwise the order is that of creation.
struct Plan {
    std::vector<PlanNode> nodes;

    PlanNode* find(cudaGraphNode_t source);
};

struct Chain {
    TaskPlace id;  // the last task that is queued
    std::uint64_t length = 0;  // what a launch adds
};

// Throws nothing; the graph has no circle.
std::shared_ptr<Plan> make_plan(const Graph& graph, std::vector<Chain>& chains);

cudaGraphExec_t create_exec(Graph& graph, unsigned long long flags);
cudaGraphExec_t find_exec(cudaGraphExec_t handle);
// Whether an instance was made from the graph.
bool has_exec(const Graph& graph);
void destroy_exec(cudaGraphExec_t exec);
void forget_execs();

// The plan, for a change: launches that have not run keep the old one.
Plan& change_plan(CUgraphExec_st& exec);

// Queues all nodes in the stream.
cudaError_t launch_exec(CUgraphExec_st& exec, Stream& stream);

}  // namespace emulator

struct CUgraphExec_st {
    std::shared_ptr<emulator::Plan> plan;
    std::vector<emulator::Chain> chains;
    emulator::Graph* graph = nullptr;  // a copy of what was instantiated
    unsigned long long flags = 0;
    emulator::Progress last;  // the last launch, which the next one waits for
    emulator::Clock clock;
};
