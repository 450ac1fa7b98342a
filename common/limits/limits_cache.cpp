// SPDX-License-Identifier: MIT
#include "common/limits/limits_cache.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <limits>

#include "common/base/atomic_file.hpp"
#include "common/base/text.hpp"
#include "common/input/numbers.hpp"

namespace course {

namespace {

namespace fs = std::filesystem;

// FNV-1a, only for the file name: the file holds the key itself, which is compared.
std::uint64_t hash(const std::string& key) {
    std::uint64_t value = 0xcbf29ce484222325;
    for (const char c : key) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return value;
}

// By the XDG Base Directory Specification a relative $XDG_CACHE_HOME is ignored.
fs::path cache_file(const std::string& key) {
    fs::path folder;
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
        folder = cache;
    } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        folder = fs::path(home) / ".cache";
    } else {
        return {};
    }
    return folder / "gpu-algorithms" / text("limits-", std::hex, hash(key), ".txt");
}

bool read_rate(std::istream& in, double& rate) {
    std::string line;
    if (!std::getline(in, line)) return false;
    const ParsedNumber<double> number = parse_real(line);
    rate = number.value;
    // Nothing moves 10^18 bytes per second: such a file is damaged.
    return number && rate >= 0.0 && rate < 1e18;
}

}  // namespace

std::optional<MeasuredRates> load_measured_rates(const std::string& key) {
    const fs::path path = cache_file(key);
    if (path.empty()) return std::nullopt;
    std::ifstream in(path);
    std::string line;
    MeasuredRates rates;
    if (!std::getline(in, line) || line != key || !read_rate(in, rates.bytes_per_second) ||
        !read_rate(in, rates.l2_bytes_per_second) || rates.bytes_per_second == 0.0) {
        return std::nullopt;
    }
    return rates;
}

MeasuredRates keep_best_rates(const std::string& key, const MeasuredRates& rates) {
    const MeasuredRates stored = load_measured_rates(key).value_or(MeasuredRates{});
    const MeasuredRates best{std::max(stored.bytes_per_second, rates.bytes_per_second),
                             std::max(stored.l2_bytes_per_second, rates.l2_bytes_per_second)};
    const fs::path path = cache_file(key);
    if (path.empty()) return best;
    try {
        fs::create_directories(path.parent_path());
        AtomicFile file(path);
        file.stream() << key << '\n'
                      << std::setprecision(std::numeric_limits<double>::max_digits10)
                      << best.bytes_per_second << '\n'
                      << best.l2_bytes_per_second << '\n';
        file.commit();
    } catch (const std::exception&) {
        // If the home folder is read-only or full, the next run measures again; this run goes on.
    }
    return best;
}

}  // namespace course
