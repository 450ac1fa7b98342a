// SPDX-License-Identifier: MIT
// Kernels whose counters follow from their source.
#include <gtest/gtest.h>

#include "common/emulator/counting/settings.hpp"
#include "common/emulator/process/settings.hpp"
#include "counting_test.hpp"
#include "replay_kernels.hpp"

namespace {

using emulator::Schedule;

// Each schedule runs the lanes in another order. The replay joins them again.
class ReplayTest : public testing::TestWithParam<Schedule::Order> {
  protected:
    void SetUp() override {
        emulator::counting::configure({.races = false, .counters = "none", .trace = ""});
        emulator::Settings settings = emulator::settings();
        settings.schedule = {GetParam(), 7};
        emulator::configure(settings);
    }

    void run(const char* kernel, int threads = 32, int block_size = 32) {
        before_ = Totals();
        ASSERT_TRUE(run_kernel(kernel, threads, block_size));
        after_ = Totals();
    }

    Counts counted(Space space, EventKind kind) const { return after_.since(before_, space, kind); }
    Counts loads() const { return counted(Space::global, EventKind::load); }
    Counts stores() const { return counted(Space::global, EventKind::store); }

    Totals before_;
    Totals after_;
};

TEST_P(ReplayTest, branches_are_requests_of_their_own_and_join) {
    run("branch");
    EXPECT_EQ(loads().requests, 3u);
    EXPECT_EQ(loads().lanes, 48u);
    EXPECT_EQ(loads().alive_lanes, 96u);
    EXPECT_EQ(loads().units, 4u + 4 + 4);
    EXPECT_EQ(stores().requests, 1u);
    EXPECT_EQ(stores().lanes, 32u);
}

TEST_P(ReplayTest, lanes_leave_a_loop_one_by_one) {
    run("loop", 64);
    EXPECT_EQ(loads().requests, 2u * 31);
    EXPECT_EQ(loads().lanes, 2u * 31 * 32 / 2);
    EXPECT_EQ(stores().requests, 2u);
    EXPECT_EQ(stores().lanes, 64u);
}

TEST_P(ReplayTest, lanes_that_skip_a_round_join_in_the_next) {
    run("nested_loop");
    EXPECT_EQ(loads().requests, 1u + 2 + 3 + 4);
    EXPECT_EQ(loads().lanes, 24u * (1 + 2 + 3 + 4));
    EXPECT_EQ(stores().requests, 1u);
}

TEST_P(ReplayTest, calls_from_two_places_are_told_apart) {
    run("call");
    EXPECT_EQ(loads().requests, 2u);
    EXPECT_EQ(loads().lanes, 64u);
    run("divergent_call");
    EXPECT_EQ(loads().requests, 2u);
    EXPECT_EQ(loads().lanes, 32u);
    EXPECT_EQ(stores().requests, 1u);
}

TEST_P(ReplayTest, a_recursion_runs_the_deepest_calls_first) {
    run("recursive");
    // Depths 1 to 4: data[n] at each depth except the last, which reads data[0].
    EXPECT_EQ(loads().lanes, 32u * (1 + 2 + 3 + 4) / 4);
    EXPECT_EQ(stores().requests, 1u);
    EXPECT_EQ(stores().lanes, 32u);
}

TEST_P(ReplayTest, shuffles_keep_the_warp_together) {
    run("shuffle", 128, 64);
    EXPECT_EQ(loads().requests, 4u);
    EXPECT_EQ(counted(Space::global, EventKind::collective).requests, 4u * 5);
    EXPECT_EQ(counted(Space::global, EventKind::collective).lanes, 4u * 5 * 32);
    EXPECT_EQ(stores().requests, 4u);
    EXPECT_EQ(stores().lanes, 4u);
}

TEST_P(ReplayTest, lanes_that_meet_do_not_part_from_the_others) {
    run("half_warp");
    EXPECT_EQ(loads().requests, 2u);
    EXPECT_EQ(loads().lanes, 64u);
    EXPECT_EQ(counted(Space::global, EventKind::collective).requests, 2u);
    EXPECT_EQ(stores().requests, 1u);
    run("branch_collective");
    EXPECT_EQ(loads().requests, 1u);
    EXPECT_EQ(counted(Space::global, EventKind::collective).requests, 1u);
    EXPECT_EQ(counted(Space::global, EventKind::collective).lanes, 8u);
    EXPECT_EQ(stores().requests, 1u);
    EXPECT_EQ(stores().lanes, 32u);
}

TEST_P(ReplayTest, barriers_count_by_warp) {
    run("barrier", 512, 256);
    EXPECT_EQ(counted(Space::global, EventKind::barrier).requests, 16u);
    EXPECT_EQ(counted(Space::shared, EventKind::store).requests, 16u);
    EXPECT_EQ(counted(Space::shared, EventKind::store).units, 16u);
    EXPECT_EQ(counted(Space::shared, EventKind::load).units, 16u);
}

TEST_P(ReplayTest, buffers_that_fill_change_nothing) {
    run("long", 96, 96);
    EXPECT_EQ(loads().requests, 3000u);
    EXPECT_EQ(loads().lanes, 96000u);
    EXPECT_EQ(stores().requests, 3u);
    run("long_uneven");
    EXPECT_EQ(loads().requests, 1002u);
    EXPECT_EQ(loads().lanes, 32002u);
    EXPECT_EQ(stores().requests, 1u);
    run("long_waiting", 64, 64);
    EXPECT_EQ(loads().requests, 2u * 1000);
    EXPECT_EQ(loads().lanes, 2u * (3 * 700 + 32 * 300));
    EXPECT_EQ(counted(Space::global, EventKind::collective).requests, 2u);
    EXPECT_EQ(stores().requests, 2u);
}

TEST_P(ReplayTest, an_atomic_is_one_access) {
    run("atomic");
    const Counts atomics = counted(Space::global, EventKind::atomic);
    EXPECT_EQ(atomics.requests, 7u);
    EXPECT_EQ(atomics.lanes, 7u * 32);
    EXPECT_EQ(atomics.units, 4u * 4 + 32 + 4 + 8);
    EXPECT_EQ(atomics.depth, 4u + 32 + 4 + 1);
    EXPECT_EQ(loads().requests, 0u);
    EXPECT_EQ(stores().requests, 0u);
}

TEST_P(ReplayTest, vectors_are_copied_whole) {
    run("vector");
    EXPECT_EQ(loads().requests, 3u);
    EXPECT_EQ(loads().units, 16u + 16 + 8);
    EXPECT_EQ(stores().requests, 3u);
    EXPECT_EQ(stores().units, 16u + 16 + 8);
    run("float3");
    EXPECT_EQ(loads().requests, 3u);
    EXPECT_EQ(loads().units, 3u * 12);
    EXPECT_EQ(stores().requests, 3u);
    run("small");
    EXPECT_EQ(loads().requests, 2u);
    EXPECT_EQ(loads().units, 1u + 2);
    // 40 bytes: the largest piece that divides them has 8 bytes.
    run("structure");
    EXPECT_EQ(loads().requests, 5u);
    EXPECT_EQ(stores().requests, 5u);
}

TEST_P(ReplayTest, library_functions_copy_piece_by_piece) {
    run("copy");
    EXPECT_EQ(loads().requests, 3u + 3);
    EXPECT_EQ(loads().lanes, 32u * (3 + 3));
    EXPECT_EQ(stores().requests, 3u + 1 + 3);
    EXPECT_EQ(stores().lanes, 32u * (3 + 1 + 3));
}

TEST_P(ReplayTest, lanes_that_returned_are_not_alive) {
    run("early_return");
    EXPECT_EQ(loads().alive_lanes, 32u);
    EXPECT_EQ(stores().requests, 1u);
    EXPECT_EQ(stores().lanes, 20u);
    EXPECT_EQ(stores().alive_lanes, 20u);
}

TEST_P(ReplayTest, warps_need_not_be_full) {
    run("barrier", 17, 17);
    EXPECT_EQ(loads().requests, 1u);
    EXPECT_EQ(loads().lanes, 17u);
    EXPECT_EQ(loads().units, 3u);
    run("many_blocks", 1024, 128);
    EXPECT_EQ(loads().requests, 32u);
    EXPECT_EQ(loads().lanes, 1000u);
    EXPECT_EQ(loads().units, 125u);
}

TEST_P(ReplayTest, only_memory_of_the_program_is_counted) {
    run("volatile");
    EXPECT_EQ(loads().requests, 1u);
    EXPECT_EQ(stores().requests, 1u);
    run("constant");
    EXPECT_EQ(loads().requests, 0u);
    EXPECT_EQ(counted(Space::constant, EventKind::load).requests, 1u);
    run("local_array");
    EXPECT_EQ(loads().requests, 1u);
    EXPECT_EQ(stores().requests, 1u);
    run("built_in");
    EXPECT_EQ(loads().requests, 0u);
    EXPECT_EQ(stores().requests, 1u);
    EXPECT_EQ(counted(Space::global, EventKind::atomic).requests, 0u);
}

// A matrix is eight rows of 16 bytes: one wavefront if they lie in different banks.
TEST_P(ReplayTest, rows_of_matrices_collide_in_banks) {
    const std::pair<const char*, std::uint64_t> loads[] = {
        {"matrix_rows_16", 4},  {"matrix_rows_32", 8},      {"matrix_rows_128", 32},
        {"matrix_rows_144", 4}, {"matrix_rows_swapped", 4}, {"matrix_rows_twice", 4}};
    for (const auto& [kernel, wavefronts] : loads) {
        run(kernel);
        const Counts load = counted(Space::shared, EventKind::load);
        EXPECT_EQ(load.requests, 1u) << kernel;
        EXPECT_EQ(load.lanes, 32u) << kernel;
        EXPECT_EQ(load.units, wavefronts) << kernel;
        EXPECT_EQ(load.ideal_units, 4u) << kernel;
    }
    const std::pair<const char*, std::uint64_t> stores[] = {{"matrix_store_16", 4},
                                                            {"matrix_store_64", 16}};
    for (const auto& [kernel, wavefronts] : stores) {
        run(kernel);
        EXPECT_EQ(counted(Space::shared, EventKind::store).requests, 1u) << kernel;
        EXPECT_EQ(counted(Space::shared, EventKind::store).units, wavefronts) << kernel;
    }
}

// The addresses of the upper lanes are ignored, but these lanes execute the instruction, too.
TEST_P(ReplayTest, two_matrices_have_the_rows_of_sixteen_lanes) {
    run("matrix_pair");
    const Counts load = counted(Space::shared, EventKind::load);
    EXPECT_EQ(load.requests, 1u);
    EXPECT_EQ(load.lanes, 32u);
    EXPECT_EQ(load.units, 2u);
}

std::string name_of(const testing::TestParamInfo<Schedule::Order>& schedule) {
    constexpr const char* kNames[] = {"in_order", "reversed", "shuffled"};
    return kNames[static_cast<int>(schedule.param)];
}

INSTANTIATE_TEST_SUITE_P(AllSchedules, ReplayTest,
                         testing::Values(Schedule::Order::in_order, Schedule::Order::reversed,
                                         Schedule::Order::shuffled),
                         name_of);

}  // namespace
