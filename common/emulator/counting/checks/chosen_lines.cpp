// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/chosen_lines.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>

#include "common/base/text.hpp"
#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/record/source_lines.hpp"
#include "common/emulator/process/settings.hpp"

namespace emulator::counting {
namespace {

// A line that a setting names, and which of the keys that were asked for lie on it.
template <class Key>
class ChosenLine {
  public:
    // `misses`: what the line has not, for the message.
    ChosenLine(const char* setting, const char* misses) : setting_(setting), misses_(misses) {
        const char* const value = std::getenv(setting);
        if (value == nullptr || *value == '\0') return;
        line_ = value;
        const std::size_t number = line_.rfind(':') + 1;  // 0 without a colon
        const char* const end = line_.data() + line_.size();
        int parsed = 0;
        const auto [stop, error] = std::from_chars(line_.data() + number, end, parsed);
        if (number < 2 || error != std::errc() || stop != end || parsed < 1) {
            refuse_setting(setting, line_, "FILE:LINE");
        }
    }

    // `line_of_key` is called once for each key.
    template <class LineOfKey>
    bool is_at(Key key, LineOfKey line_of_key) {
        if (line_.empty()) return false;
        const std::lock_guard lock(mutex_);  // blocks that are not recorded run on several workers
        const auto [entry, is_new] = known_.try_emplace(key, false);
        if (is_new) entry->second = line_of_key(key).text() == line_;
        reached_ |= entry->second;
        return entry->second;
    }

    void warn() const {
        if (line_.empty() || reached_) return;
        std::fprintf(stderr, "emulator: %s=%s: no %s of that line was reached\n", setting_,
                     course::one_line(line_).c_str(), misses_);
    }

  private:
    const char* setting_;
    const char* misses_;
    std::string line_;
    bool reached_ = false;
    std::mutex mutex_;
    std::unordered_map<Key, bool> known_;
};

// Never destroyed: static destructors may run kernels.
ChosenLine<const void*>& skipped() {
    static auto* line = new ChosenLine<const void*>("EMULATOR_SKIP", "barrier");
    return *line;
}
ChosenLine<PlaceId>& shifted() {
    static auto* line = new ChosenLine<PlaceId>("EMULATOR_SHIFT", "access");
    return *line;
}

}  // namespace

void read_chosen_lines() {
    skipped();
    shifted();
}

bool is_skipped(const void* code) {
    return skipped().is_at(code, [](const void* one) { return find_line(one); });
}

bool is_shifted(PlaceId place) {
    static auto& line = shifted();
    return line.is_at(place, [](PlaceId one) { return line_of(one); });
}

void warn_of_lines_not_reached() {
    skipped().warn();
    shifted().warn();
}

}  // namespace emulator::counting
