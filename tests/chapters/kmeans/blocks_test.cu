// SPDX-License-Identifier: MIT
// The building blocks of the k-means stages by themselves: the grid, the sort by its cells, the
// list of tasks, and what ends an iteration and a run.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "blocks/cell_sort/cell_sort.cuh"
#include "blocks/grid/grid.cuh"
#include "blocks/iterations/label_batches.cuh"
#include "blocks/iterations/moved_centroids.cuh"
#include "blocks/iterations/queue.cuh"
#include "blocks/task_list/task_list.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/03_cell_table/cell_table.cuh"
#include "limit/05_pair_tests/lines.cuh"
#include "problem/kmeans.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;
using kmeans::Box, kmeans::Cells, kmeans::CellSums, kmeans::SortedPoints, kmeans::State;
using kmeans::Word;

constexpr int kFar = 1 << 30;

struct Range {
    const char* name;
    int low, high;
};
const Range kRanges[] = {{"narrow", -1'000'000, 1'000'000},
                         {"wide", -kFar, kFar},
                         {"few cells", -7, 5},
                         {"one point", 9, 9}};

std::vector<int2> random_points(int count, int low, int high) {
    std::mt19937 draw(17);
    std::uniform_int_distribution<int> coordinate(low, high);
    std::vector<int2> points(count);
    for (int2& point : points) point = make_int2(coordinate(draw), coordinate(draw));
    return points;
}

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& values) {
    DeviceBuffer<T> buffer(values.size());
    cuda_check(cudaMemcpy(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice));
    return buffer;
}

template <class T>
std::vector<T> on_host(const T* data, std::size_t count) {
    std::vector<T> values(count);
    cuda_check(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

// ---- grid ----

__global__ void find_cells_kernel(const int2* points, int count, Cells cells, int* found,
                                  Box* boxes) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    found[i] = cells.cell(static_cast<unsigned int>(points[i].x) - cells.low.x,
                          static_cast<unsigned int>(points[i].y) - cells.low.y);
    boxes[i] = cells.box_of(found[i]);
}

TEST(Grid, EveryPointLiesInTheBoxOfItsCell) {
    for (const Range& range : kRanges) {
        SCOPED_TRACE(range.name);
        const std::vector<int2> points = random_points(3000, range.low, range.high);
        const std::vector<int2> centroids = {make_int2(range.low, range.high)};
        const auto d_points = on_device(points), d_centroids = on_device(centroids);
        const Cells cells = kmeans::choose_cells(d_points.data(), 3000, d_centroids.data(), 1);
        int2 low = centroids[0], high = low;
        for (const int2& point : points) {
            low = make_int2(std::min(low.x, point.x), std::min(low.y, point.y));
            high = make_int2(std::max(high.x, point.x), std::max(high.y, point.y));
        }
        EXPECT_EQ(std::pair(cells.low.x, cells.low.y), std::pair(low.x, low.y));
        EXPECT_EQ(std::pair(cells.high.x, cells.high.y), std::pair(high.x, high.y));
        EXPECT_EQ(cells.columns, 1 << cells.bits);
        EXPECT_LT(cells.width() >> cells.shift, static_cast<unsigned int>(cells.columns));
        DeviceBuffer<int> d_cells(3000);
        DeviceBuffer<Box> d_boxes(3000);
        find_cells_kernel<<<12, 256>>>(d_points.data(), 3000, cells, d_cells.data(),
                                       d_boxes.data());
        cuda_check(cudaGetLastError());
        const auto found = on_host(d_cells.data(), 3000);
        const auto boxes = on_host(d_boxes.data(), 3000);
        for (int i = 0; i < 3000; ++i) {
            EXPECT_LT(found[i], cells.count());
            const Box& box = boxes[i];
            EXPECT_TRUE(box.low.x <= points[i].x && points[i].x <= box.high.x) << i;
            EXPECT_TRUE(box.low.y <= points[i].y && points[i].y <= box.high.y) << i;
            EXPECT_LE(std::int64_t{box.high.x} - box.low.x, (std::int64_t{1} << cells.shift) - 1);
        }
    }
}

// ---- cell_sort ----

// One thread per cell: the points that the sort has put there.
template <class Key>
__global__ void read_cells_kernel(SortedPoints<Key> sorted, int2* points, int* cells_of) {
    const int row = blockIdx.x;
    if (row >= sorted.rows()) return;
    for (int column = threadIdx.x; column < sorted.cells.columns; column += blockDim.x) {
        const unsigned int* starts = sorted.starts_of(row);
        for (unsigned int i = starts[column]; i < starts[column + 1]; ++i) {
            points[i] = sorted.point_of(sorted.keys[i], row);
            cells_of[i] = row * sorted.cells.columns + column;
        }
    }
}

using Sums = std::map<int, std::pair<Word, Word>>;  // of offsets in x and y, by cell

template <class Key>
void expect_sorted(const std::vector<int2>& points, kmeans::CellSort& sort, const Cells& cells) {
    const auto count = static_cast<int>(points.size());
    kmeans::CellSumsMemory d_sums(sort.words());
    const CellSums sums = d_sums.sums();
    const SortedPoints<Key> sorted = sort.sort_rows<Key>(cells, sums);
    DeviceBuffer<int2> d_found(count);
    DeviceBuffer<int> d_cells_of(count);
    cuda_check(cudaMemset(d_cells_of.data(), 0xff, d_cells_of.bytes()));
    cuda_check(cudaMemset(d_found.data(), 0, d_found.bytes()));
    read_cells_kernel<<<cells.columns, 256>>>(sorted, d_found.data(), d_cells_of.data());
    cuda_check(cudaGetLastError());
    const auto found = on_host(d_found.data(), count);
    const auto cells_of = on_host(d_cells_of.data(), count);
    std::vector<std::pair<int, int>> theirs, ours;
    Sums expected;
    for (int i = 0; i < count; ++i) {
        theirs.emplace_back(points[i].x, points[i].y);
        ours.emplace_back(found[i].x, found[i].y);
        const std::int64_t u = std::int64_t{found[i].x} - cells.low.x;
        const std::int64_t v = std::int64_t{found[i].y} - cells.low.y;
        EXPECT_EQ(cells_of[i], (v >> cells.shift) * cells.columns + (u >> cells.shift)) << i;
        auto& [u_sum, v_sum] = expected[cells_of[i]];
        u_sum += u;
        v_sum += v;
    }
    std::sort(theirs.begin(), theirs.end());
    std::sort(ours.begin(), ours.end());
    EXPECT_EQ(ours, theirs);
    const auto u_sums = on_host(sums.u, sort.words()), v_sums = on_host(sums.v, sort.words());
    for (int row = 0; row < cells.columns; ++row) {
        for (int column = 0; column < cells.columns; ++column) {
            const auto sum = expected.find(row * cells.columns + column);
            const auto& [u, v] = sum == expected.end() ? std::pair<Word, Word>() : sum->second;
            const int word = row * (cells.columns + 1) + column;
            ASSERT_EQ(std::pair(u_sums[word], v_sums[word]), std::pair(u, v)) << word;
        }
    }
}

TEST(CellSort, PutsEveryPointIntoItsCellAndAddsUpTheCells) {
    for (const Range& range : kRanges) {
        SCOPED_TRACE(range.name);
        const std::vector<int2> points = random_points(5001, range.low, range.high);
        const auto d_points = on_device(points);
        kmeans::CellSort sort(5001);
        const Cells cells = sort.sort_by_rows(d_points.data());
        if (kmeans::CellSort::has_short_keys(cells)) {
            expect_sorted<unsigned int>(points, sort, cells);
        } else {
            expect_sorted<Word>(points, sort, cells);
        }
    }
}

// ---- task_list ----

// One warp: lane l appends the columns [first[l], last[l]) of row 3.
__global__ void append_kernel(kmeans::Tasks tasks, const unsigned int* starts, const int* first,
                              const int* last) {
    tasks.append(starts, 3, first[threadIdx.x], last[threadIdx.x]);
}

TEST(TaskList, CoversTheColumnsOfEveryLaneOnce) {
    // A column has so many points; lane l has the columns from l * l / 8 to those of the next lane,
    // and some lanes have none.
    std::mt19937 draw(5);
    std::vector<unsigned int> starts = {1000};
    while (starts.size() < 130) {
        const unsigned int points = draw() % 4 == 0 ? draw() % 2000 : draw() % 3;
        starts.push_back(starts.back() + points);
    }
    std::vector<int> first, last;
    for (int lane = 0; lane < 32; ++lane) {
        first.push_back(lane * lane / 8);
        last.push_back(lane % 5 == 0 ? lane * lane / 8 : (lane + 1) * (lane + 1) / 8);
    }
    const auto d_starts = on_device(starts);
    const auto d_first = on_device(first), d_last = on_device(last);
    const std::int64_t most = kmeans::max_tasks(starts.back() - starts.front(), 32);
    kmeans::TasksMemory memory(most);
    const kmeans::Tasks tasks = memory.tasks();
    append_kernel<<<1, 32>>>(tasks, d_starts.data(), d_first.data(), d_last.data());
    cuda_check(cudaGetLastError());
    const unsigned int number = on_host(tasks.number, 1)[0];
    ASSERT_LE(number, most);
    std::map<unsigned int, int> times;  // by point
    for (const kmeans::Task& task : on_host(tasks.list, number)) {
        EXPECT_LT(task.begin(), task.end());
        EXPECT_LE(task.end() - task.begin(), static_cast<unsigned int>(kmeans::kTaskPoints));
        EXPECT_EQ(task.row(), 3);
        EXPECT_LE(starts[task.first_column()], task.begin());
        EXPECT_LE(task.end(), starts[task.column_end()]);
        for (unsigned int i = task.begin(); i < task.end(); ++i) ++times[i];
    }
    for (int lane = 0; lane < 32; ++lane) {
        for (unsigned int i = starts[first[lane]]; i < starts[last[lane]]; ++i) {
            EXPECT_EQ(times[i], 1) << i;
            times.erase(i);
        }
    }
    EXPECT_TRUE(times.empty());
}

// ---- iterations ----

// Two clusters, and four blocks that each add a quarter: the first moves one to the right in each
// iteration until it is at 5, the second has no points.
__global__ void iterate_kernel(State state) {
    if (state.progress->done) return;
    const std::int64_t x = min(state.progress->iterations + 1, std::int64_t{5});
    if (threadIdx.x == 0) {
        atomicAdd(&state.sums[0], static_cast<Word>(x));
        atomicAdd(&state.sums[1], static_cast<Word>(-2 * x));
        atomicAdd(&state.sums[2], Word{1});
    }
    if (kmeans::is_last_block(state.progress)) kmeans::end_iteration(state, 2);
}

struct End {
    kmeans::Progress progress;
    std::vector<int2> centroids, before;
    std::vector<std::int64_t> sizes;
    int queued;
};

End run_iterations(std::int64_t max_iterations, bool all_iterations) {
    kmeans::IterationQueue queue;
    DeviceBuffer<Word> d_sums(6);
    cuda_check(cudaMemset(d_sums.data(), 0, d_sums.bytes()));
    const std::vector<int2> centroids = {make_int2(0, 0), make_int2(70, 71)};
    auto d_centroids = on_device(centroids), d_before = on_device(centroids);
    DeviceBuffer<std::int64_t> d_sizes(2);
    const State state = {queue.d_progress(), d_sums.data(),  d_centroids.data(), d_before.data(),
                         d_sizes.data(),     max_iterations, all_iterations};
    int queued = 0;
    queue.run(max_iterations, 8, [&] {
        ++queued;
        iterate_kernel<<<4, 32>>>(state);
        cuda_check(cudaGetLastError());
    });
    return {queue.wait(), on_host(d_centroids.data(), 2), on_host(d_before.data(), 2),
            on_host(d_sizes.data(), 2), queued};
}

TEST(Iterations, EndWhenNoCentroidMoves) {
    const End end = run_iterations(1000, false);
    EXPECT_EQ(end.progress.iterations, 6);  // the sixth moves nothing
    EXPECT_EQ(end.progress.converged, 1);
    EXPECT_EQ(std::pair(end.centroids[0].x, end.centroids[0].y), std::pair(5, -10));
    EXPECT_EQ(end.before[0].x, 5);
    EXPECT_EQ(std::pair(end.centroids[1].x, end.centroids[1].y), std::pair(70, 71));
    EXPECT_EQ(end.sizes, (std::vector<std::int64_t>{4, 0}));
    EXPECT_LE(end.queued, 3 * 8);  // two batches may be queued behind the one that ends
}

TEST(Iterations, EndAtTheirGreatestNumber) {
    const End few = run_iterations(3, false);
    EXPECT_EQ(std::pair(few.progress.iterations, few.progress.converged),
              std::pair(std::int64_t{3}, std::int64_t{0}));
    EXPECT_EQ(std::pair(few.centroids[0].x, few.before[0].x), std::pair(3, 2));
    const End all = run_iterations(21, true);
    EXPECT_EQ(std::pair(all.progress.iterations, all.progress.converged),
              std::pair(std::int64_t{21}, std::int64_t{1}));
    EXPECT_EQ(all.queued, 21);
}

TEST(Iterations, TheHostLearnsOfMovedCentroidsWithoutACopy) {
    const std::vector<int2> old = {make_int2(1, 1), make_int2(-3, 8)};
    auto d_centroids = on_device(old), d_before = on_device(old);
    DeviceBuffer<std::int64_t> d_sizes(2);
    course::PinnedBuffer<int2> h_centroids(2);
    std::vector<kmeans::Point> centroids = {{1, 1}, {-3, 8}};
    // A mean is truncated toward zero; a centroid without points stays.
    for (const bool moves : {true, false}) {
        const std::int64_t x = moves ? -7 : -2;
        auto d_sums = on_device(std::vector<Word>{0, 0, 0, static_cast<Word>(x), 5, 2});
        kmeans::move_centroids_kernel<<<1, 32>>>(d_sums.data(), 2, d_centroids.data(),
                                                 d_before.data(), d_sizes.data(),
                                                 h_centroids.data());
        cuda_check(cudaGetLastError());
        const bool stayed = kmeans::take_centroids(h_centroids, centroids);
        EXPECT_FALSE(stayed);
        EXPECT_EQ(centroids[0], (kmeans::Point{1, 1}));
        EXPECT_EQ(centroids[1], (kmeans::Point{moves ? -3 : -1, 2}));
        EXPECT_EQ(on_host(d_sums.data(), 6), std::vector<Word>(6, 0));
    }
    auto d_sums = on_device(std::vector<Word>(6, 0));
    kmeans::move_centroids_kernel<<<1, 32>>>(d_sums.data(), 2, d_centroids.data(), d_before.data(),
                                             d_sizes.data(), h_centroids.data());
    cuda_check(cudaGetLastError());
    EXPECT_TRUE(kmeans::take_centroids(h_centroids, centroids));
}

TEST(Iterations, LabelsAreThoseOfTheNearestCentroids) {
    for (const Range& range : kRanges) {
        SCOPED_TRACE(range.name);
        constexpr int kCount = 2999, kClusters = 9;
        const std::vector<int2> points = random_points(kCount, range.low, range.high);
        const std::vector<int2> centroids(points.begin(), points.begin() + kClusters);
        const auto d_points = on_device(points), d_centroids = on_device(centroids);
        const Cells cells =
            kmeans::choose_cells(d_points.data(), kCount, d_centroids.data(), kClusters);
        kmeans::TableMemory d_table;
        kmeans::LinesMemory d_lines;
        const bool usable =
            std::max(cells.width(), cells.height()) <= kmeans::PackedColumns::kMaxOffset;
        DeviceBuffer<int> d_labels(kCount);
        kmeans::label_points(d_points.data(), kCount, d_table.over(cells),
                             d_lines.clear(kmeans::rounded(kClusters), usable, true),
                             d_centroids.data(), kClusters, d_labels.data());
        const std::vector<int> labels = on_host(d_labels.data(), kCount);
        for (int i = 0; i < kCount; ++i) {
            int nearest = 0;
            unsigned __int128 least = 0;
            for (int c = 0; c < kClusters; ++c) {
                const __int128 dx = std::int64_t{points[i].x} - centroids[c].x;
                const __int128 dy = std::int64_t{points[i].y} - centroids[c].y;
                const auto distance = static_cast<unsigned __int128>(dx * dx + dy * dy);
                if (c > 0 && distance >= least) continue;
                nearest = c;
                least = distance;
            }
            ASSERT_EQ(labels[i], nearest) << i;
        }
    }
}

}  // namespace
