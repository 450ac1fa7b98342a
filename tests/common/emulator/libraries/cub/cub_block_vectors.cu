// SPDX-License-Identifier: MIT
// Prints what CUB's primitives for warps and blocks compute. The same program wrote
// data/cub_block_vectors.txt on an H200, with the toolkit's CUB.
#include <cstdio>
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>
#include <vector>

namespace {

constexpr int kThreads = 96;  // three warps
constexpr int kItems = 4;
constexpr int kTile = kThreads * kItems;
constexpr int kOutputs = 8 * kTile;

struct Plus {
    template <class T>
    __host__ __device__ T operator()(const T& a, const T& b) const {
        return a + b;
    }
};
struct Larger {
    __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
struct Less {
    __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};
// Joins pairs (a, b): f(x) = a x + b. Associative, but the order matters.
struct Affine {
    unsigned int a, b;
};
struct Compose {
    __host__ __device__ Affine operator()(const Affine& f, const Affine& g) const {
        return {f.a * g.a, f.b * g.a + g.b};
    }
};
struct Different {
    __host__ __device__ bool operator()(int a, int b) const { return a / 4 != b / 4; }
};
struct DifferentAt {
    __host__ __device__ bool operator()(int a, int b, int i) const {
        return a / 4 != b / 4 || i % 10 == 0;
    }
};
struct Minus {
    __host__ __device__ int operator()(int a, int b) const { return a - b; }
};
struct Running {
    int total;
    __device__ int operator()(int aggregate) {
        const int before = total;
        total += aggregate;
        return before;
    }
};

__device__ void put(int* out, int row, const int (&items)[kItems]) {
    for (int i = 0; i < kItems; ++i) out[row * kTile + threadIdx.x * kItems + i] = items[i];
}
__device__ void get(const int* in, int (&items)[kItems]) {
    for (int i = 0; i < kItems; ++i) items[i] = in[threadIdx.x * kItems + i];
}

__global__ void warp_kernel(const int* in, int* out) {
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int value = in[threadIdx.x];
    {
        using Reduce = cub::WarpReduce<int>;
        __shared__ typename Reduce::TempStorage storage[kThreads / 32];
        const int head = Reduce(storage[warp]).HeadSegmentedSum(value, lane % 5 == 0);
        __syncwarp();
        const int tail = Reduce(storage[warp]).TailSegmentedReduce(value, lane % 7 == 3, Larger());
        __syncwarp();
        const int part = Reduce(storage[warp]).Reduce(value, Larger(), 9);
        out[threadIdx.x] = lane % 5 == 0 ? head : 0;
        out[kTile + threadIdx.x] = lane == 0 || lane % 7 == 4 ? tail : 0;
        out[2 * kTile + threadIdx.x] = lane == 0 ? part : 0;
    }
    {
        using Scan = cub::WarpScan<int, 16>;
        __shared__ typename Scan::TempStorage storage[kThreads / 16];
        Scan scan(storage[threadIdx.x / 16]);
        int* const row = out + 3 * kTile + threadIdx.x * 4;
        int total = 0;
        scan.InclusiveSum(value, row[0], total);
        __syncwarp();
        scan.ExclusiveScan(value, row[1], -5, Larger());
        __syncwarp();
        int last = 0;
        scan.InclusiveScan(value, row[2], 100, Plus(), last);
        row[3] = total * 1000 + last;
        __syncwarp();
        scan.Scan(value, out[4 * kTile + 2 * threadIdx.x], out[4 * kTile + 2 * threadIdx.x + 1], 7,
                  Plus());
        __syncwarp();
        out[5 * kTile + threadIdx.x] = scan.Broadcast(value, 11);
    }
    out[5 * kTile + kThreads + threadIdx.x] = cub::ShuffleIndex<32>(value, lane ^ 5, 0xffffffff);
    out[5 * kTile + 2 * kThreads + threadIdx.x] = cub::ShuffleUp<32>(value, 3, 0, 0xffffffff);
    out[6 * kTile + threadIdx.x] = cub::ShuffleDown<32>(value, 3, 31, 0xffffffff);
}

__global__ void warp_tile_kernel(const int* in, int* out) {
    const int warp = threadIdx.x / 32;
    using Load = cub::WarpLoad<int, kItems, cub::WARP_LOAD_TRANSPOSE>;
    using Striped = cub::WarpLoad<int, kItems, cub::WARP_LOAD_STRIPED>;
    using Store = cub::WarpStore<int, kItems, cub::WARP_STORE_TRANSPOSE>;
    using Exchange = cub::WarpExchange<int, kItems>;
    using Sort = cub::WarpMergeSort<int, kItems, 32, int>;
    __shared__ union Storage {
        typename Load::TempStorage load;
        typename Striped::TempStorage striped;
        typename Store::TempStorage store;
        typename Exchange::TempStorage exchange;
        typename Sort::TempStorage sort;
    } storage[kThreads / 32];
    Storage& own = storage[warp];
    const int first = warp * 32 * kItems;
    int items[kItems];
    Load(own.load).Load(in + first, items);
    put(out, 0, items);
    __syncwarp();
    Load(own.load).Load(in + first, items, 50, -1);
    put(out, 1, items);
    __syncwarp();
    Striped(own.striped).Load(in + first, items);
    put(out, 2, items);
    __syncwarp();
    Exchange(own.exchange).StripedToBlocked(items, items);
    put(out, 3, items);
    __syncwarp();
    Exchange(own.exchange).BlockedToStriped(items, items);
    put(out, 4, items);
    __syncwarp();
    int ranks[kItems];
    for (int i = 0; i < kItems; ++i) ranks[i] = 127 - (threadIdx.x % 32 * kItems + i);
    Exchange(own.exchange).ScatterToStriped(items, ranks);
    put(out, 5, items);
    __syncwarp();
    int values[kItems];
    get(in, items);
    for (int i = 0; i < kItems; ++i) {
        values[i] = threadIdx.x * kItems + i;
        items[i] /= 8;
    }
    Sort(own.sort).Sort(items, values, Less());
    put(out, 6, values);
    __syncwarp();
    Store(own.store).Store(out + 7 * kTile + first, items, 100);
}

template <cub::BlockLoadAlgorithm kLoad, cub::BlockStoreAlgorithm kStore>
__global__ void tile_kernel(const int* in, int* out) {
    using Load = cub::BlockLoad<int, kThreads, kItems, kLoad>;
    using Store = cub::BlockStore<int, kThreads, kItems, kStore>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } storage;
    int items[kItems];
    Load(storage.load).Load(in, items);
    put(out, 0, items);
    __syncthreads();
    Store(storage.store).Store(out + kTile, items);
    __syncthreads();
    for (int i = 0; i < kItems; ++i) items[i] = -7;
    Load(storage.load).Load(in, items, kTile / 3);
    put(out, 2, items);
    __syncthreads();
    Load(storage.load).Load(in, items, kTile / 3, 99);
    put(out, 3, items);
    __syncthreads();
    Store(storage.store).Store(out + 4 * kTile, items, kTile / 2);
}

__global__ void exchange_kernel(const int* in, int* out) {
    using Exchange = cub::BlockExchange<int, kThreads, kItems>;
    __shared__ typename Exchange::TempStorage storage;
    int items[kItems];
    int result[kItems];
    get(in, items);
    Exchange(storage).BlockedToStriped(items, result);
    put(out, 0, result);
    __syncthreads();
    Exchange(storage).StripedToBlocked(items, result);
    put(out, 1, result);
    __syncthreads();
    Exchange(storage).BlockedToWarpStriped(items, result);
    put(out, 2, result);
    __syncthreads();
    Exchange(storage).WarpStripedToBlocked(items, result);
    put(out, 3, result);
    __syncthreads();
    int ranks[kItems];
    for (int i = 0; i < kItems; ++i) ranks[i] = (threadIdx.x * kItems + i) * 7 % kTile;
    Exchange(storage).ScatterToBlocked(items, result, ranks);
    put(out, 4, result);
    __syncthreads();
    Exchange(storage).ScatterToStriped(items, result, ranks);
    put(out, 5, result);
    __syncthreads();
    cub::LoadDirectStriped<kThreads>(threadIdx.x, in, items);
    put(out, 6, items);
    cub::StoreDirectWarpStriped(threadIdx.x, out + 7 * kTile, items);
}

__global__ void sort_kernel(const int* in, int* out) {
    using Pairs = cub::BlockRadixSort<int, kThreads, kItems, int>;
    using Keys = cub::BlockRadixSort<float, kThreads, kItems>;
    using Merge = cub::BlockMergeSort<int, 64, kItems, int>;
    __shared__ union {
        typename Pairs::TempStorage pairs;
        typename Keys::TempStorage keys;
        typename Merge::TempStorage merge;
    } storage;
    int items[kItems];
    int values[kItems];
    const auto reset = [&] {
        __syncthreads();
        get(in, items);
        for (int i = 0; i < kItems; ++i) values[i] = threadIdx.x * kItems + i;
    };
    reset();
    Pairs(storage.pairs).Sort(items, values);
    put(out, 0, values);
    reset();
    Pairs(storage.pairs).SortDescending(items, values, 3, 7);
    put(out, 1, values);
    reset();
    Pairs(storage.pairs).SortBlockedToStriped(items, values);
    put(out, 2, items);
    put(out, 3, values);
    reset();
    float reals[kItems];
    for (int i = 0; i < kItems; ++i) reals[i] = items[i] * 0.5f;
    Keys(storage.keys).SortDescendingBlockedToStriped(reals);
    for (int i = 0; i < kItems; ++i) items[i] = __float_as_int(reals[i]);
    put(out, 4, items);
}

__global__ void merge_kernel(const int* in, int* out) {
    using Merge = cub::BlockMergeSort<int, 64, kItems, int>;
    __shared__ typename Merge::TempStorage storage;
    int items[kItems];
    int values[kItems];
    const auto reset = [&] {
        __syncthreads();
        get(in, items);
        for (int i = 0; i < kItems; ++i) values[i] = threadIdx.x * kItems + i;
    };
    reset();
    for (int& item : items) item /= 4;
    Merge(storage).Sort(items, values, Less());
    put(out, 0, items);
    put(out, 1, values);
    reset();
    Merge(storage).StableSort(items, values, Less(), 100, 1 << 30);
    put(out, 2, items);
}

__global__ void scan_kernel(const int* in, int* out) {
    using Scan = cub::BlockScan<int, kThreads>;
    using Functions = cub::BlockScan<Affine, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ union {
        typename Scan::TempStorage scan;
        typename Functions::TempStorage functions;
    } storage;
    int items[kItems];
    int result[kItems];
    int aggregate = 0;
    get(in, items);
    Scan(storage.scan).InclusiveSum(items, result, aggregate);
    put(out, 0, result);
    __syncthreads();
    Scan(storage.scan).ExclusiveScan(items, result, 3, Larger(), aggregate);
    result[0] += aggregate * 1000;
    put(out, 1, result);
    __syncthreads();
    Running running{100};
    for (int round = 0; round < 2; ++round) {
        Scan(storage.scan).ExclusiveSum(items, result, running);
        put(out, 2 + round, result);
        __syncthreads();
    }
    Scan(storage.scan).InclusiveSum(items, result, running);
    put(out, 4, result);
    __syncthreads();
    Running other{-5};
    Scan(storage.scan).InclusiveScan(items[0], result[0], Plus(), other);
    __syncthreads();
    Scan(storage.scan).ExclusiveScan(items[1], result[1], Plus(), other);
    __syncthreads();
    Scan(storage.scan).ExclusiveScan(items[2], result[2], 9, Larger());
    __syncthreads();
    Scan(storage.scan).InclusiveScan(items[3], result[3], Larger(), aggregate);
    result[3] += aggregate * 1000;
    put(out, 5, result);
    __syncthreads();
    Affine function{static_cast<unsigned int>(items[0] * 2 + 1),
                    static_cast<unsigned int>(items[1])};
    Functions(storage.functions).InclusiveScan(function, function, Compose());
    out[6 * kTile + 2 * threadIdx.x] = static_cast<int>(function.a);
    out[6 * kTile + 2 * threadIdx.x + 1] = static_cast<int>(function.b);
    __syncthreads();
    Functions(storage.functions).ExclusiveScan(function, function, Affine{3, 5}, Compose());
    out[7 * kTile + 2 * threadIdx.x] = static_cast<int>(function.a);
    out[7 * kTile + 2 * threadIdx.x + 1] = static_cast<int>(function.b);
}

__global__ void neighbours_kernel(const int* in, int* out) {
    using Flags = cub::BlockDiscontinuity<int, kThreads>;
    using Differences = cub::BlockAdjacentDifference<int, kThreads>;
    using Shuffle = cub::BlockShuffle<int, kThreads>;
    using Histogram = cub::BlockHistogram<unsigned char, kThreads, kItems, 32>;
    __shared__ union {
        typename Flags::TempStorage flags;
        typename Differences::TempStorage differences;
        typename Shuffle::TempStorage shuffle;
        typename Histogram::TempStorage histogram;
    } storage;
    __shared__ unsigned int counts[32];
    int items[kItems];
    int heads[kItems];
    int tails[kItems];
    get(in, items);
    Flags(storage.flags).FlagHeadsAndTails(heads, items[0], tails, items, DifferentAt());
    for (int i = 0; i < kItems; ++i) heads[i] += 2 * tails[i];
    put(out, 0, heads);
    __syncthreads();
    Flags(storage.flags).FlagHeads(heads, items, Different());
    __syncthreads();
    Flags(storage.flags).FlagTails(tails, items, Different(), 3);
    for (int i = 0; i < kItems; ++i) heads[i] += 2 * tails[i];
    put(out, 1, heads);
    __syncthreads();
    Differences(storage.differences).SubtractLeft(items, heads, Minus());
    put(out, 2, heads);
    __syncthreads();
    Differences(storage.differences).SubtractLeftPartialTile(items, heads, Minus(), 101, 1000);
    put(out, 3, heads);
    __syncthreads();
    Differences(storage.differences).SubtractRight(items, heads, Minus(), 500);
    put(out, 4, heads);
    __syncthreads();
    Differences(storage.differences).SubtractRightPartialTile(items, heads, Minus(), 101);
    put(out, 5, heads);
    __syncthreads();
    int suffix = 0;
    Shuffle(storage.shuffle).Up(items, heads, suffix);
    if (threadIdx.x == 0) heads[0] = suffix;
    put(out, 6, heads);
    __syncthreads();
    heads[0] = heads[1] = -3;
    Shuffle(storage.shuffle).Offset(items[0], heads[0], -5);
    __syncthreads();
    Shuffle(storage.shuffle).Rotate(items[1], heads[1], 40);
    __syncthreads();
    unsigned char bins[kItems];
    for (int i = 0; i < kItems; ++i) bins[i] = items[i] & 31;
    Histogram(storage.histogram).Histogram(bins, counts);
    __syncthreads();
    Histogram(storage.histogram).Composite(bins, counts);
    __syncthreads();
    heads[2] = counts[threadIdx.x % 32];
    heads[3] = cub::ThreadReduce(items, Plus());
    put(out, 7, heads);
}

int* d_in = nullptr;
int* d_out = nullptr;

template <class Kernel>
void print(const char* name, Kernel kernel, int threads = kThreads) {
    cudaMemset(d_out, 0, kOutputs * sizeof(int));
    kernel<<<1, threads>>>(d_in, d_out);
    std::vector<int> out(kOutputs);
    const cudaError_t error =
        cudaMemcpy(out.data(), d_out, kOutputs * sizeof(int), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) std::printf("%s %s\n", name, cudaGetErrorName(error));
    for (int row = 0; row < 8; ++row) {
        unsigned int hash = 2166136261u;
        for (int i = 0; i < kTile; ++i) {
            hash = (hash ^ static_cast<unsigned int>(out[row * kTile + i])) * 16777619u;
        }
        std::printf("%s %d %08x", name, row, hash);
        for (int i = 0; i < 10; ++i) std::printf(" %d", out[row * kTile + i * 37 % kTile]);
        std::printf("\n");
    }
}

}  // namespace

int main() {
    std::vector<int> in(kTile);
    unsigned int state = 12345;
    for (int& value : in) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<int>(state >> 24) - 100;
    }
    cudaMalloc(&d_in, kTile * sizeof(int));
    cudaMalloc(&d_out, kOutputs * sizeof(int));
    cudaMemcpy(d_in, in.data(), kTile * sizeof(int), cudaMemcpyHostToDevice);
    print("warp", warp_kernel);
    print("warp-tile", warp_tile_kernel);
    print("direct", tile_kernel<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT>);
    print("striped", tile_kernel<cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED>);
    print("vectorize", tile_kernel<cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>);
    print("transpose", tile_kernel<cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>);
    print("warp-transpose",
          tile_kernel<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>);
    print("timesliced", tile_kernel<cub::BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
                                    cub::BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED>);
    print("exchange", exchange_kernel);
    print("sort", sort_kernel);
    print("merge", merge_kernel, 64);
    print("scan", scan_kernel);
    print("neighbours", neighbours_kernel);
    return 0;
}
