// SPDX-License-Identifier: MIT
#include "common/emulator/counting/record/sampling.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace emulator::counting {
namespace {

// The shares of the budget that one launch and one kernel may use.
constexpr std::uint64_t kLaunchesPerBudget = 16;
constexpr std::uint64_t kKernelsPerBudget = 8;
// The share of a launch after its kernel has used its own.
constexpr std::uint64_t kLateLaunchesPerBudget = 128;

struct SampledKernel {
    std::uint64_t events = 0;
    std::uint64_t blocks = 0;  // recorded
    std::uint64_t late_launches = 0;  // since its share, or the whole budget, was spent
};

struct SampledGrid {
    SampledKernel* kernel = nullptr;
    std::uint64_t budget = 0;
    std::uint64_t events = 0;
    SampledBlocks blocks;
    std::int64_t started = 0;  // blocks, recorded or not
    std::int64_t stride = 1;  // every stride-th block is recorded
};

struct Sampling {
    std::uint64_t budget = kDefaultBudget;
    std::uint64_t events = 0;
    std::unordered_map<std::uint64_t, SampledGrid> grids;  // running, by serial number
    std::unordered_map<std::string, SampledKernel> kernels;  // by the text of the launch
};

Sampling& sampling() {
    static auto* one = new Sampling;  // never destroyed: static destructors may run kernels
    return *one;
}

bool is_spent(const SampledKernel& kernel) {
    const Sampling& all = sampling();
    return all.events >= all.budget || kernel.events >= all.budget / kKernelsPerBudget;
}

bool is_power_of_two(std::uint64_t number) { return (number & (number - 1)) == 0; }

}  // namespace

void set_budget(std::uint64_t events) { sampling().budget = events; }
std::uint64_t budget() { return sampling().budget; }

bool begin_sampled_grid(const Grid& grid) {
    Sampling& all = sampling();
    SampledGrid& own = all.grids[grid.serial];
    own.kernel = &all.kernels[grid.name()];
    if (!grid.recorded || all.budget == 0) return grid.recorded;
    SampledKernel& kernel = *own.kernel;
    const bool is_late = is_spent(kernel);
    if (is_late && !is_power_of_two(++kernel.late_launches)) return false;
    own.budget = std::max<std::uint64_t>(
        all.budget / (is_late ? kLateLaunchesPerBudget : kLaunchesPerBudget), 1);
    // The blocks of a cooperative grid all start before the first one ends.
    if (grid.configuration.cooperative && kernel.blocks > 0) {
        const std::uint64_t expected =
            kernel.events / kernel.blocks * static_cast<std::uint64_t>(grid.blocks);
        own.stride = static_cast<std::int64_t>(expected / own.budget + 1);
    }
    return true;
}

SampledBlocks end_sampled_grid(const Grid& grid) {
    const auto ended = sampling().grids.extract(grid.serial);
    SampledBlocks blocks = ended.mapped().blocks;
    blocks.some_left_out |= !grid.recorded;
    return blocks;
}

std::int64_t leave_out_blocks(const Grid& grid) {
    Sampling& all = sampling();
    if (all.budget == 0) return 0;
    SampledGrid& own = all.grids.at(grid.serial);
    if (own.events < own.budget) return 0;
    if (own.stride == 1) {
        // As many blocks more as use half of what the launch has used.
        const std::int64_t wanted = std::max<std::int64_t>(own.started / 2, 1);
        own.stride = std::max<std::int64_t>((grid.blocks - own.started) / wanted, 2);
    }
    std::int64_t next_recorded = grid.blocks;
    // The later blocks may have more to do than the first ones.
    if (own.events < 2 * own.budget) {
        const std::int64_t next = (own.started + own.stride - 1) / own.stride * own.stride;
        next_recorded = std::min(next, grid.blocks - 1);
    }
    const std::int64_t left_out = next_recorded - own.started;
    own.started = next_recorded;
    own.blocks.some_left_out |= left_out > 0;
    return left_out;
}

bool records_cooperative_block(const Grid& grid, std::int64_t block) {
    Sampling& all = sampling();
    if (all.budget == 0) return true;
    SampledGrid& own = all.grids.at(grid.serial);
    if (block % own.stride == 0) return true;
    own.blocks.some_left_out = true;
    return false;
}

void end_sampled_block(const Grid& grid, std::uint64_t events) {
    Sampling& all = sampling();
    SampledGrid& own = all.grids.at(grid.serial);
    ++own.started;
    all.events += events;
    own.events += events;
    own.kernel->events += events;
    ++own.kernel->blocks;
    ++own.blocks.recorded;
}

}  // namespace emulator::counting
