// SPDX-License-Identifier: MIT
// The API of graphs: their creation, their nodes and edges, and objects that live with them.
#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/graph.hpp"

namespace emulator {

// A program's object with a count of its users. Graphs hold it; the last user destroys it.
struct UserObject {
    UserObject(void* pointer, cudaHostFn_t destroy) : pointer(pointer), destroy(destroy) {}
    ~UserObject() { destroy(pointer); }
    UserObject(const UserObject&) = delete;
    UserObject& operator=(const UserObject&) = delete;

    void* pointer;
    cudaHostFn_t destroy;
};

namespace {

struct OwnedObject {
    std::shared_ptr<UserObject> object;
    unsigned references;  // the program's own
};

std::unordered_map<cudaUserObject_t, OwnedObject>& objects() {
    static auto* all = new std::unordered_map<cudaUserObject_t, OwnedObject>;
    return *all;
}

// The pattern of all queries: the number alone, or as many as there is room for, and the rest null.
template <class Result>
cudaError_t list(const std::vector<Result>& found, Result* results, std::size_t* count) {
    if (count == nullptr) return cudaErrorInvalidValue;
    if (results != nullptr) {
        std::fill_n(results, *count, nullptr);
        std::copy_n(found.begin(), std::min(*count, found.size()), results);
    }
    *count = results == nullptr ? found.size() : std::min(*count, found.size());
    return cudaSuccess;
}

void clear_edges(cudaGraphEdgeData* edges, const std::size_t* count) {
    if (edges != nullptr && count != nullptr) std::fill_n(edges, *count, cudaGraphEdgeData{});
}

// Applies `change(from, to)` to each pair of nodes.
template <class Change>
cudaError_t change_edges(const char* function, cudaGraph_t handle, const cudaGraphNode_t* from,
                         const cudaGraphNode_t* to, std::size_t count, Change change) {
    return host_call(function, [&] {
        Graph* graph = find_graph(handle);
        if (graph == nullptr) return cudaErrorInvalidValue;
        if (count > 0 && (from == nullptr || to == nullptr)) return cudaErrorInvalidValue;
        for (std::size_t i = 0; i < count; ++i) {
            GraphNode* first = find_node(from[i]);
            GraphNode* second = find_node(to[i]);
            if (first == nullptr || second == nullptr || first == second || first->graph != graph ||
                second->graph != graph) {
                return cudaErrorInvalidValue;
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            const cudaError_t error = change(*from[i], *to[i]);
            if (error != cudaSuccess) return error;
        }
        return cudaSuccess;
    });
}

cudaError_t list_neighbours(const char* function, cudaGraphNode_t handle,
                            std::vector<cudaGraphNode_t> GraphNode::*neighbours,
                            cudaGraphNode_t* nodes, cudaGraphEdgeData* edges, std::size_t* count) {
    return host_call(function, [&] {
        const GraphNode* node = find_node(handle);
        if (node == nullptr) return cudaErrorInvalidValue;
        const cudaError_t error = list(node->*neighbours, nodes, count);
        clear_edges(edges, count);
        return error;
    });
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
    return host_call("cudaGraphCreate", [&] {
        if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
        *graph = &create_graph();
        return cudaSuccess;
    });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t handle) {
    return host_call("cudaGraphClone", [&] {
        const Graph* graph = find_graph(handle);
        if (graph == nullptr || clone == nullptr) return cudaErrorInvalidValue;
        if (has_type(*graph, cudaGraphNodeTypeMemAlloc) ||
            has_type(*graph, cudaGraphNodeTypeMemFree)) {
            return cudaErrorNotSupported;
        }
        *clone = &clone_graph(*graph);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                     cudaGraph_t handle) {
    return host_call("cudaGraphNodeFindInClone", [&] {
        const Graph* clone = find_graph(handle);
        if (clone == nullptr || node == nullptr || clone->original == nullptr) {
            return cudaErrorInvalidValue;
        }
        for (const auto& one : clone->nodes) {
            if (one->original != original) continue;
            *node = one.get();
            return cudaSuccess;
        }
        return cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
    return host_call("cudaGraphGetNodes", [&] {
        const Graph* graph = find_graph(handle);
        if (graph == nullptr) return cudaErrorInvalidValue;
        std::vector<cudaGraphNode_t> all;
        for (const auto& node : graph->nodes) all.push_back(node.get());
        return list(all, nodes, count);
    });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, std::size_t* count) {
    return host_call("cudaGraphGetRootNodes", [&] {
        const Graph* graph = find_graph(handle);
        if (graph == nullptr) return cudaErrorInvalidValue;
        std::vector<cudaGraphNode_t> roots;
        for (const auto& node : graph->nodes) {
            if (node->dependencies.empty()) roots.push_back(node.get());
        }
        return list(roots, nodes, count);
    });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* edges, std::size_t* count) {
    return host_call("cudaGraphGetEdges", [&] {
        const Graph* graph = find_graph(handle);
        if (graph == nullptr || (from == nullptr) != (to == nullptr)) return cudaErrorInvalidValue;
        std::vector<cudaGraphNode_t> starts;
        std::vector<cudaGraphNode_t> ends;
        for (const auto& node : graph->nodes) {
            for (cudaGraphNode_t next : node->dependents) {
                starts.push_back(node.get());
                ends.push_back(next);
            }
        }
        std::size_t room = count == nullptr ? 0 : *count;
        cudaError_t error = list(starts, from, count);
        if (error == cudaSuccess && to != nullptr) error = list(ends, to, &room);
        clear_edges(edges, count);
        return error;
    });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
    return host_call("cudaGraphNodeGetType", [&] {
        const GraphNode* node = find_node(handle);
        if (node == nullptr || type == nullptr) return cudaErrorInvalidValue;
        *type = node->work->type();
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* edges, std::size_t* count) {
    return list_neighbours("cudaGraphNodeGetDependencies", node, &GraphNode::dependencies, nodes,
                           edges, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* edges, std::size_t* count) {
    return list_neighbours("cudaGraphNodeGetDependentNodes", node, &GraphNode::dependents, nodes,
                           edges, count);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t count) {
    return change_edges("cudaGraphAddDependencies", graph, from, to, count,
                        [](GraphNode& first, GraphNode& second) {
                            if (has_edge(first, second)) return cudaErrorInvalidValue;
                            add_edge(first, second);
                            return cudaSuccess;
                        });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count) {
    return change_edges("cudaGraphRemoveDependencies", graph, from, to, count,
                        [](GraphNode& first, GraphNode& second) {
                            return remove_edge(first, second) ? cudaSuccess : cudaErrorInvalidValue;
                        });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
    return host_call("cudaGraphDestroyNode", [&] {
        GraphNode* node = find_node(handle);
        if (node == nullptr) return cudaErrorInvalidValue;
        const cudaGraphNodeType type = node->work->type();
        // The memory's addresses are fixed, so these nodes stay.
        if (type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree) {
            return cudaErrorNotSupported;
        }
        destroy_node(*node);
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags) {
    return host_call("cudaUserObjectCreate", [&] {
        if (object == nullptr || destroy == nullptr || references == 0 ||
            flags != cudaUserObjectNoDestructorSync) {
            return cudaErrorInvalidValue;
        }
        auto made = std::make_shared<UserObject>(pointer, destroy);
        *object = reinterpret_cast<cudaUserObject_t>(made.get());
        objects()[*object] = {std::move(made), references};
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned count) {
    return host_call("cudaUserObjectRetain", [&] {
        const auto found = objects().find(handle);
        if (found == objects().end() || count == 0) return cudaErrorInvalidValue;
        found->second.references += count;
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned count) {
    return host_call("cudaUserObjectRelease", [&] {
        const auto found = objects().find(handle);
        if (found == objects().end() || count == 0 || count > found->second.references) {
            return cudaErrorInvalidValue;
        }
        found->second.references -= count;
        if (found->second.references == 0) objects().erase(found);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t handle, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
    return host_call("cudaGraphRetainUserObject", [&] {
        Graph* graph = find_graph(handle);
        const auto found = objects().find(object);
        if (graph == nullptr || found == objects().end() || count == 0 ||
            flags > cudaGraphUserObjectMove) {
            return cudaErrorInvalidValue;
        }
        graph->objects.insert(graph->objects.end(), count, found->second.object);
        return flags == cudaGraphUserObjectMove ? cudaUserObjectRelease(object, count)
                                                : cudaSuccess;
    });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t handle, cudaUserObject_t object,
                                       unsigned count) {
    return host_call("cudaGraphReleaseUserObject", [&] {
        Graph* graph = find_graph(handle);
        if (graph == nullptr || count == 0) return cudaErrorInvalidValue;
        for (; count > 0; --count) {
            const auto held =
                std::find_if(graph->objects.begin(), graph->objects.end(), [&](const auto& one) {
                    return reinterpret_cast<cudaUserObject_t>(one.get()) == object;
                });
            if (held == graph->objects.end()) return cudaErrorInvalidValue;
            graph->objects.erase(held);
        }
        return cudaSuccess;
    });
}
