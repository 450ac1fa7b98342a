// SPDX-License-Identifier: MIT
// A list is walked while its nodes are deleted: the next node is read from a node that is gone.
#include <cstdio>

struct Node {
    int value;
    Node* next;
};

__global__ void list_kernel(int* sum) {
    Node* first = nullptr;
    for (int i = 0; i < 10; ++i) first = new Node{i, first};
    *sum = 0;
    for (Node* node = first; node != nullptr;) {
        *sum += node->value;
        delete node;
        node = node->next;  // here: use after free
    }
}

int main() {
    int *d_sum, sum = 0;
    cudaMalloc(&d_sum, sizeof(int));
    list_kernel<<<1, 1>>>(d_sum);
    cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", sum, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_sum);
    return 0;
}
