// SPDX-License-Identifier: MIT
// Breadth-first search: Harish and Narayanan's masks, and frontiers as queues filled by atomics.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <utility>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = (call);                                                  \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

struct Node {
    int starting;
    int no_of_edges;
};

__global__ void Kernel(Node* g_graph_nodes, int* g_graph_edges, bool* g_graph_mask,
                       bool* g_updating_graph_mask, bool* g_graph_visited, int* g_cost,
                       int no_of_nodes) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < no_of_nodes && g_graph_mask[tid]) {
        g_graph_mask[tid] = false;
        for (int i = g_graph_nodes[tid].starting;
             i < (g_graph_nodes[tid].no_of_edges + g_graph_nodes[tid].starting); i++) {
            int id = g_graph_edges[i];
            if (!g_graph_visited[id]) {
                g_cost[id] = g_cost[tid] + 1;
                g_updating_graph_mask[id] = true;
            }
        }
    }
}

__global__ void Kernel2(bool* g_graph_mask, bool* g_updating_graph_mask, bool* g_graph_visited,
                        bool* g_over, int no_of_nodes) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < no_of_nodes && g_updating_graph_mask[tid]) {
        g_graph_mask[tid] = true;
        g_graph_visited[tid] = true;
        *g_over = true;
        g_updating_graph_mask[tid] = false;
    }
}

// Each block first collects neighbours in its own queue.
__global__ void expand_frontier(const Node* nodes, const int* edges, int* levels, int level,
                                const int* frontier, int frontier_size, int* next, int* next_size) {
    __shared__ int s_queue[256];
    __shared__ int s_size, s_start;
    if (threadIdx.x == 0) s_size = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < frontier_size) {
        const Node node = nodes[frontier[i]];
        for (int e = node.starting; e < node.starting + node.no_of_edges; ++e) {
            const int neighbour = edges[e];
            if (atomicCAS(&levels[neighbour], -1, level) == -1) {
                const int place = atomicAdd(&s_size, 1);
                if (place < 256) {
                    s_queue[place] = neighbour;
                } else {
                    next[atomicAdd(next_size, 1)] = neighbour;
                }
            }
        }
    }
    __syncthreads();
    const int size = min(s_size, 256);
    if (threadIdx.x == 0) s_start = atomicAdd(next_size, size);
    __syncthreads();
    for (int j = threadIdx.x; j < size; j += blockDim.x) next[s_start + j] = s_queue[j];
}

template <class T>
T* to_device(const std::vector<T>& values) {
    T* pointer;
    CHECK(cudaMalloc((void**)&pointer, sizeof(T) * values.size()));
    CHECK(cudaMemcpy(pointer, values.data(), sizeof(T) * values.size(), cudaMemcpyHostToDevice));
    return pointer;
}

int main() {
    const int n = 3000, source = 7;
    std::vector<std::vector<int>> neighbours(n);
    for (int i = 0; i < 4 * n; ++i) {
        const int a = rand() % n, b = i % 10 == 0 ? 100 : rand() % n;  // node 100 is a hub
        neighbours[a].push_back(b);
        neighbours[b].push_back(a);
    }
    std::vector<Node> nodes(n);
    std::vector<int> edges;
    for (int i = 0; i < n; ++i) {
        nodes[i] = Node{(int)edges.size(), (int)neighbours[i].size()};
        edges.insert(edges.end(), neighbours[i].begin(), neighbours[i].end());
    }
    std::vector<int> expected(n, -1);
    std::queue<int> waiting({source});
    expected[source] = 0;
    while (!waiting.empty()) {
        const int at = waiting.front();
        waiting.pop();
        for (int next : neighbours[at]) {
            if (expected[next] < 0) {
                expected[next] = expected[at] + 1;
                waiting.push(next);
            }
        }
    }

    Node* d_nodes = to_device(nodes);
    int* d_edges = to_device(edges);
    const int blocks = (n + 255) / 256;
    std::vector<int> cost(n, -1);
    cost[source] = 0;
    int* d_cost = to_device(cost);
    bool *d_masks, *d_over, over;
    CHECK(cudaMalloc((void**)&d_masks, 3 * n * sizeof(bool)));
    CHECK(cudaMalloc((void**)&d_over, sizeof(bool)));
    CHECK(cudaMemset(d_masks, 0, 3 * n * sizeof(bool)));
    CHECK(cudaMemset(d_masks + source, 1, 1));  // to visit
    CHECK(cudaMemset(d_masks + 2 * n + source, 1, 1));  // visited
    do {
        over = false;
        CHECK(cudaMemcpy(d_over, &over, sizeof(bool), cudaMemcpyHostToDevice));
        Kernel<<<blocks, 256, 0>>>(d_nodes, d_edges, d_masks, d_masks + n, d_masks + 2 * n, d_cost,
                                   n);
        Kernel2<<<blocks, 256, 0>>>(d_masks, d_masks + n, d_masks + 2 * n, d_over, n);
        CHECK(cudaMemcpy(&over, d_over, sizeof(bool), cudaMemcpyDeviceToHost));
    } while (over);
    CHECK(cudaMemcpy(cost.data(), d_cost, n * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = cost == expected ? 0 : 1;

    std::vector<int> levels(n, -1);
    levels[source] = 0;
    int* d_levels = to_device(levels);
    int *d_frontier, *d_next, *d_size, size = 1;
    CHECK(cudaMalloc(&d_frontier, n * sizeof(int)));
    CHECK(cudaMalloc(&d_next, n * sizeof(int)));
    CHECK(cudaMalloc(&d_size, sizeof(int)));
    CHECK(cudaMemcpy(d_frontier, &source, sizeof(int), cudaMemcpyHostToDevice));
    for (int level = 1; size > 0; ++level) {
        CHECK(cudaMemset(d_size, 0, sizeof(int)));
        expand_frontier<<<(size + 63) / 64, 64>>>(d_nodes, d_edges, d_levels, level, d_frontier,
                                                  size, d_next, d_size);
        CHECK(cudaMemcpy(&size, d_size, sizeof(int), cudaMemcpyDeviceToHost));
        std::swap(d_frontier, d_next);
    }
    CHECK(cudaMemcpy(levels.data(), d_levels, n * sizeof(int), cudaMemcpyDeviceToHost));
    wrong += levels == expected ? 0 : 2;
    for (void* pointer :
         {(void*)d_nodes, (void*)d_edges, (void*)d_cost, (void*)d_masks, (void*)d_over,
          (void*)d_levels, (void*)d_frontier, (void*)d_next, (void*)d_size})
        CHECK(cudaFree(pointer));
    printf("breadth_first_search: %s\n", wrong == 0   ? "right"
                                         : wrong == 1 ? "masks wrong"
                                                      : "wrong");
    return wrong == 0 ? 0 : 1;
}
