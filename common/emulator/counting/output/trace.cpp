// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/trace.hpp"

#include <bit>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>

#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/names.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/engine/grid.hpp"
#include "common/emulator/process/executable.hpp"

namespace emulator::counting {

constinit bool tracing = false;

namespace {

std::FILE* file = nullptr;
std::string file_name;

// Of the block that the calling OS thread runs: how many barriers it has passed.
constinit thread_local std::uint64_t step = 0;

[[noreturn]] void fail() {
    std::fprintf(stderr, "emulator: %s: %s\n", file_name.c_str(), std::strerror(errno));
    std::_Exit(EXIT_FAILURE);
}

struct Object {
    std::string name;
    std::uintptr_t offset;
};

Object variable_at(std::uintptr_t address, const std::vector<Variable>& variables,
                   std::uintptr_t base) {
    for (const Variable& variable : variables) {
        const std::uintptr_t offset = address - base - variable.address;
        if (offset < variable.bytes) return {variable.name, offset};
    }
    return {"", 0};
}

Object object_at(Worker& worker, std::uintptr_t address, Space space) {
    if (space == Space::shared) {
        const auto dynamic = reinterpret_cast<std::uintptr_t>(worker.dynamic_shared());
        if (address - dynamic < worker.dynamic_shared_bytes()) {
            return {"dynamic", address - dynamic};
        }
        const auto base = reinterpret_cast<std::uintptr_t>(thread_local_block().begin);
        return variable_at(address, shared_variables(), base);
    }
    Allocation allocation;
    if (find_allocation(reinterpret_cast<const void*>(address), allocation)) {
        std::string name = "a";
        name += std::to_string(allocation.id);
        return {name, address - reinterpret_cast<std::uintptr_t>(allocation.begin)};
    }
    return variable_at(address, data_variables(), 0);
}

const char* name_of(Operation operation) {
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

// Integers of 4 and 8 bytes in decimal, other sizes in hexadecimal, the highest word first.
void write_value(const std::uint32_t* words, unsigned bytes) {
    if (bytes == 4) {
        std::fprintf(file, "%" PRIu32, words[0]);
    } else if (bytes == 8) {
        std::fprintf(file, "%" PRIu64, std::uint64_t{words[1]} << 32 | words[0]);
    } else if (bytes < 4) {
        std::fprintf(file, "0x%0*" PRIx32, static_cast<int>(2 * bytes), words[0]);
    } else {
        std::fputs("0x", file);
        for (unsigned i = bytes / 4; i > 0; --i) std::fprintf(file, "%08" PRIx32, words[i - 1]);
    }
}

}  // namespace

void start_trace(const std::string& path) {
    if (tracing) return;
    file_name = path;
    file = std::fopen(path.c_str(), "w");
    if (file == nullptr) fail();
    std::fputs("grid,kernel,block,step,warp,lane,line,operation,space,object,offset,bytes,value\n",
               file);
    tracing = true;
}

void begin_block_trace() { step = 0; }

void next_trace_step() { ++step; }

void trace_request(Worker& worker, int warp, const Request& request) {
    const Grid& grid = worker.grid();
    const std::string kernel = grid.name();
    const bool quoted = kernel.find(',') != std::string::npos;
    const std::string line = line_of(request.place).text();
    for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        const Object object = object_at(worker, request.address[lane], request.space);
        std::fprintf(
            file, "%" PRIu64 ",%s%s%s,%" PRId64 ",%" PRIu64 ",%d,%d,%s,%s,%s,%s,%" PRIuPTR ",%d,",
            grid.serial, quoted ? "\"" : "", kernel.c_str(), quoted ? "\"" : "", worker.block(),
            step, warp, lane, line.c_str(), name_of(request.operation), name_of(request.space),
            object.name.c_str(), object.offset, request.bytes);
        if (request.words[lane] != nullptr) write_value(request.words[lane], request.bytes);
        std::fputc('\n', file);
    }
}

void finish_trace() {
    if (!tracing) return;
    tracing = false;
    if (std::ferror(file) != 0 || std::fclose(file) != 0) fail();
}

}  // namespace emulator::counting
