// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/trace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <string>

#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/names.hpp"
#include "common/emulator/counting/output/objects.hpp"
#include "common/emulator/counting/record/paths.hpp"
#include "common/emulator/counting/record/recorder.hpp"
#include "common/emulator/counting/record/source_lines.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/meeting.hpp"
#include "common/emulator/process/output_file.hpp"

namespace emulator::counting {

constinit bool tracing = false;

namespace {

OutputFile* trace_file = nullptr;

// Of the block that the calling OS thread runs: how many barriers it has passed, and the place of
// each thread's last warp function.
constinit thread_local std::uint64_t step = 0;
struct ExchangePlace {
    const void* code = nullptr;
    std::uint16_t path = 0;
    bool operator==(const ExchangePlace&) const = default;
};
constinit thread_local std::array<ExchangePlace, kMaxThreadsPerBlock> exchanges{};

// The spaces whose rows are written. Exchanges between lanes have a bit of their own.
constexpr unsigned kExchanges = 1u << 4;
constexpr unsigned kAllSpaces = kExchanges | (kExchanges - 1);
unsigned wanted_spaces = kAllSpaces;

unsigned bit_of(Space space) { return 1u << static_cast<unsigned>(space); }

const char* operation_name(Operation operation) {
    switch (operation) {
        case Operation::load:
            return "load";
        case Operation::store:
            return "store";
        case Operation::atomic:
            return "atomic";
    }
    return "";
}

const char* operation_name(WarpOperation operation) {
    static constexpr std::array<const char*, 17> kNames{
        "sync",       "shuffle",    "shuffle_up", "shuffle_down", "shuffle_xor", "ballot",
        "match_any",  "match_all",  "reduce_add", "reduce_min",   "reduce_max",  "reduce_min",
        "reduce_max", "reduce_and", "reduce_or",  "reduce_xor",   "together"};
    return kNames.at(static_cast<std::size_t>(operation));
}

// Integers of 4 and 8 bytes in decimal, other sizes in hexadecimal, the highest word first.
void write_value(const std::uint32_t* words, unsigned bytes) {
    if (bytes == 4) {
        trace_file->print("%" PRIu32, words[0]);
    } else if (bytes == 8) {
        trace_file->print("%" PRIu64, std::uint64_t{words[1]} << 32 | words[0]);
    } else if (bytes < 4) {
        trace_file->print("0x%0*" PRIx32, static_cast<int>(2 * bytes), words[0]);
    } else {
        trace_file->write("0x");
        for (unsigned i = bytes / 4; i > 0; --i) trace_file->print("%08" PRIx32, words[i - 1]);
    }
}

// The columns up to the lane.
void write_place(Worker& worker, int warp, int lane) {
    const Grid& grid = worker.grid();
    const std::string kernel = grid.name();
    const char* const quote = kernel.find(',') == std::string::npos ? "" : "\"";
    trace_file->print("%" PRIu64 ",%s%s%s,%" PRId64 ",%" PRIu64 ",%d,%d,", grid.serial, quote,
                      kernel.c_str(), quote, worker.block(), step, warp, lane);
}

// The values that lanes of a warp gave, and from which lane each of them took one.
void trace_exchange(Worker& worker, int warp, const Warp& values, const WarpMeeting& meeting) {
    if (!block_is_recorded || (wanted_spaces & kExchanges) == 0) return;
    if (meeting.operation == WarpOperation::sync || meeting.operation == WarpOperation::together) {
        return;
    }
    const Unrecorded unrecorded;
    ExchangePlace known;
    std::string line;
    for (std::uint32_t lanes = meeting.arrived; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        write_place(worker, warp, lane);
        const int source = source_of_lane(values, meeting, lane);
        const std::string object = source < 0 ? "" : "lane" + std::to_string(source);
        const ExchangePlace& place = exchanges[warp * kWarpSize + lane];
        if (place != known) line = find_line(place.code, callers_of(place.path)).text();
        known = place;
        trace_file->print("%s,%s,warp,%s,%d,,%" PRIu64 "\n", line.c_str(),
                          operation_name(meeting.operation), object.c_str(), values.argument[lane],
                          values.value[lane]);
    }
}

}  // namespace

bool choose_traced_spaces(const std::string& names) {
    unsigned chosen = 0;
    for (std::size_t begin = 0; begin <= names.size();) {
        const std::size_t end = std::min(names.find(',', begin), names.size());
        const std::string name = names.substr(begin, end - begin);
        unsigned found = name == "warp" ? kExchanges : 0;
        for (const Space space : {Space::global, Space::shared, Space::constant, Space::texture}) {
            if (name == name_of(space)) found = bit_of(space);
        }
        if (found == 0) return false;
        chosen |= found;
        begin = end + 1;
    }
    wanted_spaces = chosen;
    return true;
}

void start_trace(const std::string& path) {
    if (tracing) return;
    trace_file = new OutputFile(path);  // never destroyed: see findings.cpp
    trace_file->write(
        "grid,kernel,block,step,warp,lane,line,operation,space,object,offset,bytes,value\n");
    tracing = true;
    hooks.collective_computed = trace_exchange;
}

void note_exchange(const void* code, std::uint16_t path) {
    exchanges[current_thread->linear_index] = {code, path};
}

void begin_block_trace() { step = 0; }

void next_trace_step() { ++step; }

void trace_request(Worker& worker, int warp, const Request& request) {
    if ((wanted_spaces & bit_of(request.space)) == 0) return;
    const std::string line = line_of(request.place).text();
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const Object object = object_at(worker, request.address[lane], request.space);
        const std::uintptr_t offset =
            object.name.empty() ? 0 : request.address[lane] - object.begin;
        write_place(worker, warp, lane);
        trace_file->print("%s,%s,%s,%s,%" PRIuPTR ",%d,", line.c_str(),
                          operation_name(request.operation), name_of(request.space),
                          object.name.c_str(), offset, request.bytes);
        if (request.words[lane] != nullptr) write_value(request.words[lane], request.bytes);
        trace_file->write("\n");
    }
}

void finish_trace() {
    if (!tracing) return;
    tracing = false;
    trace_file->finish();
}

}  // namespace emulator::counting
