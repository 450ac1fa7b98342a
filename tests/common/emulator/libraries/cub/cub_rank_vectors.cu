// SPDX-License-Identifier: MIT
// Prints what CUB's ranks of digits, decoded runs and sorts of keys of a program's own type are.
// The same program wrote data/cub_rank_vectors.txt on an H200, with the toolkit's CUB.
#include <cstdio>
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/cub.cuh>
#include <cuda/std/tuple>
#include <vector>

namespace {

constexpr int kThreads = 96;  // three warps
constexpr int kItems = 4;
constexpr int kTile = kThreads * kItems;
constexpr int kNothing = -7;

__host__ __device__ unsigned int mix(unsigned int x) {
    x = (x ^ (x >> 16)) * 0x45d9f3bu;
    x = (x ^ (x >> 16)) * 0x45d9f3bu;
    return x ^ (x >> 16);
}

// The first numbers of a list, and a hash of all.
void print(const char* name, const char* what, const int* values, int count) {
    unsigned long long hash = 14695981039346656037ull;
    for (int i = 0; i < count; ++i) {
        hash = (hash ^ static_cast<unsigned int>(values[i])) * 1099511628211ull;
    }
    std::printf("%s: %s %d %016llx", name, what, count, hash);
    for (int i = 0; i < 10 && i < count; ++i) std::printf(" %d", values[i]);
    std::printf("\n");
}

// Waits for the kernel.
bool is_done(const char* name) {
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s: %s\n", name, cudaGetErrorName(error));
    return error == cudaSuccess;
}

// ---- Ranks: of each key, then per thread the digits' prefixes and counts

template <int kBins>
struct StoreCounts {
    int* counts;
    __device__ void operator()(int (&bins)[kBins]) {
        for (int i = 0; i < kBins; ++i) counts[threadIdx.x * kBins + i] = bins[i];
    }
};

template <class Rank, int kBits>
__global__ void rank_kernel(int* ranks_out, int* prefixes_out, int begin_bit, bool striped) {
    constexpr int kBins = Rank::BINS_TRACKED_PER_THREAD;
    __shared__ typename Rank::TempStorage storage;
    unsigned int keys[kItems];
    int ranks[kItems], prefixes[kBins];
    const int thread = static_cast<int>(threadIdx.x);
    const auto place = [&](int i) {
        return striped ? thread / 32 * 32 * kItems + i * 32 + thread % 32 : thread * kItems + i;
    };
    for (int i = 0; i < kItems; ++i) keys[i] = mix(place(i) / 3);
    for (int& prefix : prefixes) prefix = kNothing;
    cub::BFEDigitExtractor<unsigned int> extractor(begin_bit, kBits);
    Rank(storage).RankKeys(keys, ranks, extractor, prefixes);
    for (int i = 0; i < kItems; ++i) ranks_out[place(i)] = ranks[i];
    for (int i = 0; i < kBins; ++i) {
        if (thread * kBins + i < (1 << kBits)) {
            prefixes_out[thread * kBins + i] = prefixes[i];
        }
    }
}

template <class Rank, int kBits>
__global__ void counts_kernel(int* ranks_out, int* counts) {
    constexpr int kBins = Rank::BINS_TRACKED_PER_THREAD;
    __shared__ typename Rank::TempStorage storage;
    unsigned int keys[kItems];
    int ranks[kItems], prefixes[kBins];
    const int thread = static_cast<int>(threadIdx.x);
    const auto place = [&](int i) { return thread / 32 * 32 * kItems + i * 32 + thread % 32; };
    for (int i = 0; i < kItems; ++i) keys[i] = mix(place(i));
    cub::ShiftDigitExtractor<unsigned int> extractor(5, kBits);
    Rank(storage).RankKeys(keys, ranks, extractor, prefixes, StoreCounts<kBins>{counts});
    for (int i = 0; i < kItems; ++i) ranks_out[place(i)] = ranks[i];
}

template <class Rank, int kBits>
void show_ranks(const char* name, bool striped) {
    int* out;
    cudaMallocManaged(&out, 4 * kTile * sizeof(int));
    rank_kernel<Rank, kBits><<<1, kThreads>>>(out, out + kTile, 3, striped);
    if (is_done(name)) {
        print(name, "ranks", out, kTile);
        print(name, "prefixes", out + kTile, 1 << kBits);
    }
    cudaFree(out);
}

template <class Rank, int kBits>
void show_counts(const char* name) {
    int* out;
    cudaMallocManaged(&out, 4 * kTile * sizeof(int));
    counts_kernel<Rank, kBits><<<1, kThreads>>>(out, out + kTile);
    if (is_done(name)) {
        print(name, "ranks", out, kTile);
        print(name, "counts", out + kTile, 1 << kBits);
    }
    cudaFree(out);
}

void show_all_ranks() {
    show_ranks<cub::BlockRadixRank<kThreads, 5, false>, 5>("basic", false);
    show_ranks<cub::BlockRadixRank<kThreads, 4, true, false>, 4>("basic descending", false);
    show_ranks<cub::BlockRadixRank<kThreads, 7, true>, 7>("basic, several bins", false);
    show_ranks<cub::BlockRadixRank<32, 3, false, true, cub::BLOCK_SCAN_RAKING,
                                   cudaSharedMemBankSizeEightByte, 3>,
               3>("basic, 8-byte banks", false);
    show_ranks<cub::BlockRadixRankMatch<kThreads, 5, false>, 5>("match", true);
    show_ranks<cub::BlockRadixRankMatch<kThreads, 6, true>, 6>("match descending", true);
    using Early = cub::BlockRadixRankMatchEarlyCounts<kThreads, 5, false>;
    using EarlyDescending =
        cub::BlockRadixRankMatchEarlyCounts<kThreads, 7, true, cub::BLOCK_SCAN_WARP_SCANS,
                                            cub::WARP_MATCH_ATOMIC_OR>;
    show_ranks<Early, 5>("early counts", true);
    show_ranks<EarlyDescending, 7>("early counts descending", true);
    show_counts<cub::BlockRadixRankMatch<kThreads, 5, false>, 5>("match, counts");
    show_counts<cub::BlockRadixRankMatch<kThreads, 5, true>, 5>("match, descending, counts");
    show_counts<Early, 5>("early, counts");
    show_counts<EarlyDescending, 7>("early, descending, counts");
}

// ---- Decoded runs

using Decode = cub::BlockRunLengthDecode<long long, kThreads, 2, kItems>;

__host__ __device__ int run_length(int run) {
    return run >= 150 ? 0 : 1 + static_cast<int>(mix(run) % 11);
}

__global__ void decode_kernel(int* items_out, int* offsets_out, int* total_out) {
    __shared__ Decode::TempStorage storage;
    long long values[2];
    int lengths[2];
    for (int i = 0; i < 2; ++i) {
        const int run = static_cast<int>(threadIdx.x) * 2 + i;
        values[i] = 1000 + run;
        lengths[i] = run_length(run);
    }
    unsigned int total = 0;
    Decode decode(storage, values, lengths, total);
    if (threadIdx.x == 0) *total_out = static_cast<int>(total);
    for (unsigned int first = 0; first < total; first += kTile) {
        long long items[kItems];
        unsigned int offsets[kItems];
        decode.RunLengthDecode(items, offsets, first);
        for (unsigned int i = 0; i < kItems; ++i) {
            const unsigned int place = first + threadIdx.x * kItems + i;
            if (place >= total) continue;
            items_out[place] = static_cast<int>(items[i]);
            offsets_out[place] = static_cast<int>(offsets[i]);
        }
    }
}

// From given offsets, with the type's own storage, and without relative offsets.
__global__ void decode_offsets_kernel(int* items_out) {
    long long values[2];
    unsigned int offsets[2];
    for (int i = 0; i < 2; ++i) {
        const int run = static_cast<int>(threadIdx.x) * 2 + i;
        values[i] = 7 * run;
        offsets[i] = run / 3 * 6 + run % 3;  // lengths 1, 1, 4
    }
    Decode decode(values, offsets);
    long long items[kItems];
    decode.RunLengthDecode(items, 5);
    for (int i = 0; i < kItems; ++i) {
        items_out[threadIdx.x * kItems + i] = static_cast<int>(items[i]);
    }
}

void show_runs() {
    int* out;
    cudaMallocManaged(&out, 4096 * sizeof(int));
    decode_kernel<<<1, kThreads>>>(out, out + 2048, out + 4095);
    if (is_done("runs")) {
        print("runs", "items", out, out[4095]);
        print("runs", "offsets", out + 2048, out[4095]);
    }
    decode_offsets_kernel<<<1, kThreads>>>(out);
    if (is_done("runs from offsets")) print("runs from offsets", "items", out, kTile - 6);
    cudaFree(out);
}

// ---- Keys of a program's own type

struct Record {
    float weight;
    signed char group;
    unsigned short serial;
    int payload;  // no part of the key
};
struct Decomposer {
    __host__ __device__ cuda::std::tuple<signed char&, float&> operator()(Record& key) const {
        return {key.group, key.weight};
    }
};
struct ThreeParts {
    __host__ __device__ cuda::std::tuple<float&, unsigned short&, signed char&> operator()(
        Record& key) const {
        return {key.weight, key.serial, key.group};
    }
};

__host__ __device__ Record record(int i) {
    const unsigned int bits = mix(i);
    Record made;
    made.weight = static_cast<float>(static_cast<int>(bits % 7) - 3) * 0.5f;
    if (bits % 7 == 3 && (bits & 64) != 0) made.weight = -0.0f;
    made.group = static_cast<signed char>(static_cast<int>(bits >> 8 & 3) - 2);
    made.serial = static_cast<unsigned short>(bits >> 16);
    made.payload = i;
    return made;
}

template <class Sort>
__global__ void block_sort_kernel(int* out, Sort sort) {
    using Block = cub::BlockRadixSort<Record, kThreads, kItems, int>;
    __shared__ typename Block::TempStorage storage;
    Record keys[kItems];
    int values[kItems];
    for (int i = 0; i < kItems; ++i) {
        const int place = static_cast<int>(threadIdx.x) * kItems + i;
        keys[i] = record(place);
        values[i] = -place;
    }
    Block block(storage);
    sort(block, keys, values);
    for (int i = 0; i < kItems; ++i) {
        out[threadIdx.x * kItems + i] = keys[i].payload;
        out[kTile + threadIdx.x * kItems + i] = values[i];
    }
}

struct SortAll {
    template <class Block>
    __device__ void operator()(Block& b, Record (&keys)[kItems], int (&values)[kItems]) const {
        b.Sort(keys, values, Decomposer{});
    }
};
struct SortBits {
    template <class Block>
    __device__ void operator()(Block& b, Record (&keys)[kItems], int (&values)[kItems]) const {
        b.SortDescending(keys, values, ThreeParts{}, 4, 29);
    }
};
struct SortStriped {
    template <class Block>
    __device__ void operator()(Block& b, Record (&keys)[kItems], int (&values)[kItems]) const {
        b.SortBlockedToStriped(keys, values, ThreeParts{});
    }
};
struct SortDescendingStriped {
    template <class Block>
    __device__ void operator()(Block& b, Record (&keys)[kItems], int (&values)[kItems]) const {
        b.SortDescendingBlockedToStriped(keys, values, Decomposer{}, 16, 40);
    }
};

template <class Sort>
void show_block_sort(const char* name) {
    int* out;
    cudaMallocManaged(&out, 2 * kTile * sizeof(int));
    block_sort_kernel<<<1, kThreads>>>(out, Sort{});
    if (is_done(name)) {
        print(name, "keys", out, kTile);
        print(name, "values", out + kTile, kTile);
    }
    cudaFree(out);
}

// Shows the keys that the call leaves, and the values if it has any.
template <class Call>
void show_device_sort(const char* name, Call call) {
    constexpr int kCount = 700;
    Record *keys, *sorted;
    int *values, *sorted_values;
    cudaMallocManaged(&keys, kCount * sizeof(Record));
    cudaMallocManaged(&sorted, kCount * sizeof(Record));
    cudaMallocManaged(&values, kCount * sizeof(int));
    cudaMallocManaged(&sorted_values, kCount * sizeof(int));
    for (int i = 0; i < kCount; ++i) {
        keys[i] = record(i);
        values[i] = 3 * i;
        sorted_values[i] = 0;
    }
    cub::DoubleBuffer<Record> key_buffer(keys, sorted);
    cub::DoubleBuffer<int> value_buffer(values, sorted_values);
    void* storage = nullptr;
    std::size_t bytes = 0;
    cudaError_t error = cudaSuccess;
    for (int round = 0; round < 2; ++round) {
        if (round == 1) cudaMalloc(&storage, bytes);
        error = call(storage, bytes, key_buffer, value_buffer, kCount);
    }
    if (error != cudaSuccess) std::printf("%s: %s\n", name, cudaGetErrorName(error));
    if (!is_done(name)) return;
    std::vector<int> numbers;
    const Record* result = key_buffer.selector != 0 ? key_buffer.Current() : sorted;
    for (int i = 0; i < kCount; ++i) numbers.push_back(result[i].payload);
    print(name, "keys", numbers.data(), kCount);
    print(name, "values", value_buffer.selector != 0 ? value_buffer.Current() : sorted_values,
          kCount);
    cudaFree(storage);
    cudaFree(keys);
    cudaFree(sorted);
    cudaFree(values);
    cudaFree(sorted_values);
}

void show_device_sorts() {
    using Sort = cub::DeviceRadixSort;
    show_device_sort("device keys", [](void* s, std::size_t& b, auto& k, auto&, int n) {
        return Sort::SortKeys(s, b, k.Current(), k.Alternate(), n, Decomposer{});
    });
    show_device_sort("device keys, bits", [](void* s, std::size_t& b, auto& k, auto&, int n) {
        return Sort::SortKeys(s, b, k.Current(), k.Alternate(), n, ThreeParts{}, 3, 50);
    });
    show_device_sort("device keys descending", [](void* s, std::size_t& b, auto& k, auto&, int n) {
        return Sort::SortKeysDescending(s, b, k.Current(), k.Alternate(), n, ThreeParts{});
    });
    show_device_sort("device pairs", [](void* s, std::size_t& b, auto& k, auto& v, int n) {
        return Sort::SortPairs(s, b, k.Current(), k.Alternate(), v.Current(), v.Alternate(), n,
                               Decomposer{});
    });
    show_device_sort(
        "device pairs descending, bits", [](void* s, std::size_t& b, auto& k, auto& v, int n) {
            return Sort::SortPairsDescending(s, b, k.Current(), k.Alternate(), v.Current(),
                                             v.Alternate(), n, Decomposer{}, 20, 36);
        });
}

}  // namespace

int main() {
    show_all_ranks();
    show_runs();
    show_block_sort<SortAll>("block sort");
    show_block_sort<SortBits>("block sort descending, bits");
    show_block_sort<SortStriped>("block sort to stripes");
    show_block_sort<SortDescendingStriped>("block sort descending to stripes, bits");
    show_device_sorts();
    return 0;
}
