// SPDX-License-Identifier: MIT
// Cooperative groups: ranks and sizes, partitions, collectives, grid synchronisation.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "device_array.hpp"

namespace cg = cooperative_groups;

struct Ranks {
    unsigned int block_rank, block_size, index_x, index_y;
    unsigned long long grid_rank, grid_size;
    unsigned int tile_rank, tile_size, tile_number, tiles;
    unsigned int quarter_rank, quarter_number, quarters;
    unsigned int alone;
};

__global__ void rank_kernel(Ranks* out) {
    const cg::thread_block block = cg::this_thread_block();
    const cg::grid_group grid = cg::this_grid();
    const auto tile = cg::tiled_partition<16>(block);
    const auto quarter = cg::tiled_partition<4>(tile);
    const cg::thread_block_tile<4> forgetful = quarter;
    Ranks ranks;
    ranks.block_rank = block.thread_rank();
    ranks.block_size = static_cast<unsigned int>(block.size());
    ranks.index_x = block.thread_index().x;
    ranks.index_y = block.group_index().y;
    ranks.grid_rank = grid.thread_rank();
    ranks.grid_size = grid.size();
    ranks.tile_rank = tile.thread_rank();
    ranks.tile_size = static_cast<unsigned int>(tile.num_threads());
    ranks.tile_number = tile.meta_group_rank();
    ranks.tiles = tile.meta_group_size();
    ranks.quarter_rank = forgetful.thread_rank();
    ranks.quarter_number = forgetful.meta_group_rank();
    ranks.quarters = forgetful.meta_group_size();
    ranks.alone = static_cast<unsigned int>(cg::this_thread().size());
    out[ranks.grid_rank] = ranks;
    cg::sync(block);
    tile.sync();
}

TEST(CooperativeGroups, RanksAndSizes) {
    const dim3 grid(2, 3);
    const dim3 block(8, 4, 2);
    constexpr unsigned int kBlockSize = 64;
    DeviceArray<Ranks> out(6 * kBlockSize);
    rank_kernel<<<grid, block>>>(out.data());
    const auto results = out.read();
    for (unsigned int i = 0; i < results.size(); ++i) {
        const unsigned int thread = i % kBlockSize;
        EXPECT_EQ(results[i].grid_rank, i);
        EXPECT_EQ(results[i].grid_size, results.size());
        EXPECT_EQ(results[i].block_rank, thread);
        EXPECT_EQ(results[i].block_size, kBlockSize);
        EXPECT_EQ(results[i].index_x, thread % 8);
        EXPECT_EQ(results[i].index_y, i / kBlockSize / 2);
        EXPECT_EQ(results[i].tile_rank, thread % 16);
        EXPECT_EQ(results[i].tile_size, 16u);
        EXPECT_EQ(results[i].tile_number, thread / 16);
        EXPECT_EQ(results[i].tiles, 4u);
        EXPECT_EQ(results[i].quarter_rank, thread % 4);
        EXPECT_EQ(results[i].quarter_number, thread % 16 / 4);
        EXPECT_EQ(results[i].quarters, 4u);
        EXPECT_EQ(results[i].alone, 1u);
    }
}

struct Exchanges {
    int direct, up, down, exchanged;
    float4 vector;
    unsigned int ballot, same_parity, equal;
    int any, all, all_equal;
};

template <int kSize>
__global__ void tile_kernel(Exchanges* out) {
    const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
    const int thread = static_cast<int>(threadIdx.x);
    const auto number = static_cast<float>(thread);
    Exchanges result;
    result.direct = tile.shfl(thread, 1);
    result.up = tile.shfl_up(thread, 1);
    result.down = tile.shfl_down(thread, 2);
    result.exchanged = tile.shfl_xor(thread, 1);
    result.vector = tile.shfl(make_float4(number, number + 1, number + 2, number + 3), 0);
    result.ballot = tile.ballot(tile.thread_rank() % 3 == 0);
    result.same_parity = tile.match_any(thread % 2);
    result.equal = tile.match_all(thread / kSize, result.all_equal);
    result.any = tile.any(tile.thread_rank() == 0);
    result.all = tile.all(tile.thread_rank() == 0);
    out[threadIdx.x] = result;
}

template <int kSize>
void check_tiles() {
    constexpr int kThreads = 96;
    constexpr unsigned int kAll = kSize == 32 ? 0xffffffffu : (1u << kSize % 32) - 1u;
    DeviceArray<Exchanges> out(kThreads);
    tile_kernel<kSize><<<1, kThreads>>>(out.data());
    const auto results = out.read();
    for (int thread = 0; thread < kThreads; ++thread) {
        const int rank = thread % kSize;
        const int first = thread - rank;
        const Exchanges& result = results[thread];
        EXPECT_EQ(result.direct, first + 1 % kSize);
        EXPECT_EQ(result.up, rank == 0 ? thread : thread - 1);
        EXPECT_EQ(result.down, rank + 2 < kSize ? thread + 2 : thread);
        EXPECT_EQ(result.exchanged, kSize == 1 ? thread : thread ^ 1);
        EXPECT_EQ(result.vector.x, static_cast<float>(first));
        EXPECT_EQ(result.vector.w, static_cast<float>(first + 3));
        EXPECT_EQ(result.ballot, 0x49249249u & kAll);
        EXPECT_EQ(result.same_parity, (rank % 2 == 0 ? 0x55555555u : 0xaaaaaaaau) & kAll);
        EXPECT_EQ(result.equal, kAll);
        EXPECT_NE(result.all_equal, 0);
        EXPECT_NE(result.any, 0);
        EXPECT_EQ(result.all != 0, kSize == 1);
    }
}

TEST(CooperativeGroups, TilesOfEverySize) {
    check_tiles<32>();
    check_tiles<16>();
    check_tiles<8>();
    check_tiles<4>();
    check_tiles<2>();
}

struct Totals {
    int sum, minimum, maximum, all_bits, any_bits, parity, product;
    double real_sum;
    int inclusive, exclusive, running_maximum;
    unsigned long long wide_sum;
};

template <class Group>
__device__ Totals totals_of(const Group& group, int value) {
    Totals totals;
    totals.sum = cg::reduce(group, value, cg::plus<int>());
    totals.minimum = cg::reduce(group, value, cg::less<int>());
    totals.maximum = cg::reduce(group, value, cg::greater<int>());
    totals.all_bits = cg::reduce(group, value, cg::bit_and<int>());
    totals.any_bits = cg::reduce(group, value, cg::bit_or<int>());
    totals.parity = cg::reduce(group, value, cg::bit_xor<int>());
    totals.product = cg::reduce(group, value % 2 + 1, [](int a, int b) { return a * b; });
    totals.real_sum = cg::reduce(group, value * 0.5, cg::plus<double>());
    totals.wide_sum = cg::reduce(group, 1ull << 40, cg::plus<unsigned long long>());
    totals.inclusive = cg::inclusive_scan(group, value);
    totals.exclusive = cg::exclusive_scan(group, value, cg::plus<int>());
    totals.running_maximum = cg::inclusive_scan(group, value, cg::greater<int>());
    return totals;
}

// The values of the members, in the order of their ranks.
void expect_totals(const Totals& totals, const std::vector<int>& values, std::size_t rank) {
    Totals expected{0, values[0], values[0], ~0, 0, 0, 1, 0.0, 0, 0, values[0], 0};
    for (std::size_t i = 0; i < values.size(); ++i) {
        expected.sum += values[i];
        expected.minimum = std::min(expected.minimum, values[i]);
        expected.maximum = std::max(expected.maximum, values[i]);
        expected.all_bits &= values[i];
        expected.any_bits |= values[i];
        expected.parity ^= values[i];
        expected.product *= values[i] % 2 + 1;
        expected.real_sum += values[i] * 0.5;
        if (i < rank) expected.exclusive += values[i];
        if (i <= rank) expected.inclusive += values[i];
        if (i <= rank) expected.running_maximum = std::max(expected.running_maximum, values[i]);
    }
    EXPECT_EQ(totals.sum, expected.sum);
    EXPECT_EQ(totals.minimum, expected.minimum);
    EXPECT_EQ(totals.maximum, expected.maximum);
    EXPECT_EQ(totals.all_bits, expected.all_bits);
    EXPECT_EQ(totals.any_bits, expected.any_bits);
    EXPECT_EQ(totals.parity, expected.parity);
    EXPECT_EQ(totals.product, expected.product);
    EXPECT_EQ(totals.real_sum, expected.real_sum);
    EXPECT_EQ(totals.wide_sum, static_cast<unsigned long long>(values.size()) << 40);
    EXPECT_EQ(totals.inclusive, expected.inclusive);
    if (rank > 0) {
        EXPECT_EQ(totals.exclusive, expected.exclusive);
    }
    EXPECT_EQ(totals.running_maximum, expected.running_maximum);
}

template <int kSize>
__global__ void tile_totals_kernel(const int* __restrict__ in, Totals* __restrict__ out) {
    const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
    out[threadIdx.x] = totals_of(tile, in[threadIdx.x]);
}

std::vector<int> some_values(int count) {
    std::vector<int> values;
    for (int i = 0; i < count; ++i) values.push_back((i * 7919 + 13) % 1000);
    return values;
}

template <int kSize>
void check_tile_totals() {
    const std::vector<int> values = some_values(64);
    DeviceArray<int> in(values);
    DeviceArray<Totals> out(values.size());
    tile_totals_kernel<kSize><<<1, 64>>>(in.data(), out.data());
    const auto results = out.read();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t rank = i % kSize;
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(i - rank);
        expect_totals(results[i], std::vector<int>(first, first + kSize), rank);
    }
}

TEST(CooperativeGroups, ReductionsAndScansOfTiles) {
    check_tile_totals<32>();
    check_tile_totals<8>();
    check_tile_totals<2>();
}

__global__ void labels_kernel(const int* __restrict__ in, const int* __restrict__ labels,
                              Totals* __restrict__ out, unsigned int* __restrict__ numbers) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto same_label = cg::labeled_partition(warp, labels[threadIdx.x]);
    out[threadIdx.x] = totals_of(same_label, in[threadIdx.x]);
    numbers[threadIdx.x] = same_label.meta_group_rank() * 100 + same_label.meta_group_size();
}

TEST(CooperativeGroups, LabeledPartitionsReduceAmongThemselves) {
    const std::vector<int> values = some_values(32);
    std::vector<int> labels;
    for (int i = 0; i < 32; ++i) labels.push_back(i * i % 5);  // 0, 1, 4 in order of appearance
    DeviceArray<int> in(values);
    DeviceArray<int> d_labels(labels);
    DeviceArray<Totals> out(32);
    DeviceArray<unsigned int> numbers(32);
    labels_kernel<<<1, 32>>>(in.data(), d_labels.data(), out.data(), numbers.data());
    const auto results = out.read();
    const auto group_numbers = numbers.read();
    for (int i = 0; i < 32; ++i) {
        std::vector<int> members;
        std::size_t rank = 0;
        for (int j = 0; j < 32; ++j) {
            if (j == i) rank = members.size();
            if (labels[j] == labels[i]) members.push_back(values[j]);
        }
        expect_totals(results[i], members, rank);
        EXPECT_EQ(group_numbers[i], (labels[i] == 4 ? 2 : labels[i]) * 100u + 3u);
    }
}

struct Partition {
    unsigned int rank, size, number, count;
    int leader;
};

__global__ void partition_kernel(Partition* binary, Partition* chunks, int* generic_sums) {
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto half = cg::binary_partition(warp, threadIdx.x % 3 == 0);
    binary[threadIdx.x] = {half.thread_rank(), static_cast<unsigned int>(half.size()),
                           half.meta_group_rank(), half.meta_group_size(),
                           half.shfl(static_cast<int>(threadIdx.x), 0)};
    const cg::coalesced_group everyone = cg::coalesced_threads();
    const cg::coalesced_group chunk = cg::tiled_partition(everyone, 8);
    chunks[threadIdx.x] = {chunk.thread_rank(), static_cast<unsigned int>(chunk.size()),
                           chunk.meta_group_rank(), chunk.meta_group_size(),
                           chunk.shfl(static_cast<int>(threadIdx.x), 0)};
    cg::thread_group group = cg::tiled_partition(block, 4);
    group.sync();
    generic_sums[threadIdx.x] =
        static_cast<int>(group.thread_rank() * 10 + group.size()) + 0 * cg::group_size(block);
}

TEST(CooperativeGroups, Partitions) {
    DeviceArray<Partition> binary(64);
    DeviceArray<Partition> chunks(64);
    DeviceArray<int> generic(64);
    partition_kernel<<<1, 64>>>(binary.data(), chunks.data(), generic.data());
    const auto halves = binary.read();
    const auto eighths = chunks.read();
    const auto sums = generic.read();
    for (int i = 0; i < 64; ++i) {
        const int first_of_warp = i / 32 * 32;
        const bool is_set = i % 3 == 0;
        unsigned int rank = 0;
        unsigned int size = 0;
        int leader = -1;
        for (int j = first_of_warp; j < first_of_warp + 32; ++j) {
            if ((j % 3 == 0) != is_set) continue;
            if (leader < 0) leader = j;
            if (j < i) ++rank;
            ++size;
        }
        EXPECT_EQ(halves[i].rank, rank);
        EXPECT_EQ(halves[i].size, size);
        EXPECT_EQ(halves[i].number, is_set ? 1u : 0u);
        EXPECT_EQ(halves[i].count, 2u);
        EXPECT_EQ(halves[i].leader, leader);
        EXPECT_EQ(eighths[i].rank, i % 8u);
        EXPECT_EQ(eighths[i].size, 8u);
        EXPECT_EQ(eighths[i].number, i % 32 / 8u);
        EXPECT_EQ(eighths[i].count, 4u);
        EXPECT_EQ(eighths[i].leader, i / 8 * 8);
        EXPECT_EQ(sums[i], i % 4 * 10 + 4);
    }
}

// The commonest use of coalesced threads: the lanes of a branch take their slots by one atomic.
__global__ void compact_kernel(const int* __restrict__ in, int* __restrict__ out, int* count,
                               int* group_sizes, int limit) {
    const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (index >= limit) return;
    if (in[index] % 3 == 0) {
        const cg::coalesced_group group = cg::coalesced_threads();
        int first = 0;
        if (group.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(group.size()));
        out[group.shfl(first, 0) + static_cast<int>(group.thread_rank())] = in[index];
        group_sizes[index] = static_cast<int>(group.size());
    } else if (in[index] % 3 == 1) {
        group_sizes[index] = __popc(__activemask());
    }
}

TEST(CooperativeGroups, CoalescedThreadsAreThoseOfTheBranch) {
    constexpr int kCount = 230;  // the last warp is cut off
    const std::vector<int> values = some_values(kCount);
    DeviceArray<int> in(values);
    DeviceArray<int> out(kCount);
    DeviceArray<int> count(1);
    DeviceArray<int> group_sizes(kCount);
    compact_kernel<<<2, 128>>>(in.data(), out.data(), count.data(), group_sizes.data(), kCount);
    std::vector<int> expected;
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected),
                 [](int value) { return value % 3 == 0; });
    std::vector<int> found = out.read();
    found.resize(expected.size());
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(count.read()[0], static_cast<int>(expected.size()));
    EXPECT_EQ(found, expected);
#ifdef CUDA_EMULATOR  // a GPU may split a branch's lanes
    const auto sizes = group_sizes.read();
    for (int i = 0; i < kCount; ++i) {
        int together = 0;
        for (int j = i / 32 * 32; j < std::min(i / 32 * 32 + 32, kCount); ++j) {
            together += values[j] % 3 == values[i] % 3;
        }
        EXPECT_EQ(sizes[i], values[i] % 3 == 2 ? 0 : together) << i;
    }
#endif
}

#ifdef CUDA_EMULATOR
// Lanes leave the loop one after the other; the group shrinks with them, and all meet at its end.
__global__ void shrinking_kernel(int* sums, unsigned int* at_the_end) {
    int sum = 0;
    for (unsigned int i = 0; i < threadIdx.x % 32; ++i) sum += __popc(__activemask());
    sums[threadIdx.x] = sum;
    __syncwarp();
    at_the_end[threadIdx.x] = __activemask();
}

TEST(CooperativeGroups, ActiveLanesOfALoop) {
    DeviceArray<int> sums(64);
    DeviceArray<unsigned int> at_the_end(64);
    shrinking_kernel<<<1, 64>>>(sums.data(), at_the_end.data());
    const auto results = sums.read();
    for (int i = 0; i < 64; ++i) {
        int expected = 0;
        for (int j = 0; j < i % 32; ++j) expected += 31 - j;
        EXPECT_EQ(results[i], expected) << i;
    }
    for (const unsigned int mask : at_the_end.read()) EXPECT_EQ(mask, 0xffffffffu);
}
#endif

constexpr int kCopied = 100;

__global__ void copy_kernel(const int* __restrict__ in, int* __restrict__ out, int* calls) {
    __shared__ int s_values[kCopied];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, s_values, in, sizeof(int) * kCopied);
    cg::wait(block);
    for (int i = static_cast<int>(threadIdx.x); i < kCopied; i += static_cast<int>(blockDim.x)) {
        out[i] = s_values[kCopied - 1 - i];
    }
    cg::invoke_one(block, [=] { atomicAdd(calls, 1); });
}

TEST(CooperativeGroups, AsynchronousCopyAndInvokeOne) {
    const std::vector<int> values = some_values(kCopied);
    DeviceArray<int> in(values);
    DeviceArray<int> out(kCopied);
    DeviceArray<int> calls(1);
    copy_kernel<<<1, 48>>>(in.data(), out.data(), calls.data());
    EXPECT_EQ(out.read(), std::vector<int>(values.rbegin(), values.rend()));
    EXPECT_EQ(calls.read()[0], 1);
}

// Every block sees what all the others wrote before the grid's barrier.
// Tiles of several warps: {sum of the ranks, value from rank 5, any, all, a neighbour's value}.
template <unsigned int Size>
__global__ void large_tile_kernel(int* out) {
    __shared__ cg::block_tile_memory<1024> s_scratch;
    __shared__ int s_values[1024];
    const cg::thread_block_tile<Size> tile =
        cg::tiled_partition<Size>(cg::this_thread_block(s_scratch));
    const int rank = tile.thread_rank();
    const int first = tile.meta_group_rank() * Size;
    int* result = out + 5 * threadIdx.x;
    result[0] = cg::reduce(tile, rank, cg::plus<int>());
    result[1] = tile.shfl(static_cast<int>(threadIdx.x), 5);
    result[2] = tile.any(threadIdx.x == 70);
    result[3] = tile.all(static_cast<int>(threadIdx.x) >= 64);
    s_values[threadIdx.x] = rank;
    tile.sync();
    result[4] = s_values[first + (rank + 33) % Size];
}

template <unsigned int Size>
void check_large_tiles() {
    constexpr int kThreads = 1024;
    int* out;
    ASSERT_EQ(cudaMallocManaged(&out, 5 * kThreads * sizeof(int)), cudaSuccess);
    large_tile_kernel<Size><<<1, kThreads>>>(out);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < kThreads; ++i) {
        const int rank = i % Size, tile = i / Size;
        EXPECT_EQ(out[5 * i], static_cast<int>(Size * (Size - 1) / 2));
        EXPECT_EQ(out[5 * i + 1], tile * static_cast<int>(Size) + 5);
        EXPECT_EQ(out[5 * i + 2], tile == 70 / static_cast<int>(Size));
        EXPECT_EQ(out[5 * i + 3], tile * static_cast<int>(Size) >= 64);
        EXPECT_EQ(out[5 * i + 4], (rank + 33) % static_cast<int>(Size));
    }
    cudaFree(out);
}

TEST(CooperativeGroups, TilesOfSeveralWarps) {
    check_large_tiles<64>();
    check_large_tiles<128>();
    check_large_tiles<512>();
}

__global__ void grid_kernel(int* cells, int rounds) {
    const cg::grid_group grid = cg::this_grid();
    const int self = static_cast<int>(grid.thread_rank());
    const int count = static_cast<int>(grid.size());
    for (int round = 0; round < rounds; ++round) {
        const int neighbour = cells[(self + 1 + round) % count];
        grid.sync();
        cells[self] = neighbour + 1;
        grid.sync();
    }
}

TEST(CooperativeGroups, GridSynchronisation) {
    constexpr int kBlocks = 6;
    constexpr int kThreads = 40;
    constexpr int kCount = kBlocks * kThreads;
    std::vector<int> expected = some_values(kCount);
    DeviceArray<int> cells(expected);
    int* pointer = cells.data();
    int rounds = 5;
    void* arguments[] = {&pointer, &rounds};
    ASSERT_EQ(cudaLaunchCooperativeKernel(grid_kernel, dim3(kBlocks), dim3(kThreads), arguments),
              cudaSuccess);
    for (int round = 0; round < rounds; ++round) {
        std::vector<int> next(kCount);
        for (int i = 0; i < kCount; ++i) next[i] = expected[(i + 1 + round) % kCount] + 1;
        expected = next;
    }
    EXPECT_EQ(cells.read(), expected);
}
