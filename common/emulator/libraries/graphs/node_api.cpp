// SPDX-License-Identifier: MIT
// The API of a graph's nodes: how they are added, and their parameters.
#include <cuda_runtime.h>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/libraries/graphs/node_works.hpp"
#include "common/emulator/libraries/pools/graph_memory.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/event.hpp"

namespace emulator {
namespace {

// Checks the graph and the dependencies, makes the node's work with `make(work)`, and adds it.
template <class Make>
cudaError_t add(const char* function, cudaGraphNode_t* result, cudaGraph_t handle,
                const cudaGraphNode_t* dependencies, std::size_t count, Make make,
                GraphNode** made = nullptr) {
    return host_call(function, [&] {
        Graph* graph = find_graph(handle);
        if (result == nullptr || graph == nullptr) return cudaErrorInvalidValue;
        std::vector<GraphNode*> before;
        cudaError_t error = take_dependencies(*graph, dependencies, count, before);
        if (error != cudaSuccess) return error;
        std::shared_ptr<Work> work;
        error = make(work, *graph);
        if (error != cudaSuccess) return error;
        GraphNode& node = add_node(*graph, work, current_device(), before);
        if (made != nullptr) *made = &node;
        *result = &node;
        return cudaSuccess;
    });
}

GraphNode* find_node(cudaGraphNode_t handle, cudaGraphNodeType type) {
    GraphNode* node = emulator::find_node(handle);
    return node != nullptr && node->work->type() == type ? node : nullptr;
}

// Replaces what the node does.
template <class Make>
cudaError_t set(const char* function, cudaGraphNode_t handle, cudaGraphNodeType type, Make make) {
    return host_call(function, [&] {
        GraphNode* node = find_node(handle, type);
        if (node == nullptr) return cudaErrorInvalidValue;
        std::shared_ptr<Work> work;
        const cudaError_t error = make(work);
        if (error != cudaSuccess) return error;
        work->caller = node->work->caller;
        node->work = work;
        return cudaSuccess;
    });
}

// Hands the node's work, of its own type, to `tell`.
template <class Kind, class Tell>
cudaError_t get(const char* function, cudaGraphNode_t handle, cudaGraphNodeType type,
                const void* result, Tell tell) {
    return host_call(function, [&] {
        const GraphNode* node = find_node(handle, type);
        if (node == nullptr || result == nullptr) return cudaErrorInvalidValue;
        const auto* const work = dynamic_cast<const Kind*>(node->work.get());
        if (work == nullptr) {
            explain("%s: the node is work of a library, whose parameters are its own", function);
            return cudaErrorInvalidValue;
        }
        return tell(*work);
    });
}

cudaError_t check_child(const Graph& graph, const Graph* child) {
    if (child == nullptr) return cudaErrorInvalidValue;
    // Their addresses are fixed, so that a copy would use the same memory.
    if (!has_type(*child, cudaGraphNodeTypeMemAlloc) &&
        !has_type(*child, cudaGraphNodeTypeMemFree)) {
        return child == &graph ? cudaErrorInvalidValue : cudaSuccess;
    }
    explain("cudaGraphAddChildGraphNode: a child graph may have no memory nodes");
    return cudaErrorNotSupported;
}

void adopt(GraphNode& node, Graph& child) {
    child.parent = &node;
    node.children.push_back(&child);
}

cudaError_t add_child(const char* function, cudaGraphNode_t* result, cudaGraph_t handle,
                      const cudaGraphNode_t* dependencies, std::size_t count,
                      const cudaChildGraphNodeParams& parameters) {
    GraphNode* node = nullptr;
    Graph* child = nullptr;
    const cudaError_t error = add(
        function, result, handle, dependencies, count,
        [&](std::shared_ptr<Work>& work, const Graph& graph) {
            child = find_graph(parameters.graph);
            work = std::make_shared<StructureWork>(cudaGraphNodeTypeGraph);
            return check_child(graph, child);
        },
        &node);
    if (error != cudaSuccess) return error;
    const bool moves = parameters.ownership == cudaGraphChildGraphOwnershipMove;
    adopt(*node, moves ? *child : clone_graph(*child));
    return cudaSuccess;
}

cudaError_t add_conditional(cudaGraphNode_t* result, cudaGraph_t handle,
                            const cudaGraphNode_t* dependencies, std::size_t count,
                            cudaConditionalNodeParams& parameters) {
    GraphNode* node = nullptr;
    const cudaError_t error = add(
        "cudaGraphAddNode", result, handle, dependencies, count,
        [&](std::shared_ptr<Work>& work, Graph& graph) {
            Conditional* condition = find_conditional(parameters.handle);
            const unsigned most = parameters.type == cudaGraphCondTypeIf      ? 2u
                                  : parameters.type == cudaGraphCondTypeWhile ? 1u
                                                                              : ~0u;
            if (condition == nullptr || condition->graph != &graph || condition->is_used ||
                parameters.type < cudaGraphCondTypeIf ||
                parameters.type > cudaGraphCondTypeSwitch || parameters.size == 0 ||
                parameters.size > most) {
                return cudaErrorInvalidValue;
            }
            condition->is_used = true;
            work = std::make_shared<ConditionalWork>(parameters);
            return cudaSuccess;
        },
        &node);
    if (error != cudaSuccess) return error;
    for (unsigned i = 0; i < parameters.size; ++i) adopt(*node, create_graph());
    parameters.phGraph_out = node->children.data();
    return cudaSuccess;
}

cudaError_t add_allocation(const char* function, cudaGraphNode_t* result, cudaGraph_t handle,
                           const cudaGraphNode_t* dependencies, std::size_t count,
                           cudaMemAllocNodeParams* parameters) {
    return add(function, result, handle, dependencies, count,
               [&](std::shared_ptr<Work>& work, const Graph&) {
                   if (parameters == nullptr) return cudaErrorInvalidValue;
                   std::shared_ptr<AllocationWork> made;
                   const cudaError_t error = make_allocation(*parameters, made);
                   work = made;
                   return error;
               });
}

// Whether the graph frees the memory already.
bool frees(const Graph& graph, const void* pointer) {
    for (const auto& node : graph.nodes) {
        if (node->work->type() == cudaGraphNodeTypeMemFree &&
            static_cast<const ReleaseWork&>(*node->work).pointer == pointer) {
            return true;
        }
    }
    return false;
}

cudaError_t add_release(const char* function, cudaGraphNode_t* result, cudaGraph_t handle,
                        const cudaGraphNode_t* dependencies, std::size_t count, void* pointer) {
    return add(function, result, handle, dependencies, count,
               [&](std::shared_ptr<Work>& work, const Graph& graph) {
                   if (!is_graph_memory(pointer) || frees(graph, pointer)) {
                       return cudaErrorInvalidValue;
                   }
                   work = std::make_shared<ReleaseWork>(pointer);
                   return cudaSuccess;
               });
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                             std::size_t count, cudaGraphNodeParams* parameters) {
    constexpr const char* kName = "cudaGraphAddNode";
    if (parameters == nullptr) return host_call(kName, [] { return cudaErrorInvalidValue; });
    switch (parameters->type) {
        case cudaGraphNodeTypeGraph:
            return add_child(kName, node, graph, dependencies, count, parameters->graph);
        case cudaGraphNodeTypeConditional:
            return add_conditional(node, graph, dependencies, count, parameters->conditional);
        case cudaGraphNodeTypeMemAlloc:
            return add_allocation(kName, node, graph, dependencies, count, &parameters->alloc);
        case cudaGraphNodeTypeMemFree:
            return add_release(kName, node, graph, dependencies, count, parameters->free.dptr);
        default:
            return add(kName, node, graph, dependencies, count,
                       [&](std::shared_ptr<Work>& work, const Graph&) {
                           return make_work(kName, *parameters, work);
                       });
    }
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters) {
    constexpr const char* kName = "cudaGraphNodeSetParams";
    if (parameters == nullptr) return host_call(kName, [] { return cudaErrorInvalidValue; });
    return set(kName, node, parameters->type,
               [&](std::shared_ptr<Work>& work) { return make_work(kName, *parameters, work); });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaKernelNodeParams* parameters) {
    return add("cudaGraphAddKernelNode", node, graph, dependencies, count,
               [&](std::shared_ptr<Work>& work, const Graph&) {
                   return make_kernel_work("cudaGraphAddKernelNode", parameters, work);
               });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
    constexpr const char* kName = "cudaGraphKernelNodeGetParams";
    return get<KernelWork>(kName, node, cudaGraphNodeTypeKernel, parameters, [&](const auto& work) {
        if (work.kernel.address == nullptr) {
            explain(
                "%s: the CPU engine does not know the address of %s, a template whose arguments "
                "were deduced: write them in the launch",
                kName, work.kernel.name);
            return cudaErrorNotSupported;
        }
        *parameters = {};
        parameters->func = const_cast<void*>(work.kernel.address);
        parameters->gridDim = work.configuration.grid_dim;
        parameters->blockDim = work.configuration.block_dim;
        parameters->sharedMemBytes = static_cast<unsigned>(work.configuration.shared_bytes);
        parameters->kernelParams = work.argument_pointers();
        return cudaSuccess;
    });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
    return set("cudaGraphKernelNodeSetParams", node, cudaGraphNodeTypeKernel,
               [&](std::shared_ptr<Work>& work) {
                   return make_kernel_work("cudaGraphKernelNodeSetParams", parameters, work);
               });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemcpy3DParms* parameters) {
    return add("cudaGraphAddMemcpyNode", node, graph, dependencies, count,
               [&](std::shared_ptr<Work>& work, const Graph&) {
                   return make_copy_work("cudaGraphAddMemcpyNode", parameters, work);
               });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     void* destination, const void* source, std::size_t bytes,
                                     cudaMemcpyKind kind) {
    const cudaMemcpy3DParms parameters = linear_parameters(destination, source, bytes, kind);
    return cudaGraphAddMemcpyNode(node, graph, dependencies, count, &parameters);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
    return get<CopyWork>("cudaGraphMemcpyNodeGetParams", node, cudaGraphNodeTypeMemcpy, parameters,
                         [&](const auto& work) {
                             *parameters = work.parameters;
                             return cudaSuccess;
                         });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* parameters) {
    return set("cudaGraphMemcpyNodeSetParams", node, cudaGraphNodeTypeMemcpy,
               [&](std::shared_ptr<Work>& work) {
                   return make_copy_work("cudaGraphMemcpyNodeSetParams", parameters, work);
               });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* destination,
                                           const void* source, std::size_t bytes,
                                           cudaMemcpyKind kind) {
    const cudaMemcpy3DParms parameters = linear_parameters(destination, source, bytes, kind);
    return cudaGraphMemcpyNodeSetParams(node, &parameters);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, std::size_t count,
                                   const cudaMemsetParams* parameters) {
    return add("cudaGraphAddMemsetNode", node, graph, dependencies, count,
               [&](std::shared_ptr<Work>& work, const Graph&) {
                   return make_set_work("cudaGraphAddMemsetNode", parameters, work);
               });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
    return get<SetWork>("cudaGraphMemsetNodeGetParams", node, cudaGraphNodeTypeMemset, parameters,
                        [&](const auto& work) {
                            *parameters = work.told;
                            return cudaSuccess;
                        });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
    return set("cudaGraphMemsetNodeSetParams", node, cudaGraphNodeTypeMemset,
               [&](std::shared_ptr<Work>& work) {
                   return make_set_work("cudaGraphMemsetNodeSetParams", parameters, work);
               });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, std::size_t count,
                                 const cudaHostNodeParams* parameters) {
    return add("cudaGraphAddHostNode", node, graph, dependencies, count,
               [&](std::shared_ptr<Work>& work, const Graph&) {
                   return make_host_work(parameters, work);
               });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
    return get<HostWork>("cudaGraphHostNodeGetParams", node, cudaGraphNodeTypeHost, parameters,
                         [&](const auto& work) {
                             *parameters = work.parameters;
                             return cudaSuccess;
                         });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
    return set("cudaGraphHostNodeSetParams", node, cudaGraphNodeTypeHost,
               [&](std::shared_ptr<Work>& work) { return make_host_work(parameters, work); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, std::size_t count) {
    return add("cudaGraphAddEmptyNode", node, graph, dependencies, count,
               [&](std::shared_ptr<Work>& work, const Graph&) {
                   work = std::make_shared<StructureWork>(cudaGraphNodeTypeEmpty);
                   return cudaSuccess;
               });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, std::size_t count,
                                       cudaGraph_t child) {
    return add_child("cudaGraphAddChildGraphNode", node, graph, dependencies, count,
                     {child, cudaGraphChildGraphOwnershipClone});
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
    return host_call("cudaGraphChildGraphNodeGetGraph", [&] {
        const GraphNode* found = find_node(node, cudaGraphNodeTypeGraph);
        if (found == nullptr || graph == nullptr) return cudaErrorInvalidValue;
        *graph = found->children.front();
        return cudaSuccess;
    });
}

#define EMULATOR_EVENT_NODE(name, type)                                                          \
    cudaError_t cudaGraphAdd##name##Node(cudaGraphNode_t* node, cudaGraph_t graph,               \
                                         const cudaGraphNode_t* dependencies, std::size_t count, \
                                         cudaEvent_t event) {                                    \
        return add("cudaGraphAdd" #name "Node", node, graph, dependencies, count,                \
                   [&](std::shared_ptr<Work>& work, const Graph&) {                              \
                       return make_event_work(type, event, work);                                \
                   });                                                                           \
    }                                                                                            \
    cudaError_t cudaGraph##name##NodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {        \
        return get<EventWork>("cudaGraph" #name "NodeGetEvent", node, type, event,               \
                              [&](const auto& work) {                                            \
                                  *event = work.event.get();                                     \
                                  return cudaSuccess;                                            \
                              });                                                                \
    }                                                                                            \
    cudaError_t cudaGraph##name##NodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {         \
        return set(                                                                              \
            "cudaGraph" #name "NodeSetEvent", node, type,                                        \
            [&](std::shared_ptr<Work>& work) { return make_event_work(type, event, work); });    \
    }
EMULATOR_EVENT_NODE(EventRecord, cudaGraphNodeTypeEventRecord)
EMULATOR_EVENT_NODE(EventWait, cudaGraphNodeTypeWaitEvent)
#undef EMULATOR_EVENT_NODE

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, std::size_t count,
                                     cudaMemAllocNodeParams* parameters) {
    return add_allocation("cudaGraphAddMemAllocNode", node, graph, dependencies, count, parameters);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams* parameters) {
    return get<AllocationWork>("cudaGraphMemAllocNodeGetParams", node, cudaGraphNodeTypeMemAlloc,
                               parameters, [&](const auto& work) {
                                   *parameters = work.parameters;
                                   return cudaSuccess;
                               });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, std::size_t count,
                                    void* pointer) {
    return add_release("cudaGraphAddMemFreeNode", node, graph, dependencies, count, pointer);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
    return get<ReleaseWork>("cudaGraphMemFreeNodeGetParams", node, cudaGraphNodeTypeMemFree,
                            pointer, [&](const auto& work) {
                                *static_cast<void**>(pointer) = work.pointer;
                                return cudaSuccess;
                            });
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned default_value, unsigned flags) {
    return host_call("cudaGraphConditionalHandleCreate", [&] {
        Graph* found = find_graph(graph);
        if (handle == nullptr || found == nullptr || flags > cudaGraphCondAssignDefault) {
            return cudaErrorInvalidValue;
        }
        *handle = make_conditional(*found, default_value, flags == cudaGraphCondAssignDefault);
        return cudaSuccess;
    });
}
