// SPDX-License-Identifier: MIT
// NCCL's operations used as they should be, by any number of ranks. Prints "OK" on rank 0. Also
// runs on GPUs.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"

using course::cuda_check, course::DeviceBuffer, course::Stream, course::StreamKind;

namespace {

int rank = 0, ranks = 1;
ncclComm_t communicator;

void check(ncclResult_t status, int line = __builtin_LINE()) {
    if (status == ncclSuccess) return;
    std::fprintf(stderr, "rank %d, line %d: %s\n", rank, line, ncclGetErrorString(status));
    std::exit(1);
}

void expect(bool is_right, const char* what, int line = __builtin_LINE()) {
    if (is_right) return;
    std::fprintf(stderr, "rank %d, line %d: wrong: %s\n", rank, line, what);
    std::exit(1);
}

__global__ void add_kernel(int* values, int n, int what) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += what;
}

template <class T>
std::vector<T> host_copy(const DeviceBuffer<T>& buffer) {
    std::vector<T> values(buffer.bytes() / sizeof(T));
    cuda_check(cudaMemcpy(values.data(), buffer.data(), buffer.bytes(), cudaMemcpyDeviceToHost));
    return values;
}

template <class T>
void fill(DeviceBuffer<T>& buffer, const std::vector<T>& values) {
    cuda_check(cudaMemcpy(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice));
}

// Element i of rank r.
template <class T>
std::vector<T> values_of(int r, int n) {
    std::vector<T> values;
    for (int i = 0; i < n; ++i) values.push_back(static_cast<T>((r + 1) * (i % 3 + 1)));
    return values;
}

template <class T>
T reduced(ncclRedOp_t operation, int i) {
    T result = values_of<T>(0, i + 1)[i];
    for (int r = 1; r < ranks; ++r) {
        const T value = values_of<T>(r, i + 1)[i];
        if (operation == ncclSum || operation == ncclAvg) result += value;
        if (operation == ncclProd) result *= value;
        if (operation == ncclMax) result = result < value ? value : result;
        if (operation == ncclMin) result = result < value ? result : value;
    }
    return operation == ncclAvg ? result / static_cast<T>(ranks) : result;
}

template <class T>
void reduce_all(ncclDataType_t type, std::vector<ncclRedOp_t> operations) {
    const Stream stream(StreamKind::kNonBlocking);
    for (const int n : {0, 1, 5, 1000}) {
        for (const ncclRedOp_t operation : operations) {
            DeviceBuffer<T> d_mine(n), d_all(n), d_root(n), d_part(n), d_parts(n * ranks);
            fill(d_mine, values_of<T>(rank, n));
            std::vector<T> parts;
            for (int r = 0; r < ranks; ++r) {
                for (const T value : values_of<T>(rank, n)) parts.push_back(value);
            }
            fill(d_parts, parts);
            const int root = ranks - 1;
            check(ncclReduceScatter(d_parts.data(), d_part.data(), n, type, operation, communicator,
                                    stream.get()));
            check(ncclAllReduce(d_mine.data(), d_all.data(), n, type, operation, communicator,
                                stream.get()));
            check(ncclReduce(d_mine.data(), d_root.data(), n, type, operation, root, communicator,
                             stream.get()));
            check(ncclAllReduce(d_mine.data(), d_mine.data(), n, type, operation, communicator,
                                stream.get()));
            stream.synchronize();
            for (int i = 0; i < n; ++i) {
                const T right = reduced<T>(operation, i);
                expect(host_copy(d_all)[i] == right, "ncclAllReduce");
                expect(host_copy(d_mine)[i] == right, "ncclAllReduce in place");
                expect(host_copy(d_part)[i] == right, "ncclReduceScatter");
                if (rank == root) expect(host_copy(d_root)[i] == right, "ncclReduce");
                if (i > 6) break;
            }
        }
    }
}

void move_all() {
    const int n = 1001;
    DeviceBuffer<double> d_mine(n), d_all(n * ranks);
    fill(d_mine, values_of<double>(rank, n));
    for (const bool in_place : {false, true}) {
        cuda_check(cudaMemset(d_all.data(), 0, d_all.bytes()));
        double* const own_part = d_all.data() + n * rank;
        cuda_check(cudaMemcpy(own_part, d_mine.data(), d_mine.bytes(), cudaMemcpyDeviceToDevice));
        check(ncclAllGather(in_place ? own_part : d_mine.data(), d_all.data(), n, ncclDouble,
                            communicator, nullptr));
        const std::vector<double> all = host_copy(d_all);
        for (int r = 0; r < ranks; ++r) {
            expect(all[n * r + 7] == values_of<double>(r, n)[7], "ncclAllGather");
        }
    }
    for (int root = 0; root < ranks; ++root) {
        DeviceBuffer<double> d_copy(n);
        check(ncclBroadcast(d_mine.data(), d_copy.data(), n, ncclDouble, root, communicator,
                            nullptr));
        expect(host_copy(d_copy) == values_of<double>(root, n), "ncclBroadcast");
        fill(d_copy, values_of<double>(rank, n));
        check(ncclBcast(d_copy.data(), n, ncclDouble, root, communicator, nullptr));
        expect(host_copy(d_copy) == values_of<double>(root, n), "ncclBcast");
    }
}

// Every rank sends r + 1 numbers to rank r; three messages between each two ranks.
void send_all() {
    const Stream stream;
    for (int repeat = 0; repeat < 3; ++repeat) {
        DeviceBuffer<int> d_mine(ranks), d_got(3 * ranks * (rank + 1));
        fill(d_mine, std::vector<int>(ranks, 10 * rank + repeat));
        check(ncclGroupStart());
        for (int message = 0; message < 3; ++message) {
            for (int other = 0; other < ranks; ++other) {
                check(
                    ncclSend(d_mine.data(), other + 1, ncclInt, other, communicator, stream.get()));
                check(ncclRecv(d_got.data() + (message * ranks + other) * (rank + 1), rank + 1,
                               ncclInt, other, communicator, stream.get()));
            }
        }
        check(ncclGroupEnd());
        stream.synchronize();
        const std::vector<int> got = host_copy(d_got);
        for (int i = 0; i < 3 * ranks; ++i) {
            expect(got[i * (rank + 1)] == 10 * (i % ranks) + repeat, "ncclSend, ncclRecv");
        }
    }
}

// A ring of messages in memory that NCCL has given and knows.
void send_registered() {
    const int n = 1000;
    void *memory = nullptr, *handle = nullptr;
    check(ncclMemAlloc(&memory, 2 * n * sizeof(int)));
    check(ncclCommRegister(communicator, memory, 2 * n * sizeof(int), &handle));
    expect(handle != nullptr, "the handle of ncclCommRegister");
    int* const d_mine = static_cast<int*>(memory);
    const std::vector<int> mine(n, rank);
    cuda_check(cudaMemcpy(d_mine, mine.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    check(ncclGroupStart());
    check(ncclSend(d_mine, n, ncclInt, (rank + 1) % ranks, communicator, nullptr));
    check(ncclRecv(d_mine + n, n, ncclInt, (rank + ranks - 1) % ranks, communicator, nullptr));
    check(ncclGroupEnd());
    std::vector<int> got(n, -1);
    cuda_check(cudaMemcpy(got.data(), d_mine + n, n * sizeof(int), cudaMemcpyDeviceToHost));
    expect(got == std::vector<int>(n, (rank + ranks - 1) % ranks), "a registered message");
    check(ncclCommDeregister(communicator, handle));
    check(ncclMemFree(memory));
}

// A kernel, an all-reduce and a ring of messages, launched several times.
void launch_graph() {
    const int n = 300;
    const Stream stream;
    DeviceBuffer<int> d_values(n), d_left(n);
    fill(d_values, std::vector<int>(n, 0));
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cuda_check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    add_kernel<<<3, 128, 0, stream.get()>>>(d_values.data(), n, rank + 1);
    check(ncclAllReduce(d_values.data(), d_values.data(), n, ncclInt, ncclSum, communicator,
                        stream.get()));
    check(ncclGroupStart());
    check(ncclSend(d_values.data(), n, ncclInt, (rank + 1) % ranks, communicator, stream.get()));
    check(ncclRecv(d_left.data(), n, ncclInt, (rank + ranks - 1) % ranks, communicator,
                   stream.get()));
    check(ncclGroupEnd());
    cuda_check(cudaStreamEndCapture(stream.get(), &graph));
    cuda_check(cudaGraphInstantiate(&instance, graph, 0));
    int right = 0;
    for (int launch = 0; launch < 4; ++launch) {
        cuda_check(cudaGraphLaunch(instance, stream.get()));
        right = ranks * right + ranks * (ranks + 1) / 2;
    }
    stream.synchronize();
    expect(host_copy(d_values) == std::vector<int>(n, right), "a captured ncclAllReduce");
    expect(host_copy(d_left) == std::vector<int>(n, right), "captured messages");
    cuda_check(cudaGraphExecDestroy(instance));
    cuda_check(cudaGraphDestroy(graph));
}

// Each rank waits for its streams in another order: operations run in the order of their calls.
void use_two_streams() {
    const Stream first(StreamKind::kNonBlocking), second(StreamKind::kNonBlocking);
    DeviceBuffer<int> d_a(1), d_b(1);
    fill(d_a, {rank});
    fill(d_b, {rank});
    check(ncclAllReduce(d_a.data(), d_a.data(), 1, ncclInt, ncclSum, communicator, first.get()));
    check(ncclAllReduce(d_b.data(), d_b.data(), 1, ncclInt, ncclMax, communicator, second.get()));
    (rank % 2 == 0 ? first : second).synchronize();
    (rank % 2 == 0 ? second : first).synchronize();
    expect(host_copy(d_a)[0] == ranks * (ranks - 1) / 2, "the first stream");
    expect(host_copy(d_b)[0] == ranks - 1, "the second stream");
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int devices = 1;
    cuda_check(cudaGetDeviceCount(&devices));
    cuda_check(cudaSetDevice(rank % devices));
    ncclUniqueId id;
    if (rank == 0) check(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    check(ncclCommInitRank(&communicator, ranks, id, rank));
    int found_rank = -1, found_ranks = -1;
    check(ncclCommUserRank(communicator, &found_rank));
    check(ncclCommCount(communicator, &found_ranks));
    expect(found_rank == rank && found_ranks == ranks, "the communicator");

    const std::vector<ncclRedOp_t> all = {ncclSum, ncclProd, ncclMax, ncclMin};
    reduce_all<int>(ncclInt32, all);
    reduce_all<unsigned>(ncclUint32, {ncclSum});
    reduce_all<long long>(ncclInt64, {ncclMin});
    reduce_all<unsigned long long>(ncclUint64, {ncclMax});
    reduce_all<signed char>(ncclInt8, {ncclMax});
    reduce_all<unsigned char>(ncclUint8, {ncclMax});
    reduce_all<float>(ncclFloat, {ncclSum, ncclAvg});
    reduce_all<double>(ncclDouble, {ncclSum, ncclAvg});
    move_all();
    send_all();
    send_registered();
    launch_graph();
    use_two_streams();

    ncclResult_t error = ncclInternalError;
    check(ncclCommGetAsyncError(communicator, &error));
    expect(error == ncclSuccess, "ncclCommGetAsyncError");
    check(ncclCommDestroy(communicator));
    MPI_Finalize();
    if (rank == 0) std::printf("OK %d\n", ranks);
    return 0;
}
