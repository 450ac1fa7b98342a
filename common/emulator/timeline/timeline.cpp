// SPDX-License-Identifier: MIT
#include "common/emulator/timeline/timeline.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

#include "common/emulator/device/properties/properties.hpp"
#include "common/emulator/process/output_file.hpp"
#include "common/emulator/process/settings.hpp"

namespace emulator::timeline {
namespace {

OutputFile* file = nullptr;  // never destroyed: static destructors may run kernels

std::mutex& file_mutex() {
    static auto* mutex = new std::mutex;  // never destroyed: static destructors may run kernels
    return *mutex;
}

// The OS threads that run blocks, numbered as they begin to.
int worker_number() {
    static std::atomic<int> last = 0;
    thread_local const int number = last++;
    return number;
}

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
    return result + '"';
}

// One row. `queued`: 0 where that is not known.
struct Row {
    const char* kind;
    std::string id{};
    std::string name{};
    std::string stream{};
    std::string parent{};
    std::string after{};
    int worker = -1;
    std::uint64_t queued = 0;
    std::uint64_t begin = 0;
    std::string detail{};
};

void write(const Row& row, std::uint64_t end) {
    const auto known = [](std::uint64_t time) { return time == 0 ? "" : std::to_string(time); };
    const std::lock_guard lock(file_mutex());
    if (file == nullptr) return;  // a static destructor runs kernels
    const std::string fields[] = {row.kind,
                                  row.id,
                                  quoted(row.name),
                                  row.stream,
                                  row.parent,
                                  row.after,
                                  row.worker < 0 ? "" : std::to_string(row.worker),
                                  known(row.queued),
                                  known(row.begin),
                                  known(end),
                                  row.detail};
    std::string line;
    for (const std::string& field : fields) line += field + ',';
    line.back() = '\n';
    file->write(line);
}

bool start() {
    if (settings().timeline.empty()) return false;
    file = new OutputFile(settings().timeline);
    file->write("kind,id,name,stream,parent,after,worker,queued,begin,end,detail\n");
    std::atexit(finish);
    const Device& gpu = device();
    Row row{.kind = "device", .id = "0", .name = gpu.name};
    row.detail = "multiprocessors=" + std::to_string(gpu.multiprocessors) +
                 ";threads=" + std::to_string(gpu.max_threads_per_multiprocessor) +
                 ";blocks=" + std::to_string(gpu.max_blocks_per_multiprocessor) +
                 ";registers=" + std::to_string(gpu.registers_per_multiprocessor) +
                 ";shared=" + std::to_string(gpu.shared_per_multiprocessor) +
                 ";l2=" + std::to_string(gpu.l2_bytes) +
                 ";memory=" + std::to_string(gpu.memory_bytes);
    write(row, 0);
    return true;
}

std::string shape_of(const dim3& size) {
    return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

// The host runs one task at a time; a task's function may queue others, but not run them.
Row task;
thread_local Row block;

}  // namespace

void finish() {
    const std::lock_guard lock(file_mutex());
    if (file != nullptr) std::exchange(file, nullptr)->finish();
}

bool is_on() {
    static const bool on = start();
    return on;
}

std::uint64_t tick() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

void begin_task(const std::string& stream, std::uint64_t number, const std::string& after) {
    task = {.kind = "task", .id = stream + ":" + std::to_string(number), .stream = stream};
    task.after = after;
    task.begin = tick();
}

void name_task(const std::string& what) { task.name += (task.name.empty() ? "" : " ") + what; }

void end_task() { write(task, tick()); }

void end_grid(const GridSpan& grid) {
    const dim3& threads = grid.block_dim;
    Row row{.kind = "grid", .id = std::to_string(grid.serial), .name = grid.name};
    row.parent = grid.parent.empty() ? task.id : grid.parent;
    row.queued = grid.queued;
    row.begin = grid.begin;
    const int resident =
        active_blocks_per_multiprocessor(static_cast<int>(threads.x * threads.y * threads.z),
                                         grid.shared_bytes, resources_of(grid.kernel));
    row.detail = "grid=" + shape_of(grid.grid_dim) + ";block=" + shape_of(threads) +
                 ";shared=" + std::to_string(grid.shared_bytes) +
                 ";resident=" + std::to_string(resident);
    write(row, tick());
}

void begin_block(std::uint64_t grid, std::int64_t number) {
    block = {.kind = "block",
             .id = std::to_string(grid) + ":" + std::to_string(number),
             .worker = worker_number()};
    block.begin = tick();
}

void end_block() { write(block, tick()); }

}  // namespace emulator::timeline
