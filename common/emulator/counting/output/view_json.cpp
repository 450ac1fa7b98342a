// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/view_json.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/json_text.hpp"
#include "common/emulator/counting/output/names.hpp"
#include "common/emulator/counting/output/report.hpp"
#include "common/emulator/device/properties/properties.hpp"

namespace emulator::counting {
namespace {

constexpr int kSchema = 1;

template <typename Numbers>
std::string numbers_json(const Numbers& numbers) {
    Texts texts;
    for (const auto number : numbers) texts.push_back(std::to_string(number));
    return list(texts, ",");
}

std::string size_json(const dim3& size) {
    return numbers_json(std::vector<unsigned>{size.x, size.y, size.z});
}

// The names of files alone are what people read. Their paths tell which files they are.
class Paths {
  public:
    std::string name(const SourceLine& line) {
        std::string name = file_name(line.file);
        if (line.line > 0) paths_[name].insert(line.file);
        return name;
    }

    std::string json() const {
        Texts members;
        for (const auto& [name, paths] : paths_) {
            Texts texts;
            for (const std::string& path : paths) texts.push_back(quoted_text(path));
            members.push_back(member_json(name, list(texts, ", ")));
        }
        return object(members);
    }

  private:
    std::map<std::string, std::set<std::string>> paths_;
};

std::string request_json(const KeptRequest& request, bool worst) {
    Texts objects;
    Texts offsets;
    for (const KeptLane& place : request.places) {
        objects.push_back(std::to_string(place.object));
        offsets.push_back(std::to_string(static_cast<std::int64_t>(place.offset)));
    }
    // Mostly all lanes use one object.
    if (std::all_of(objects.begin(), objects.end(),
                    [&](const std::string& one) { return one == objects.front(); })) {
        objects.resize(1);
    }
    return object({
        member("number", request.number),
        member("grid", request.grid),
        member_json("block", std::to_string(request.block)),
        member_json("warp", std::to_string(request.warp)),
        member("interval", request.interval),
        member("lanes", request.lanes),
        member("units", request.cost.units),
        member("ideal", request.cost.ideal),
        member("depth", request.cost.depth),
        member_json("worst", worst ? "true" : "false"),
        member_json("found", request.found ? "true" : "false"),
        member_json("objects", list(objects, ",")),
        member_json("offsets", list(offsets, ",")),
    });
}

std::string instruction_json(const KeptInstruction& instruction, Paths& paths) {
    const Place& place = counting().places[instruction.place];
    const SourceLine line = line_of(instruction.place);
    const EventKind kind = kind_of(place.head);
    Texts kept;
    for (std::size_t i = 0; i < instruction.kept.size(); ++i) {
        kept.push_back(request_json(instruction.kept[i], i > 0 && i == instruction.worst));
    }
    return object({
        member("kernel", counting().kernels[place.kernel]->name),
        member("file", paths.name(line)),
        member("line", static_cast<std::uint64_t>(line.line)),
        member("operation", kind == EventKind::copy ? name_of(sort_of(place.head)) : name_of(kind)),
        member("space", name_of(instruction.space)),
        member("bytes", instruction.bytes),
        member("requests", instruction.requests),
        member("block_sectors", instruction.block_sectors),
        member("block_distinct", instruction.different_sectors.size()),
        member_json("kept", list(kept, ",\n    ")),
    });
}

std::string shape_json(const KeptShape& shape) {
    const dim3& block = shape.block;
    const int resident = active_blocks_per_multiprocessor(
        static_cast<int>(block.x * block.y * block.z), shape.shared_bytes, shape.resources);
    return object({
        member_json("grid", size_json(shape.grid)),
        member_json("block", size_json(block)),
        member("dynamic_shared", shape.shared_bytes),
        member("static_shared", shape.resources.shared_bytes),
        member_json("registers", std::to_string(shape.resources.registers)),
        member_json("resident", std::to_string(resident)),
        member("launches", shape.launches),
    });
}

// The places of the steps, each once; a step names its place by the index.
class StepPlaces {
  public:
    explicit StepPlaces(Paths& paths) : paths_(paths) {}

    std::string index(PlaceId place) {
        const auto [entry, is_new] = indices_.try_emplace(place, indices_.size());
        if (is_new) {
            const SourceLine line = line_of(place);
            const EventKind kind = kind_of(counting().places[place].head);
            texts_.push_back(object({member("file", paths_.name(line)),
                                     member("line", static_cast<std::uint64_t>(line.line)),
                                     member("operation", name_of(kind))}));
        }
        return std::to_string(entry->second);
    }

    std::string json() const { return list(texts_, ", "); }

  private:
    Paths& paths_;
    std::map<PlaceId, std::size_t> indices_;
    Texts texts_;
};

std::string kernel_json(const KernelCounters& counters, const KeptKernel& kernel, Paths& paths) {
    Texts shapes;
    for (const KeptShape& shape : kernel.shapes) shapes.push_back(shape_json(shape));
    StepPlaces places(paths);
    Texts warps;
    for (const KeptWarp& warp : kernel.warps) {
        Texts steps;
        for (const KeptSteps& step : warp.steps) {
            steps.push_back(list({std::to_string(step.interval), places.index(step.place),
                                  std::to_string(step.lanes), std::to_string(step.running),
                                  std::to_string(step.count)},
                                 ","));
        }
        warps.push_back(
            object({member_json("steps", list(steps, ", ")), member("left_out", warp.left_out)}));
    }
    return object(
        {
            member("name", counters.name),
            member_json("shapes", list(shapes, ", ")),
            member("other_shapes", kernel.other_shapes),
            member("grid", kernel.grid),
            member_json("block", std::to_string(kernel.block)),
            member_json("places", places.json()),
            member_json("warps", list(warps, ",\n    ")),
        },
        ",\n   ");
}

std::string device_json() {
    const Device& gpu = device();
    Texts threads;
    for (int registers = 16; registers <= 256; registers += 8) {
        // A thread has 255 registers at most.
        const int most = std::min(registers, 255);
        threads.push_back(
            list({std::to_string(most), std::to_string(threads_with_registers(most))}, ","));
    }
    return object({
        member("name", std::string_view(gpu.name)),
        member_json("multiprocessors", std::to_string(gpu.multiprocessors)),
        member_json("threads", std::to_string(gpu.max_threads_per_multiprocessor)),
        member_json("blocks", std::to_string(gpu.max_blocks_per_multiprocessor)),
        member_json("registers", std::to_string(gpu.registers_per_multiprocessor)),
        member("shared", gpu.shared_per_multiprocessor),
        member("reserved_shared", gpu.reserved_shared_per_block),
        member("shared_granularity", gpu.shared_granularity),
        member_json("threads_with_registers", list(threads, ", ")),
    });
}

}  // namespace

std::string view_json(const View& view) {
    find_all_lines();
    Paths paths;
    Texts kernels;
    for (std::size_t i = 0; i < view.kernels.size(); ++i) {
        kernels.push_back(kernel_json(*counting().kernels[i], view.kernels[i], paths));
    }
    Texts instructions;
    for (const KeptInstruction& instruction : view.instructions) {
        instructions.push_back(instruction_json(instruction, paths));
    }
    Texts objects;
    for (const KeptObject& kept : view.objects) {
        objects.push_back(object(
            {member("name", kept.name), member("bytes", kept.bytes), member("base", kept.base)}));
    }
    return object({member("schema", kSchema), member_json("device", device_json()),
                   member_json("kernels", list(kernels, ",\n  ")),
                   member_json("instructions", list(instructions, ",\n  ")),
                   member_json("objects", list(objects, ", ")),
                   member("other_instructions", view.other_instructions),
                   member_json("files", paths.json())},
                  ",\n ") +
           "\n";
}

}  // namespace emulator::counting
