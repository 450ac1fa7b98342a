// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/view.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/kept_view.hpp"
#include "common/emulator/counting/output/objects.hpp"
#include "common/emulator/counting/output/view_json.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/process/output_file.hpp"

namespace emulator::counting {

constinit bool viewing = false;

namespace {

// A page with all of them has a few megabytes at most.
constexpr std::uint64_t kFirstRequests = 6;
constexpr std::uint64_t kLastPower = std::uint64_t{1} << 12;
constexpr unsigned kMostFound = 3;
constexpr std::size_t kMostInstructions = 2000;
constexpr std::size_t kMostSteps = 1500;
constexpr std::size_t kMostShapes = 12;

OutputFile* view_file = nullptr;  // never destroyed: static destructors may run kernels

// How many barriers the block that runs has passed.
std::uint64_t interval = 0;

struct ViewState {
    View view;
    std::unordered_map<std::uint32_t, std::size_t> instructions;  // by place and space
    std::unordered_map<std::uintptr_t, std::uint32_t> objects;  // by first address
};

ViewState& view_state() {
    static auto* one = new ViewState;
    return *one;
}

KeptKernel& kernel_of(std::uint16_t kernel) {
    std::vector<KeptKernel>& kernels = view_state().view.kernels;
    if (kernels.size() <= kernel) kernels.resize(kernel + std::size_t{1});
    return kernels[kernel];
}

bool same_size(const dim3& a, const dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

KeptInstruction* find_instruction(const Request& request) {
    ViewState& all = view_state();
    const std::uint32_t key = request.place | static_cast<std::uint32_t>(request.space) << 16;
    const auto [entry, is_new] = all.instructions.try_emplace(key, all.view.instructions.size());
    if (is_new && entry->second < kMostInstructions) {
        all.view.instructions.push_back(
            {request.place, request.space, request.operation, request.bytes});
    }
    return entry->second < kMostInstructions ? &all.view.instructions[entry->second] : nullptr;
}

std::uint32_t find_object(const Object& object) {
    ViewState& all = view_state();
    const auto [entry, is_new] =
        all.objects.try_emplace(object.begin, static_cast<std::uint32_t>(all.view.objects.size()));
    // Memory that was freed may hold another allocation later.
    if (!is_new && all.view.objects[entry->second].name == object.name &&
        all.view.objects[entry->second].bytes == object.bytes) {
        return entry->second;
    }
    entry->second = static_cast<std::uint32_t>(all.view.objects.size());
    all.view.objects.push_back(
        {object.name, object.bytes, static_cast<unsigned>(object.begin % 128)});
    return entry->second;
}

KeptRequest keep(Worker& worker, int warp, const Request& request, const Cost& cost) {
    KeptRequest kept{.number = 0,
                     .grid = worker.grid().serial,
                     .block = worker.block(),
                     .warp = warp,
                     .interval = interval,
                     .lanes = request.lanes,
                     .cost = cost,
                     .found = false,
                     .places = {}};
    // Addresses of memory that has no name differ from run to run: only their distances are kept.
    std::uintptr_t nameless = 0;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const std::uintptr_t address = request.address[std::countr_zero(lanes)];
        Object object = object_at(worker, address, request.space);
        if (object.name.empty()) {
            if (nameless == 0) nameless = address;
            object.begin = 0;
            kept.places.push_back({find_object(object), address - nameless});
        } else {
            kept.places.push_back({find_object(object), address - object.begin});
        }
    }
    return kept;
}

// How often does a block use the same sectors?
void add_sectors(Worker& worker, const Request& request, const Cost& cost,
                 KeptInstruction& instruction) {
    constexpr std::uintptr_t kSectorBytes = 32;
    constexpr std::size_t kMostSectors = std::size_t{1} << 20;
    const KeptKernel& own = kernel_of(counting().places[request.place].kernel);
    if (request.space != Space::global || worker.grid().serial != own.grid ||
        worker.block() != own.block || instruction.different_sectors.size() >= kMostSectors) {
        return;
    }
    instruction.block_sectors += cost.units;
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const std::uintptr_t first = request.address[std::countr_zero(lanes)];
        const std::uintptr_t last = first + request.bytes - 1;
        for (std::uintptr_t sector = first / kSectorBytes; sector <= last / kSectorBytes;
             ++sector) {
            instruction.different_sectors.insert(sector);
        }
    }
}

}  // namespace

void start_view(const std::string& path) {
    if (viewing) return;
    view_file = new OutputFile(path);
    viewing = true;
}

void finish_view() {
    if (!viewing) return;
    viewing = false;
    view_file->write(view_json(view_state().view));
    view_file->finish();
}

void view_grid(std::uint16_t kernel, const Grid& grid) {
    KeptKernel& own = kernel_of(kernel);
    const LaunchConfiguration& launch = grid.configuration;
    const auto known =
        std::find_if(own.shapes.begin(), own.shapes.end(), [&](const KeptShape& shape) {
            return same_size(shape.grid, launch.grid_dim) &&
                   same_size(shape.block, launch.block_dim) &&
                   shape.shared_bytes == launch.shared_bytes;
        });
    if (known != own.shapes.end()) {
        ++known->launches;
    } else if (own.shapes.size() < kMostShapes) {
        own.shapes.push_back({launch.grid_dim, launch.block_dim, launch.shared_bytes,
                              resources_of(grid.kernel.address), 1});
    } else {
        ++own.other_shapes;
    }
}

void begin_block_view() { interval = 0; }

void next_view_interval() { ++interval; }

void view_step(Worker& worker, int warp, PlaceId place, std::uint32_t lanes,
               std::uint32_t running) {
    if (place == 0) return;
    KeptKernel& own = kernel_of(counting().places[place].kernel);
    const std::uint64_t grid = worker.grid().serial;
    if (own.grid == 0) {
        own.grid = grid;
        own.block = worker.block();
        own.warps.resize((worker.threads().size() + kWarpSize - 1) / kWarpSize);
    }
    if (grid != own.grid || worker.block() != own.block) return;
    KeptWarp& kept = own.warps[static_cast<std::size_t>(warp)];
    if (!kept.steps.empty()) {
        KeptSteps& last = kept.steps.back();
        if (kept.left_out == 0 && last.interval == interval && last.place == place &&
            last.lanes == lanes && last.running == running) {
            ++last.count;
            return;
        }
    }
    if (kept.steps.size() == kMostSteps) {
        ++kept.left_out;
    } else {
        kept.steps.push_back({interval, place, lanes, running, 1});
    }
}

void view_request(Worker& worker, int warp, const Request& request, const Cost& cost, bool found) {
    if (request.place == 0 || request.lanes == 0) return;
    KeptInstruction* const own = find_instruction(request);
    if (own == nullptr) {
        ++view_state().view.other_instructions;
        return;
    }
    const std::uint64_t number = ++own->requests;
    add_sectors(worker, request, cost, *own);
    const unsigned wasted = cost.units - std::min(cost.units, cost.ideal);
    found = found && own->found++ < kMostFound;
    const bool regular =
        number <= kFirstRequests || (std::has_single_bit(number) && number <= kLastPower);
    const bool is_worst = wasted > own->most_wasted;
    if (!regular && !found && !is_worst) return;
    KeptRequest kept = keep(worker, warp, request, cost);
    kept.number = number;
    kept.found = found;
    if (regular || found) {
        own->kept.push_back(std::move(kept));
        if (is_worst) own->worst = 0;  // it stays in any case
    } else if (own->worst > 0) {
        // The place of the one that was the worst before.
        own->kept.erase(own->kept.begin() + static_cast<std::ptrdiff_t>(own->worst));
        own->worst = own->kept.size();
        own->kept.push_back(std::move(kept));
    } else {
        own->worst = own->kept.size();
        own->kept.push_back(std::move(kept));
    }
    if (is_worst) own->most_wasted = wasted;
}

}  // namespace emulator::counting
