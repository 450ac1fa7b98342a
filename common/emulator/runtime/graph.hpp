// SPDX-License-Identifier: MIT
// Graphs: nodes in the order of their creation, and edges between them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "common/emulator/runtime/work.hpp"

namespace emulator {

using Graph = CUgraph_st;
using GraphNode = CUgraphNode_st;
struct UserObject;

// The value of a conditional handle: device code sets it while a launch runs.
struct Conditional {
    Graph* graph;
    unsigned default_value;
    bool has_default;
    unsigned value;
    bool is_used;  // by a conditional node
};

// nullptr for a handle that is none, or whose object was destroyed.
Graph* find_graph(cudaGraph_t handle);
GraphNode* find_node(cudaGraphNode_t handle);
Conditional* find_conditional(cudaGraphConditionalHandle handle);
cudaGraphConditionalHandle make_conditional(Graph& graph, unsigned default_value, bool has_default);

Graph& create_graph();
void destroy_graph(Graph& graph);
// As cudaDeviceReset() does.
void forget_graphs();
// A copy, with its own copies of child graphs. Its nodes remember the ones that they copy.
Graph& clone_graph(const Graph& graph);

// Adds a node after others of the graph. The work's caller is noted.
GraphNode& add_node(Graph& graph, std::shared_ptr<Work> work, int device,
                    const std::vector<GraphNode*>& dependencies);
void destroy_node(GraphNode& node);
// The graph's checks of dependencies that the program gives: they must be nodes of this graph, each
// given once.
cudaError_t take_dependencies(Graph& graph, const cudaGraphNode_t* handles, std::size_t count,
                              std::vector<GraphNode*>& dependencies);
void add_edge(GraphNode& from, GraphNode& to);
bool remove_edge(GraphNode& from, GraphNode& to);
bool has_edge(const GraphNode& from, const GraphNode& to);
// Whether every node can come after its dependencies.
bool has_circle(const Graph& graph);
// Whether the graph, or a child of it, has a node of this type.
bool has_type(const Graph& graph, cudaGraphNodeType type);

// Nothing, an event's record or wait, a child graph: what only a graph's launch can do.
class StructureWork : public Work {
  public:
    explicit StructureWork(cudaGraphNodeType node_type) : type_(node_type) {}
    cudaGraphNodeType type() const override { return type_; }
    std::unique_ptr<Task> make_task(int) const override {
        return make_task_of([] {});
    }

  private:
    cudaGraphNodeType type_;
};

class EventWork final : public StructureWork {
  public:
    EventWork(cudaGraphNodeType type, std::shared_ptr<CUevent_st> its_event)
        : StructureWork(type), event(std::move(its_event)) {}
    std::unique_ptr<Task> make_task(int device) const override;

    std::shared_ptr<CUevent_st> event;
};

class ConditionalWork final : public StructureWork {
  public:
    explicit ConditionalWork(const cudaConditionalNodeParams& its_parameters)
        : StructureWork(cudaGraphNodeTypeConditional), parameters(its_parameters) {}

    cudaConditionalNodeParams parameters;
};

}  // namespace emulator

struct CUgraphNode_st {
    emulator::Graph* graph = nullptr;
    std::uint64_t number = 0;  // counts the graph's nodes from 0
    int device = 0;
    std::shared_ptr<const emulator::Work> work;
    std::vector<cudaGraphNode_t> dependencies;
    std::vector<cudaGraphNode_t> dependents;
    std::vector<emulator::Graph*> children;  // of a child graph's or a conditional node
    const CUgraphNode_st* original = nullptr;  // that this node copies
};

struct CUgraph_st {
    std::uint64_t id = 0;
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
    std::uint64_t next_number = 0;
    CUgraphNode_st* parent = nullptr;  // of a child graph
    const CUgraph_st* original = nullptr;  // that this graph copies
    std::vector<std::shared_ptr<emulator::UserObject>> objects;
    bool is_capturing = false;
};
