// SPDX-License-Identifier: MIT
#include "common/emulator/engine/grid.hpp"

#include <algorithm>
#include <utility>

#include "common/emulator/engine/grid_barrier.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/executable.hpp"
#include "common/emulator/process/settings.hpp"

namespace emulator {
namespace {

std::atomic<std::uint64_t> last_serial = 0;

}  // namespace

Grid::Grid(const LaunchConfiguration& launch_configuration, KernelIdentity kernel_identity,
           std::shared_ptr<const KernelCall> kernel_call)
    : configuration(launch_configuration),
      kernel(kernel_identity),
      call(std::move(kernel_call)),
      blocks(std::int64_t{configuration.grid_dim.x} * configuration.grid_dim.y *
             configuration.grid_dim.z),
      serial(++last_serial),
      root(serial),
      workers(settings().workers) {}

Grid::~Grid() {
    if (at_end) at_end();
}

std::string Grid::name() const {
    return kernel.name != nullptr ? kernel.name : function_name(kernel.address);
}

void Grid::fail(cudaError_t error) {
    set_sticky_error(error);
    failed = true;
    if (barrier != nullptr) barrier->fail();
}

bool same_stream(cudaStream_t a, std::int64_t block_of_a, cudaStream_t b, std::int64_t block_of_b) {
    if (a != b || a == cudaStreamFireAndForget) return false;
    return a != nullptr || block_of_a == block_of_b;
}

bool is_tail(const DeviceLaunch& launch) { return launch.stream == cudaStreamTailLaunch; }

std::unique_ptr<Grid> take_next_launch(std::vector<DeviceLaunch>& launches, std::uint64_t random) {
    const Schedule::Order order = settings().schedule.order;
    auto chosen = launches.end();
    if (order == Schedule::Order::in_order) {
        chosen = std::find_if_not(launches.begin(), launches.end(), is_tail);
    } else {
        std::vector<std::size_t> candidates;
        for (std::size_t i = 0; i < launches.size(); ++i) {
            if (!is_tail(launches[i])) candidates.push_back(i);
        }
        if (!candidates.empty()) {
            const std::size_t pick = order == Schedule::Order::reversed
                                         ? candidates.size() - 1
                                         : mix_bits(random) % candidates.size();
            chosen = launches.begin() + static_cast<std::ptrdiff_t>(candidates[pick]);
            chosen = std::find_if(launches.begin(), chosen, [&](const DeviceLaunch& launch) {
                return same_stream(launch.stream, launch.block, chosen->stream, chosen->block);
            });
        }
    }
    if (chosen == launches.end()) return nullptr;
    std::unique_ptr<Grid> grid = std::move(chosen->grid);
    launches.erase(chosen);
    return grid;
}

}  // namespace emulator
