// SPDX-License-Identifier: MIT
// Mistakes with NCCL, one for each name on the command line. Each must be found, with the ranks and
// their lines, and none may hang.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

int rank = 0, ranks = 1;
ncclComm_t communicator;
int* d_values;
constexpr int kCount = 4;

__global__ void set_kernel(int* values) { values[threadIdx.x] = threadIdx.x; }

// A program that looks at what its calls return.
void synchronise(cudaStream_t stream = nullptr) {
    if (cudaStreamSynchronize(stream) != cudaSuccess) std::exit(1);
}

ncclResult_t all_reduce(int count, cudaStream_t stream = nullptr) {
    return ncclAllReduce(d_values, d_values, count, ncclInt, ncclSum, communicator, stream);
}

void other_count() {
    all_reduce(rank == 1 ? kCount - 1 : kCount);  // WRONG: count
    synchronise();
}

void other_type() {
    ncclAllReduce(d_values, d_values, 1, rank == 1 ? ncclFloat : ncclInt, ncclSum, communicator,
                  nullptr);
    synchronise();
}

void other_operation() {
    if (rank == 0) {
        ncclBroadcast(d_values, d_values, kCount, ncclInt, 0, communicator, nullptr);
    } else {
        all_reduce(kCount);
    }
    synchronise();
}

void other_root() {
    ncclBroadcast(d_values, d_values, kCount, ncclInt, rank, communicator, nullptr);
    synchronise();
}

void left_out() {
    if (rank != 1) all_reduce(kCount);
    synchronise();
}

void message_of_other_size() {
    if (rank == 0) ncclSend(d_values, kCount, ncclInt, 1, communicator, nullptr);
    if (rank == 1) ncclRecv(d_values, kCount - 1, ncclInt, 0, communicator, nullptr);
    synchronise();
}

// Both send first: without a group, each waits for the other's receive.
void no_group() {
    ncclSend(d_values, kCount, ncclInt, (rank + 1) % ranks, communicator, nullptr);
    ncclRecv(d_values, kCount, ncclInt, (rank + ranks - 1) % ranks, communicator, nullptr);
    synchronise();
}

// The host reads what a queued operation will write.
void no_synchronisation() {
    int* values;
    cudaMallocManaged(&values, kCount * sizeof(int));
    for (int i = 0; i < kCount; ++i) values[i] = 1;
    ncclAllReduce(values, values, kCount, ncclInt, ncclSum, communicator, nullptr);
    std::printf("rank %d: %d\n", rank, values[0]);
    synchronise();
}

// Nothing orders the second stream's kernel after the first stream's operation.
void two_streams() {
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams) {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    }
    all_reduce(kCount, streams[0]);
    set_kernel<<<1, kCount, 0, streams[1]>>>(d_values);
    for (const cudaStream_t stream : streams) synchronise(stream);
}

void host_memory() {
    static int values[kCount];
    if (ncclAllReduce(values, values, kCount, ncclInt, ncclSum, communicator, nullptr) !=
        ncclSuccess) {
        std::exit(1);
    }
    synchronise();
}

void too_long() {
    if (all_reduce(2 * kCount) != ncclSuccess) std::exit(1);
    synchronise();
}

void no_such_rank() {
    if (ncclSend(d_values, 1, ncclInt, ranks, communicator, nullptr) != ncclSuccess) std::exit(1);
}

void registered_host_memory() {
    static int values[kCount];
    void* handle = nullptr;
    if (ncclCommRegister(communicator, values, sizeof values, &handle) != ncclSuccess) {
        std::exit(1);
    }
}

void registered_too_long() {
    void* handle = nullptr;
    const std::size_t bytes = (kCount + 1) * sizeof(int);
    if (ncclCommRegister(communicator, d_values, bytes, &handle) != ncclSuccess) std::exit(1);
}

void killed() {
    if (rank == 1) std::raise(SIGKILL);
    all_reduce(kCount);
    synchronise();
}

void ended() {
    if (rank == 1) std::_Exit(3);
    all_reduce(kCount);
    synchronise();
}

void late() {
    while (rank == 1) {
    }
    all_reduce(kCount);
    synchronise();
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::string name = argc > 1 ? argv[1] : "";
    ncclUniqueId id{};
    if (rank == 0 || name == "other_id") ncclGetUniqueId(&id);
    if (name != "other_id") MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (ncclCommInitRank(&communicator, ranks, id, rank) != ncclSuccess) return 1;
    cudaMalloc(&d_values, kCount * sizeof(int));
    cudaMemset(d_values, 0, kCount * sizeof(int));
    synchronise();
    const struct {
        const char* name;
        void (*run)();
    } mistakes[] = {{"other_count", other_count},
                    {"other_type", other_type},
                    {"other_operation", other_operation},
                    {"other_root", other_root},
                    {"left_out", left_out},
                    {"message_of_other_size", message_of_other_size},
                    {"no_group", no_group},
                    {"no_synchronisation", no_synchronisation},
                    {"two_streams", two_streams},
                    {"host_memory", host_memory},
                    {"too_long", too_long},
                    {"no_such_rank", no_such_rank},
                    {"registered_host_memory", registered_host_memory},
                    {"registered_too_long", registered_too_long},
                    {"killed", killed},
                    {"ended", ended},
                    {"late", late}};
    for (const auto& mistake : mistakes) {
        if (name == mistake.name) mistake.run();
    }
    ncclCommDestroy(communicator);
    cudaFree(d_values);
    MPI_Finalize();
    return 0;
}
