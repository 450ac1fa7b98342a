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

struct SampledKernel {
    std::uint64_t events = 0;
    std::uint64_t late_launches = 0;  // since its share, or the whole budget, was spent
};

struct SampledGrid {
    SampledKernel* kernel = nullptr;
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

std::uint64_t launch_budget() {
    return std::max<std::uint64_t>(sampling().budget / kLaunchesPerBudget, 1);
}

bool is_power_of_two(std::uint64_t number) { return (number & (number - 1)) == 0; }

}  // namespace

void set_budget(std::uint64_t events) { sampling().budget = events; }
std::uint64_t budget() { return sampling().budget; }

bool begin_sampled_grid(const Grid& grid) {
    Sampling& all = sampling();
    all.grids[grid.serial].kernel = &all.kernels[grid.name()];
    if (!grid.recorded || all.budget == 0) return grid.recorded;
    SampledKernel& kernel = *all.grids[grid.serial].kernel;
    return !is_spent(kernel) || is_power_of_two(++kernel.late_launches);
}

SampledBlocks end_sampled_grid(const Grid& grid) {
    const auto ended = sampling().grids.extract(grid.serial);
    SampledBlocks blocks = ended.mapped().blocks;
    blocks.some_left_out |= !grid.recorded;
    return blocks;
}

bool begin_sampled_block(const Grid& grid, std::int64_t block) {
    Sampling& all = sampling();
    if (all.budget == 0) return true;
    SampledGrid& own = all.grids.at(grid.serial);
    const std::int64_t started = own.started++;
    if (own.events < launch_budget()) return true;
    if (own.stride == 1) {
        // As many blocks more as use half of what the launch has used.
        const std::int64_t wanted = std::max<std::int64_t>(started / 2, 1);
        own.stride = std::max<std::int64_t>((grid.blocks - started) / wanted, 2);
    }
    // The later blocks may have more to do than the first ones.
    const bool may_go_on = own.events < 2 * launch_budget();
    if (may_go_on && (block == grid.blocks - 1 || started % own.stride == 0)) return true;
    own.blocks.some_left_out = true;
    return false;
}

void end_sampled_block(const Grid& grid, std::uint64_t events) {
    Sampling& all = sampling();
    SampledGrid& own = all.grids.at(grid.serial);
    all.events += events;
    own.events += events;
    own.kernel->events += events;
    ++own.blocks.recorded;
}

}  // namespace emulator::counting
