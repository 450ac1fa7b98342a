// SPDX-License-Identifier: MIT
// The free memory of the host. Only a header, because the CPU engine is a separate library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace course {

// The number after `name` in a file of "name number" lines, if there is one.
inline std::optional<std::int64_t> find_number(const char* path, std::string_view name) {
    std::ifstream in(path);
    std::string word;
    std::int64_t number = 0;
    while (in >> word) {
        if (word == name && in >> number) return number;
    }
    return std::nullopt;
}

// Bytes that can be allocated without swapping, within the limit of the control group; the largest
// 64-bit integer if the system does not tell.
inline std::int64_t available_host_bytes() {
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
    // The same limit in the first version of control groups, often almost 2^63.
    std::ifstream first_version("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    if (first_version >> limit) available = std::min(available, limit);
    return available;
}

}  // namespace course
