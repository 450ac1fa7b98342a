// SPDX-License-Identifier: MIT
// cudaGraphDebugDotPrint(): a graph in the DOT language of Graphviz.
#include <cuda_runtime.h>

#include <fstream>
#include <sstream>
#include <string>

#include "common/emulator/libraries/pools/graph_memory.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/executable.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/graph.hpp"
#include "common/emulator/runtime/library_work.hpp"

namespace emulator {
namespace {

std::string text_of(const dim3& size) {
    std::ostringstream text;
    text << size.x << ',' << size.y << ',' << size.z;
    return text.str();
}

std::string describe(const Work& work) {
    std::ostringstream text;
    switch (work.type()) {
        case cudaGraphNodeTypeKernel: {
            if (const auto* library = dynamic_cast<const LibraryWork*>(&work)) {
                text << "KERNEL\\n" << library->function;
                break;
            }
            const auto& kernel = static_cast<const KernelWork&>(work);
            text << "KERNEL\\n"
                 << (kernel.kernel.name != nullptr ? kernel.kernel.name
                                                   : function_name(kernel.kernel.address))
                 << "\\n<<<(" << text_of(kernel.configuration.grid_dim) << "),("
                 << text_of(kernel.configuration.block_dim) << "),"
                 << kernel.configuration.shared_bytes << ">>>";
            break;
        }
        case cudaGraphNodeTypeMemcpy: {
            const cudaMemcpy3DParms& copy = static_cast<const CopyWork&>(work).parameters;
            text << "MEMCPY\\n"
                 << copy.extent.width << " x " << copy.extent.height << " x " << copy.extent.depth
                 << " bytes";
            break;
        }
        case cudaGraphNodeTypeMemset: {
            const cudaMemsetParams& set = static_cast<const SetWork&>(work).told;
            text << "MEMSET\\n"
                 << set.width << " x " << set.height << " elements of " << set.elementSize
                 << " bytes";
            break;
        }
        case cudaGraphNodeTypeHost:
            text << "HOST";
            break;
        case cudaGraphNodeTypeGraph:
            text << "CHILD GRAPH";
            break;
        case cudaGraphNodeTypeWaitEvent:
            text << "EVENT_WAIT";
            break;
        case cudaGraphNodeTypeEventRecord:
            text << "EVENT_RECORD";
            break;
        case cudaGraphNodeTypeMemAlloc:
            text << "MEM_ALLOC\\n"
                 << static_cast<const AllocationWork&>(work).parameters.bytesize << " bytes";
            break;
        case cudaGraphNodeTypeMemFree:
            text << "MEM_FREE";
            break;
        case cudaGraphNodeTypeConditional:
            text << "CONDITIONAL";
            break;
        default:
            text << "EMPTY";
            break;
    }
    return text.str();
}

std::string name_of(const GraphNode& node) {
    return "graph_" + std::to_string(node.graph->id) + "_node_" + std::to_string(node.number);
}

void print(std::ostream& out, const Graph& graph) {
    out << "subgraph cluster_" << graph.id << " {\nlabel=\"graph_" << graph.id << "\"\n";
    for (const auto& node : graph.nodes) {
        out << '"' << name_of(*node) << "\"[shape=\"box\" label=\"" << node->number << "\\n"
            << describe(*node->work) << "\"];\n";
    }
    for (const auto& node : graph.nodes) {
        for (const GraphNode* next : node->dependents) {
            out << '"' << name_of(*node) << "\" -> \"" << name_of(*next) << "\";\n";
        }
    }
    out << "}\n";
    for (const auto& node : graph.nodes) {
        for (const Graph* child : node->children) {
            print(out, *child);
            if (child->nodes.empty()) continue;
            out << '"' << name_of(*node) << "\" -> \"" << name_of(*child->nodes.front())
                << "\"[style=\"dashed\"];\n";
        }
    }
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
    return host_call("cudaGraphDebugDotPrint", [&] {
        const Graph* graph = find_graph(handle);
        if (graph == nullptr || path == nullptr) return cudaErrorInvalidValue;
        std::ofstream out(path);
        out << "digraph dot {\n";
        print(out, *graph);
        out << "}\n";
        if (out.flush()) return cudaSuccess;
        explain("cudaGraphDebugDotPrint: %s cannot be written", path);
        return cudaErrorOperatingSystem;
    });
}
