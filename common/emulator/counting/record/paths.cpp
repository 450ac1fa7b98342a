// SPDX-License-Identifier: MIT
#include "common/emulator/counting/record/paths.hpp"

#include <unordered_map>

namespace emulator::counting {
namespace {

struct Path {
    std::uint16_t parent;
    std::uint32_t caller;
};

struct Paths {
    std::vector<Path> all{Path{0, 0}};
    std::unordered_map<std::uint64_t, std::uint16_t> known;
};

Paths& paths() {
    static auto* paths = new Paths;  // never destroyed: static destructors may use it
    return *paths;
}

}  // namespace

std::uint16_t path_of_call(std::uint16_t parent, std::uint32_t caller) {
    Paths& table = paths();
    // A call that is open already is a recursion. Its path is that of the outer call, so that there
    // are only as many paths as the program has.
    for (std::uint16_t path = parent; path != 0; path = table.all[path].parent) {
        if (table.all[path].caller == caller) return path;
    }
    const auto [entry, is_new] = table.known.try_emplace(std::uint64_t{caller} << 16 | parent, 0);
    if (is_new && table.all.size() < 0xffff) {
        entry->second = static_cast<std::uint16_t>(table.all.size());
        table.all.push_back({parent, caller});
    }
    return entry->second;
}

std::vector<const void*> callers_of(std::uint16_t path) {
    std::vector<const void*> callers;
    for (; path != 0; path = paths().all[path].parent) {
        callers.push_back(code_at(paths().all[path].caller));
    }
    return callers;
}

}  // namespace emulator::counting
