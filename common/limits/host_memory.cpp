// SPDX-License-Identifier: MIT
#include "common/limits/host_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "common/harness/text.hpp"

namespace course {

namespace {

// The number after `name` in a file of "name number" lines.
std::optional<std::int64_t> find_number(const char* path, std::string_view name) {
    std::ifstream in(path);
    std::string word;
    std::int64_t number = 0;
    while (in >> word) {
        if (word == name && in >> number) {
            return number;
        }
    }
    return std::nullopt;
}

std::string first_word(const std::string& path) {
    std::ifstream in(path);
    std::string word;
    in >> word;
    return word;
}

}  // namespace

std::int64_t available_host_bytes() {
    std::int64_t available = std::numeric_limits<std::int64_t>::max();
    if (const auto kibibytes = find_number("/proc/meminfo", "MemAvailable:")) {
        available = *kibibytes * 1024;
    }
    // A container's limit. Its page cache counts as used there but can be given back.
    std::ifstream in("/sys/fs/cgroup/memory.max");
    std::int64_t limit = 0;
    if (in >> limit) {  // "max" is no number: no limit
        const std::int64_t used = find_number("/sys/fs/cgroup/memory.stat", "anon").value_or(0);
        available = std::min(available, std::max<std::int64_t>(0, limit - used));
    }
    return available;
}

std::int64_t host_cache_bytes() {
    std::int64_t bytes = 0;
    std::set<std::string> seen;
    for (int processor = 0;; ++processor) {
        for (int index = 0;; ++index) {
            const std::string folder =
                text("/sys/devices/system/cpu/cpu", processor, "/cache/index", index, "/");
            const std::string level = first_word(folder + "level");
            if (level.empty()) {
                if (index == 0) {
                    return bytes;
                }
                break;
            }
            const std::string shared_by = first_word(folder + "shared_cpu_list");
            if (level < "2" || !seen.insert(level + ":" + shared_by).second) {
                continue;
            }
            std::ifstream in(folder + "size");
            std::int64_t size = 0;
            char unit = ' ';
            in >> size >> unit;
            bytes += size * (unit == 'M' ? 1024 * 1024 : unit == 'K' ? 1024 : 1);
        }
    }
}

}  // namespace course
