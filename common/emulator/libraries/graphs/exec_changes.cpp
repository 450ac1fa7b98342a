// SPDX-License-Identifier: MIT
// The API that changes graphs' instances: by another graph, or node by node.
#include <cuda_runtime.h>

#include <algorithm>

#include "common/emulator/libraries/graphs/node_works.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/exec.hpp"

namespace emulator {
namespace {

// An instance keeps the number of dimensions of its sets, and the kinds of memory of its copies
// (measured on an H200).
cudaError_t check_change(const char* function, const Work& old, const Work& now) {
    if (old.type() == cudaGraphNodeTypeMemset) {
        const bool was_flat = static_cast<const SetWork&>(old).parameters.height == 1;
        const bool is_flat = static_cast<const SetWork&>(now).parameters.height == 1;
        if (was_flat == is_flat) return cudaSuccess;
        explain("%s: a set of one row cannot become one of several rows, or the reverse", function);
        return cudaErrorInvalidValue;
    }
    if (old.type() != cudaGraphNodeTypeMemcpy) return cudaSuccess;
    const auto& before = static_cast<const CopyWork&>(old);
    const auto& after = static_cast<const CopyWork&>(now);
    if (before.destination == after.destination && before.source == after.source) {
        return cudaSuccess;
    }
    explain("%s: the kinds of memory of the destination and the source cannot change", function);
    return cudaErrorInvalidValue;
}

// Replaces what a node of the instance does.
template <class Make>
cudaError_t change_node(const char* function, cudaGraphExec_t handle, cudaGraphNode_t node,
                        cudaGraphNodeType type, Make make) {
    return host_call(function, [&] {
        cudaGraphExec_t exec = find_exec(handle);
        if (exec == nullptr) return cudaErrorInvalidValue;
        const PlanNode* found = exec->plan->find(node);
        if (node == nullptr || found == nullptr || found->work->type() != type) {
            return cudaErrorInvalidValue;
        }
        std::shared_ptr<Work> work;
        cudaError_t error = make(work);
        if (error == cudaSuccess) error = check_change(function, *found->work, *work);
        if (error != cudaSuccess) return error;
        work->caller = found->work->caller;
        change_plan(*exec).find(node)->work = std::move(work);
        return cudaSuccess;
    });
}

// What tells why a graph cannot replace another one in its instance.
struct Difference {
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    cudaGraphNode_t node = nullptr;
    cudaGraphNode_t from = nullptr;
};

std::size_t rank_of(const Graph& graph, const GraphNode* node) {
    const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                    [&](const auto& other) { return other.get() == node; });
    return static_cast<std::size_t>(found - graph.nodes.begin());
}

std::vector<std::size_t> ranks(const Graph& graph, const std::vector<cudaGraphNode_t>& nodes) {
    std::vector<std::size_t> result;
    for (const GraphNode* node : nodes) result.push_back(rank_of(graph, node));
    std::sort(result.begin(), result.end());
    return result;
}

// Compares nodes in the order of their creation.
Difference compare(const Graph& old, const Graph& now) {
    if (old.nodes.size() != now.nodes.size()) {
        return {cudaGraphExecUpdateErrorTopologyChanged};
    }
    for (std::size_t i = 0; i < now.nodes.size(); ++i) {
        GraphNode* const node = now.nodes[i].get();
        const GraphNode& before = *old.nodes[i];
        const std::vector<std::size_t> had = ranks(old, before.dependencies);
        const std::vector<std::size_t> has = ranks(now, node->dependencies);
        if (had != has) {
            cudaGraphNode_t from = nullptr;
            for (cudaGraphNode_t dependency : node->dependencies) {
                const std::size_t rank = rank_of(now, dependency);
                if (!std::binary_search(had.begin(), had.end(), rank)) from = dependency;
            }
            return {cudaGraphExecUpdateErrorTopologyChanged, node, from};
        }
        if (node->work->type() != before.work->type()) {
            return {cudaGraphExecUpdateErrorNodeTypeChanged, node};
        }
        if (node->device != before.device) return {cudaGraphExecUpdateErrorNotSupported, node};
        const cudaGraphNodeType type = node->work->type();
        if (type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree ||
            type == cudaGraphNodeTypeConditional) {
            if (node->work != before.work) return {cudaGraphExecUpdateErrorNotSupported, node};
        }
        for (std::size_t child = 0; child < node->children.size(); ++child) {
            const Difference inside = compare(*before.children[child], *node->children[child]);
            if (inside.result != cudaGraphExecUpdateSuccess) return inside;
        }
    }
    return {};
}

// Puts the works of a plan with the same structure in place of those of another.
void take_works(Plan& plan, const Plan& other) {
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
        plan.nodes[i].work = other.nodes[i].work;
        for (std::size_t body = 0; body < plan.nodes[i].bodies.size(); ++body) {
            take_works(*plan.nodes[i].bodies[body], *other.nodes[i].bodies[body]);
        }
    }
}

cudaError_t update(cudaGraphExec_t handle, cudaGraph_t graph_handle, Difference& difference) {
    return host_call("cudaGraphExecUpdate", [&] {
        cudaGraphExec_t exec = find_exec(handle);
        const Graph* graph = find_graph(graph_handle);
        if (exec == nullptr || graph == nullptr || has_circle(*graph)) {
            return cudaErrorInvalidValue;
        }
        difference = compare(*exec->graph, *graph);
        if (difference.result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
        std::vector<Chain> chains;
        take_works(change_plan(*exec), *make_plan(*graph, chains));
        destroy_graph(*exec->graph);
        exec->graph = &clone_graph(*graph);
        return cudaSuccess;
    });
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* information) {
    Difference difference{cudaGraphExecUpdateError};
    const cudaError_t error = update(exec, graph, difference);
    if (information != nullptr) {
        *information = {difference.result, difference.node, difference.from};
    }
    return error;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphNode_t* error_node, cudaGraphExecUpdateResult* result) {
    Difference difference{cudaGraphExecUpdateError};
    const cudaError_t error = update(exec, graph, difference);
    if (error_node != nullptr) *error_node = difference.node;
    if (result != nullptr) *result = difference.result;
    return error;
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters) {
    constexpr const char* kName = "cudaGraphExecNodeSetParams";
    if (parameters == nullptr) return host_call(kName, [] { return cudaErrorInvalidValue; });
    return change_node(kName, exec, node, parameters->type, [&](std::shared_ptr<Work>& work) {
        return make_work(kName, *parameters, work);
    });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
    constexpr const char* kName = "cudaGraphExecKernelNodeSetParams";
    return change_node(
        kName, exec, node, cudaGraphNodeTypeKernel,
        [&](std::shared_ptr<Work>& work) { return make_kernel_work(kName, parameters, work); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
    constexpr const char* kName = "cudaGraphExecMemcpyNodeSetParams";
    return change_node(
        kName, exec, node, cudaGraphNodeTypeMemcpy,
        [&](std::shared_ptr<Work>& work) { return make_copy_work(kName, parameters, work); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void* destination, const void* source,
                                               std::size_t bytes, cudaMemcpyKind kind) {
    const cudaMemcpy3DParms parameters = linear_parameters(destination, source, bytes, kind);
    return cudaGraphExecMemcpyNodeSetParams(exec, node, &parameters);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
    constexpr const char* kName = "cudaGraphExecMemsetNodeSetParams";
    return change_node(
        kName, exec, node, cudaGraphNodeTypeMemset,
        [&](std::shared_ptr<Work>& work) { return make_set_work(kName, parameters, work); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
    return change_node(
        "cudaGraphExecHostNodeSetParams", exec, node, cudaGraphNodeTypeHost,
        [&](std::shared_ptr<Work>& work) { return make_host_work(parameters, work); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t handle, cudaGraphNode_t node,
                                                 cudaGraph_t child_handle) {
    return host_call("cudaGraphExecChildGraphNodeSetParams", [&] {
        cudaGraphExec_t exec = find_exec(handle);
        const Graph* child = find_graph(child_handle);
        const GraphNode* parent = find_node(node);
        if (exec == nullptr || child == nullptr || parent == nullptr ||
            parent->work->type() != cudaGraphNodeTypeGraph || exec->plan->find(node) == nullptr) {
            return cudaErrorInvalidValue;
        }
        const Graph& old = *parent->children.front();
        if (compare(old, *child).result != cudaGraphExecUpdateSuccess) {
            return cudaErrorGraphExecUpdateFailure;
        }
        // The plan knows the child's nodes by those of the graph that was instantiated.
        Plan& plan = change_plan(*exec);
        std::vector<Chain> chains;
        const auto before = make_plan(old, chains);
        const auto after = make_plan(*child, chains);
        for (std::size_t i = 0; i < before->nodes.size(); ++i) {
            const cudaGraphNode_t source = before->nodes[i].source;
            if (source != nullptr) plan.find(source)->work = after->nodes[i].work;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
    return change_node("cudaGraphExecEventRecordNodeSetEvent", exec, node,
                       cudaGraphNodeTypeEventRecord, [&](std::shared_ptr<Work>& work) {
                           return make_event_work(cudaGraphNodeTypeEventRecord, event, work);
                       });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
    return change_node("cudaGraphExecEventWaitNodeSetEvent", exec, node, cudaGraphNodeTypeWaitEvent,
                       [&](std::shared_ptr<Work>& work) {
                           return make_event_work(cudaGraphNodeTypeWaitEvent, event, work);
                       });
}

namespace emulator {
namespace {

// Only these nodes can be switched off.
bool can_be_disabled(cudaGraphNodeType type) {
    return type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemset ||
           type == cudaGraphNodeTypeMemcpy;
}

}  // namespace
}  // namespace emulator

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t handle, cudaGraphNode_t node,
                                    unsigned enabled) {
    return host_call("cudaGraphNodeSetEnabled", [&] {
        cudaGraphExec_t exec = find_exec(handle);
        const PlanNode* found = exec == nullptr ? nullptr : exec->plan->find(node);
        if (node == nullptr || found == nullptr || !can_be_disabled(found->work->type())) {
            return cudaErrorInvalidValue;
        }
        change_plan(*exec).find(node)->is_enabled = enabled != 0;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t handle, cudaGraphNode_t node,
                                    unsigned* enabled) {
    return host_call("cudaGraphNodeGetEnabled", [&] {
        cudaGraphExec_t exec = find_exec(handle);
        const PlanNode* found = exec == nullptr ? nullptr : exec->plan->find(node);
        if (node == nullptr || found == nullptr || enabled == nullptr ||
            !can_be_disabled(found->work->type())) {
            return cudaErrorInvalidValue;
        }
        *enabled = found->is_enabled ? 1 : 0;
        return cudaSuccess;
    });
}
