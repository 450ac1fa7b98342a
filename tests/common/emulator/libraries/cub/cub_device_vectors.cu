// SPDX-License-Identifier: MIT
// Prints what CUB's algorithms for a whole device compute. The same program wrote
// data/cub_device_vectors.txt on an H200, with the toolkit's CUB.
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>

namespace {

constexpr int kCount = 5000;
constexpr int kSegments = 7;

struct Plus {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct Larger {
    __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
struct Less {
    __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};
struct Minus {
    __host__ __device__ int operator()(int a, int b) const { return a - b; }
};
struct Square {
    __host__ __device__ int operator()(int a) const { return a * a; }
};
struct IsOdd {
    __host__ __device__ bool operator()(int a) const { return a % 2 != 0; }
};
struct IsNegative {
    __host__ __device__ bool operator()(int a) const { return a < 0; }
};
struct AddIndex {
    int* data;
    __device__ void operator()(int i) const { data[i] += i; }
};
struct Negate {
    __device__ void operator()(int& value) const { value = -value; }
};

int* d_in = nullptr;  // random
int* d_runs = nullptr;  // with runs of equal values
int* d_index = nullptr;  // 0, 1, 2, ...
int* d_out = nullptr;
int* d_more = nullptr;
int* d_third = nullptr;
int* d_number = nullptr;

void print(const char* name, const int* data, int count) {
    std::vector<int> values(count);
    cudaMemcpy(values.data(), data, count * sizeof(int), cudaMemcpyDeviceToHost);
    unsigned int hash = 2166136261u;
    for (const int value : values) hash = (hash ^ static_cast<unsigned int>(value)) * 16777619u;
    std::printf("%s %d %08x", name, count, hash);
    for (int i = 0; i < 8 && i < count; ++i) std::printf(" %d", values[i * 617 % count]);
    std::printf("\n");
}

// Calls an algorithm twice: for the size of its temporary storage, and for its work.
template <class Call>
void run(const char* name, Call call, int out, int more = 0, bool has_number = false) {
    cudaMemset(d_out, 0x55, 2 * kCount * sizeof(int));
    cudaMemset(d_more, 0x55, 2 * kCount * sizeof(int));
    cudaMemset(d_number, 0, 4 * sizeof(int));
    std::size_t bytes = 0;
    void* storage = nullptr;
    cudaError_t error = call(storage, bytes);
    if (error != cudaSuccess) std::printf("%s %s\n", name, cudaGetErrorName(error));
    cudaMalloc(&storage, bytes);
    error = call(storage, bytes);
    if (error != cudaSuccess) std::printf("%s %s\n", name, cudaGetErrorName(error));
    int number = 0;
    cudaMemcpy(&number, d_number, sizeof number, cudaMemcpyDeviceToHost);
    if (has_number) {
        std::printf("%s number %d\n", name, number);
        if (out < 0) out = number;
        if (more < 0) more = number;
    }
    print(name, d_out, out);
    if (more > 0) print(name, d_more, more);
    cudaFree(storage);
}

// `call` names the temporary storage `t, b`.
#define RUN(name, call, ...) \
    run(                     \
        name, [&](void* t, std::size_t& b) { return call; }, __VA_ARGS__)

void reduce_and_scan() {
    RUN("sum", cub::DeviceReduce::Sum(t, b, d_in, d_out, kCount), 1);
    RUN("min", cub::DeviceReduce::Min(t, b, d_in, d_out, kCount), 1);
    RUN("max", cub::DeviceReduce::Max(t, b, d_in, d_out, kCount), 1);
    RUN("reduce", cub::DeviceReduce::Reduce(t, b, d_in, d_out, kCount, Larger(), 1000), 1);
    RUN("empty", cub::DeviceReduce::Reduce(t, b, d_in, d_out, 0, Plus(), 17), 1);
    RUN("transform-reduce",
        cub::DeviceReduce::TransformReduce(t, b, d_in, d_out, kCount, Plus(), Square(), 5), 1);
    RUN("reduce-by-key",
        cub::DeviceReduce::ReduceByKey(t, b, d_runs, d_out, d_in, d_more, d_number, Plus(), kCount),
        -1, -1, true);
    RUN("exclusive-sum", cub::DeviceScan::ExclusiveSum(t, b, d_in, d_out, kCount), kCount);
    RUN("inclusive-sum", cub::DeviceScan::InclusiveSum(t, b, d_in, d_out, kCount), kCount);
    RUN("exclusive-scan", cub::DeviceScan::ExclusiveScan(t, b, d_in, d_out, Larger(), -50, kCount),
        kCount);
    RUN("inclusive-scan", cub::DeviceScan::InclusiveScan(t, b, d_in, d_out, Larger(), kCount),
        kCount);
    RUN("inclusive-sum-by-key",
        cub::DeviceScan::InclusiveSumByKey(t, b, d_runs, d_in, d_out, kCount), kCount);
    RUN("exclusive-sum-by-key",
        cub::DeviceScan::ExclusiveSumByKey(t, b, d_runs, d_in, d_out, kCount), kCount);
    RUN("exclusive-scan-by-key",
        cub::DeviceScan::ExclusiveScanByKey(t, b, d_runs, d_in, d_out, Larger(), 3, kCount),
        kCount);
    RUN("segmented-sum",
        cub::DeviceSegmentedReduce::Sum(t, b, d_in, d_out, kSegments, d_third, d_third + 1),
        kSegments);
    RUN("segmented-max",
        cub::DeviceSegmentedReduce::Max(t, b, d_in, d_out, kSegments, d_third, d_third + 1),
        kSegments);
    RUN("segmented-reduce",
        cub::DeviceSegmentedReduce::Reduce(t, b, d_in, d_out, kSegments, d_third, d_third + 1,
                                           Plus(), 9),
        kSegments);
}

void sort() {
    RUN("radix-keys", cub::DeviceRadixSort::SortKeys(t, b, d_in, d_out, kCount), kCount);
    RUN("radix-keys-descending",
        cub::DeviceRadixSort::SortKeysDescending(t, b, d_in, d_out, kCount, 4, 12), kCount);
    RUN("radix-pairs",
        cub::DeviceRadixSort::SortPairs(t, b, d_runs, d_out, d_index, d_more, kCount), kCount,
        kCount);
    RUN("radix-pairs-descending",
        cub::DeviceRadixSort::SortPairsDescending(t, b, d_runs, d_out, d_index, d_more, kCount),
        kCount, kCount);
    RUN("radix-floats",
        cub::DeviceRadixSort::SortKeys(t, b, reinterpret_cast<float*>(d_in),
                                       reinterpret_cast<float*>(d_out), kCount),
        kCount);
    cub::DoubleBuffer<int> keys(d_out, d_out + kCount);
    cub::DoubleBuffer<int> values(d_more, d_more + kCount);
    std::size_t bytes = 0;
    cudaMemcpy(d_out, d_runs, kCount * sizeof(int), cudaMemcpyDeviceToDevice);
    cudaMemcpy(d_more, d_index, kCount * sizeof(int), cudaMemcpyDeviceToDevice);
    void* storage = nullptr;
    cub::DeviceRadixSort::SortPairs(storage, bytes, keys, values, kCount);
    cudaMalloc(&storage, bytes);
    cub::DeviceRadixSort::SortPairs(storage, bytes, keys, values, kCount);
    print("radix-double-buffer", keys.Current(), kCount);
    print("radix-double-buffer", values.Current(), kCount);
    cudaFree(storage);
    RUN("merge-keys-copy", cub::DeviceMergeSort::SortKeysCopy(t, b, d_in, d_out, kCount, Less()),
        kCount);
    RUN("merge-pairs",
        (cudaMemcpy(d_out, d_runs, kCount * sizeof(int), cudaMemcpyDeviceToDevice),
         cudaMemcpy(d_more, d_index, kCount * sizeof(int), cudaMemcpyDeviceToDevice),
         cub::DeviceMergeSort::StableSortPairs(t, b, d_out, d_more, kCount, Less())),
        kCount, kCount);
    RUN("segmented-radix",
        cub::DeviceSegmentedRadixSort::SortPairs(t, b, d_runs, d_out, d_index, d_more, kCount,
                                                 kSegments, d_third, d_third + 1),
        kCount, kCount);
    RUN("segmented-sort",
        cub::DeviceSegmentedSort::StableSortPairsDescending(
            t, b, d_runs, d_out, d_index, d_more, kCount, kSegments, d_third, d_third + 1),
        kCount, kCount);
}

void select() {
    RUN("select-if", cub::DeviceSelect::If(t, b, d_in, d_out, d_number, kCount, IsOdd()), -1, 0,
        true);
    RUN("select-flagged", cub::DeviceSelect::Flagged(t, b, d_in, d_runs, d_out, d_number, kCount),
        -1, 0, true);
    RUN("unique", cub::DeviceSelect::Unique(t, b, d_runs, d_out, d_number, kCount), -1, 0, true);
    RUN("unique-by-key",
        cub::DeviceSelect::UniqueByKey(t, b, d_runs, d_in, d_out, d_more, d_number, kCount), -1, -1,
        true);
    RUN("partition-if", cub::DevicePartition::If(t, b, d_in, d_out, d_number, kCount, IsOdd()),
        kCount, 0, true);
    RUN("partition-flagged",
        cub::DevicePartition::Flagged(t, b, d_in, d_runs, d_out, d_number, kCount), kCount, 0,
        true);
    run(
        "partition-three",
        [](void* t, std::size_t& b) {
            return cub::DevicePartition::If(t, b, d_in, d_out, d_more, d_more + kCount, d_number,
                                            kCount, IsNegative(), IsOdd());
        },
        1500, 1200, true);
    RUN("histogram-even",
        cub::DeviceHistogram::HistogramEven(t, b, d_in, d_out, 11, -400, 600, kCount), 10);
    RUN("histogram-range",
        cub::DeviceHistogram::HistogramRange(t, b, d_in, d_out, kSegments, d_number + 4, kCount),
        kSegments - 1);
    RUN("run-lengths",
        cub::DeviceRunLengthEncode::Encode(t, b, d_runs, d_out, d_more, d_number, kCount), -1, -1,
        true);
    RUN("long-runs",
        cub::DeviceRunLengthEncode::NonTrivialRuns(t, b, d_runs, d_out, d_more, d_number, kCount),
        -1, -1, true);
    RUN("differences",
        cub::DeviceAdjacentDifference::SubtractLeftCopy(t, b, d_in, d_out, kCount, Minus()),
        kCount);
    RUN("differences-right",
        cub::DeviceAdjacentDifference::SubtractRightCopy(t, b, d_in, d_out, kCount, Minus()),
        kCount);
    cudaMemcpy(d_out, d_in, kCount * sizeof(int), cudaMemcpyDeviceToDevice);
    cub::DeviceFor::Bulk(kCount, AddIndex{d_out});
    print("for-bulk", d_out, kCount);
    cub::DeviceFor::ForEachN(d_out, kCount / 2, Negate());
    print("for-each", d_out, kCount);
    RUN("transform-iterator",
        cub::DeviceReduce::Sum(t, b, cub::CacheModifiedInputIterator<cub::LOAD_DEFAULT, int>(d_in),
                               d_out, kCount),
        1);
}

}  // namespace

int main() {
    std::vector<int> in(kCount);
    std::vector<int> runs(kCount);
    std::vector<int> index(kCount);
    unsigned int state = 4711;
    int run = 3;
    for (int i = 0; i < kCount; ++i) {
        state = state * 1664525u + 1013904223u;
        in[i] = static_cast<int>(state >> 22) - 400;
        if (i % 3 == 0) run = static_cast<int>(state >> 26) % 5;
        runs[i] = run;
        index[i] = i;
    }
    const std::vector<int> offsets{0, 10, 10, 400, 2000, 2001, 4000, kCount};
    const std::vector<int> levels{0, 0, 0, 0, -300, -100, 0, 5, 100, 300, 500};
    cudaMalloc(&d_in, kCount * sizeof(int));
    cudaMalloc(&d_runs, kCount * sizeof(int));
    cudaMalloc(&d_index, kCount * sizeof(int));
    cudaMalloc(&d_out, 2 * kCount * sizeof(int));
    cudaMalloc(&d_more, 2 * kCount * sizeof(int));
    cudaMalloc(&d_third, offsets.size() * sizeof(int));
    cudaMalloc(&d_number, levels.size() * sizeof(int));
    const auto fill = [](int* data, const std::vector<int>& values) {
        cudaMemcpy(data, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    };
    fill(d_in, in);
    fill(d_runs, runs);
    fill(d_index, index);
    fill(d_third, offsets);
    fill(d_number, levels);
    reduce_and_scan();
    sort();
    select();
    return 0;
}
