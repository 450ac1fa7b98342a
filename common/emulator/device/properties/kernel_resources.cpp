// SPDX-License-Identifier: MIT
#include "common/emulator/device/properties/kernel_resources.hpp"

#include <algorithm>
#include <charconv>
#include <emulator/thread.hpp>
#include <fstream>
#include <iterator>
#include <mutex>

#include "common/emulator/process/executable.hpp"
#include "common/emulator/process/settings.hpp"

namespace emulator {
namespace {

// Both compilers mangle alike (Itanium C++ ABI), but for unnamed namespaces, whose names nvcc makes
// from the file's, and for static functions, of which g++ says that they are.
std::string common_name(std::string_view mangled) {
    constexpr std::string_view kUnnamed = "_GLOBAL__N_";
    std::string name;
    for (std::size_t i = 0; i < mangled.size();) {
        std::size_t length = 0;
        const char* const begin = mangled.data() + i;
        const auto [after, error] = std::from_chars(begin, mangled.data() + mangled.size(), length);
        const auto digits = static_cast<std::size_t>(after - begin);
        if (error == std::errc() && mangled.substr(i + digits).starts_with(kUnnamed)) {
            name += "12_GLOBAL__N_1";
            i += digits + length;
        } else if (i == 2 && mangled[i] == 'L') {
            ++i;
        } else {
            name += mangled[i++];
        }
    }
    return name;
}

// The number that ends before this place of a line.
std::size_t number_before(std::string_view line, std::size_t end) {
    const std::size_t last = line.find_last_not_of("0123456789", end - 1);
    std::size_t value = 0;
    std::from_chars(line.data() + (last == std::string_view::npos ? 0 : last + 1),
                    line.data() + end, value);
    return value;
}

std::unordered_map<std::string, KernelResources> read_resources() {
    const std::string& path = settings().registers;
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    auto resources = parse_resources(text);
    if (resources.empty()) {
        refuse_setting("EMULATOR_REGISTERS", path, "a file with what nvcc -Xptxas -v printed");
    }
    return resources;
}

}  // namespace

std::unordered_map<std::string, KernelResources> parse_resources(std::string_view text) {
    std::unordered_map<std::string, KernelResources> resources;
    std::string kernel;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        constexpr std::string_view kEntry = "Compiling entry function '";
        if (const std::size_t entry = line.find(kEntry); entry != std::string_view::npos) {
            const std::string_view name = line.substr(entry + kEntry.size());
            kernel = common_name(name.substr(0, name.find('\'')));
        }
        const std::size_t registers = line.find(" registers");
        if (registers == std::string_view::npos || kernel.empty()) continue;
        KernelResources& own = resources[kernel];
        own.registers = static_cast<int>(number_before(line, registers));
        if (const std::size_t shared = line.find(" bytes smem"); shared != std::string_view::npos) {
            own.shared_bytes = number_before(line, shared);
        }
        kernel.clear();
    }
    return resources;
}

KernelResources resources_of(const void* kernel) {
    if (settings().registers.empty() || kernel == nullptr) return {};
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    static const auto* const by_name = new std::unordered_map(read_resources());
    static auto* const by_address = new std::unordered_map<const void*, KernelResources>;
    const auto [known, is_new] = by_address->try_emplace(kernel);
    if (is_new) {
        const auto found = by_name->find(common_name(mangled_function_name(kernel)));
        if (found != by_name->end()) known->second = found->second;
    }
    return known->second;
}

}  // namespace emulator
