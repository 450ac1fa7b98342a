// SPDX-License-Identifier: MIT
// All threads push nodes to one list, without an atomic operation on its head.
#include <cstdio>

struct Node {
    int value;
    Node* next;
};

__device__ Node* head;

__global__ void push_kernel() {
    Node* node = new Node;
    node->value = threadIdx.x;
    node->next = head;
    head = node;  // here: race
}

__global__ void delete_kernel(int* length) {
    *length = 0;
    for (Node *node = head, *next; node != nullptr; node = next, ++*length) {
        next = node->next;
        delete node;
    }
}

int main() {
    int *d_length, length = 0;
    cudaMalloc(&d_length, sizeof(int));
    push_kernel<<<1, 32>>>();
    delete_kernel<<<1, 1>>>(d_length);
    cudaMemcpy(&length, d_length, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d, %s\n", length, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d_length);
    return 0;
}
