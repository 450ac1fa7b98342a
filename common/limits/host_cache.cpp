// SPDX-License-Identifier: MIT
#include "common/limits/host_cache.hpp"

#include <fstream>
#include <set>
#include <string>

#include "common/base/text.hpp"

namespace course {

namespace {

std::string first_word(const std::string& path) {
    std::ifstream in(path);
    std::string word;
    in >> word;
    return word;
}

}  // namespace

std::int64_t host_cache_bytes() {
    std::int64_t bytes = 0;
    std::set<std::string> seen;
    for (int processor = 0;; ++processor) {
        for (int index = 0;; ++index) {
            const std::string folder =
                text("/sys/devices/system/cpu/cpu", processor, "/cache/index", index, "/");
            const std::string level = first_word(folder + "level");
            if (level.empty()) {
                if (index == 0) return bytes;
                break;
            }
            const std::string shared_by = first_word(folder + "shared_cpu_list");
            if (level < "2" || !seen.insert(level + ":" + shared_by).second) continue;
            std::ifstream in(folder + "size");
            std::int64_t size = 0;
            char unit = ' ';
            in >> size >> unit;
            bytes += size * (unit == 'M' ? 1024 * 1024 : unit == 'K' ? 1024 : 1);
        }
    }
}

}  // namespace course
