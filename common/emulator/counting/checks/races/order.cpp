// SPDX-License-Identifier: MIT
#include "common/emulator/counting/checks/races/order.hpp"

#include <bit>

namespace emulator::counting {

// ---- Within a warp

void WarpHistory::add_sync(std::uint32_t mask) {
    if (is_full()) return;
    masks_.push_back(mask);
    last_synced_ = static_cast<std::uint32_t>(masks_.size());
}

void WarpHistory::add_fence() {
    if (!is_full()) masks_.push_back(0);
}

bool WarpHistory::orders(int lane, std::uint32_t stamp, int later) const {
    // The list is full, so later entries are missing.
    if (is_full()) return true;
    if (stamp >= last_synced_) return false;
    std::uint32_t told = 1u << lane;
    for (std::size_t i = stamp; i < last_synced_; ++i) {
        if ((masks_[i] & told) == 0) continue;
        told |= masks_[i];
        if ((told >> later & 1) != 0) return true;
    }
    return false;
}

void WarpHistory::known_to(int lane, std::array<std::uint32_t, kWarpSize>& stamps) const {
    stamps[lane] = stamp() + 1;
    std::uint32_t told = 1u << lane;
    for (std::size_t i = last_synced_; i > 0 && told != ~0u; --i) {
        const std::uint32_t mask = masks_[i - 1];
        if ((mask & told) == 0) continue;
        for (std::uint32_t others = mask & ~told; others != 0; others &= others - 1) {
            stamps[std::countr_zero(others)] = static_cast<std::uint32_t>(i);
        }
        told |= mask;
    }
}

// ---- Between proxies

void ProxyFences::note(const Point& point) {
    if (last_.empty()) {
        last_.resize(kMaxThreadsPerBlock, Point{0, 0, 0});
        last_interval_ = 0;
    }
    last_[point.thread] = point;
    last_interval_ = std::max(last_interval_, point.interval);
}

bool ProxyFences::cover(const Access& write, int copier) const {
    if (last_.empty()) return false;
    if (last_interval_ > write.interval) return true;
    const Point& own = last_[write.thread()];
    if (own.interval == write.interval && write.stamp() < own.stamp) return true;
    // Another thread's fence in the same interval: the order of the two is checked as a race.
    return write.thread() != copier && last_[copier].interval == write.interval;
}

// ---- By fences

void FenceOrder::clear() {
    fences_.clear();
    acquires_.clear();
    words_.clear();
}

void FenceOrder::fence(BlockId block, const Point& point, std::uint32_t lanes,
                       std::uint32_t last_synced, bool of_device) {
    fences_[block].push_back(
        {point.interval, point.thread / kWarpSize, lanes, point.stamp, last_synced, of_device});
}

void FenceOrder::strong_access(BlockId block, const Point& point, std::uint32_t last_synced,
                               std::uintptr_t word, bool acquires, bool releases) {
    const auto fences = releases ? fences_.find(block) : fences_.end();
    const bool has_fence = fences != fences_.end();
    const auto known = words_.find(word);
    if (known == words_.end() && !has_fence) return;
    Word& entry = known != words_.end() ? known->second : words_[word];
    std::vector<Acquire>& acquired = acquires_[block];
    if (acquires && !entry.releases.empty()) {
        acquired.push_back({&entry, entry.releases.size(), point});
    }
    if (!has_fence) return;
    const auto [last, is_first] = entry.last_of_block.try_emplace(block, -1);
    const auto fence_count = static_cast<std::uint32_t>(fences->second.size());
    const std::int64_t previous = last->second;
    if (!is_first) {
        // Repeated atomics by one thread on one word say nothing new.
        const Release& before = entry.releases[static_cast<std::size_t>(previous)];
        if (before.point.thread == point.thread && before.fences == fence_count &&
            before.point.interval == point.interval && before.acquires == acquired.size()) {
            return;
        }
    }
    last->second = static_cast<std::int64_t>(entry.releases.size());
    entry.releases.push_back({block, point, last_synced, fence_count,
                              static_cast<std::uint32_t>(acquired.size()), previous});
}

// Whether a fence lies between the access and the release. It is ordered with each of the two by
// the thread itself, by a barrier, or by a __syncwarp() with any mask.
bool FenceOrder::covers(const Release& release, const Access& access, bool same_block) const {
    const auto found = fences_.find(release.block);
    if (found == fences_.end()) return false;
    const int release_warp = release.point.thread / kWarpSize;
    for (std::uint32_t i = 0; i < release.fences; ++i) {
        const Fence& fence = found->second[i];
        if (!same_block && !fence.of_device) continue;
        const bool released = fence.interval < release.point.interval ||
                              (fence.warp == release_warp &&
                               ((fence.lanes >> release.point.thread % kWarpSize & 1) != 0 ||
                                fence.stamp < release.last_synced));
        if (!released) continue;
        if (access.interval < fence.interval) return true;
        if (access.interval > fence.interval || access.warp() != fence.warp) continue;
        if (access.stamp() == Access::kMaxStamp || access.stamp() < fence.last_synced) return true;
        if ((fence.lanes >> access.thread() % kWarpSize & 1) != 0 &&
            access.stamp() <= fence.stamp) {
            return true;
        }
    }
    return false;
}

bool FenceOrder::reaches(const Word& word, std::size_t releases, BlockId block,
                         const Access& access, bool same_block) const {
    const auto last = word.last_of_block.find(block);
    if (last == word.last_of_block.end()) return false;
    for (std::int64_t i = last->second; i >= 0;) {
        const Release& release = word.releases[static_cast<std::size_t>(i)];
        if (static_cast<std::size_t>(i) < releases && covers(release, access, same_block)) {
            return true;
        }
        i = release.previous;
    }
    return false;
}

bool FenceOrder::orders(BlockId block, const Access& access, BlockId reader_block,
                        const Point& reader, std::uint32_t last_synced) const {
    const auto mine = acquires_.find(reader_block);
    if (mine == acquires_.end()) return false;
    const bool same_block = block == reader_block;
    std::vector<std::pair<const Word*, std::size_t>> open;
    for (const Acquire& acquire : mine->second) {
        const Point& at = acquire.point;
        const bool told =
            at.interval < reader.interval || at.thread == reader.thread ||
            (at.thread / kWarpSize == reader.thread / kWarpSize && at.stamp < last_synced);
        if (told) open.emplace_back(acquire.word, acquire.releases);
    }
    // Follow the chain: who signalled may have received a signal before.
    std::unordered_map<const Word*, std::size_t> seen;
    while (!open.empty()) {
        const auto [word, releases] = open.back();
        open.pop_back();
        std::size_t& known = seen[word];
        if (known >= releases) continue;
        if (reaches(*word, releases, block, access, same_block)) return true;
        for (std::size_t i = std::exchange(known, releases); i < releases; ++i) {
            const Release& release = word->releases[i];
            const auto its = acquires_.find(release.block);
            if (its == acquires_.end()) continue;
            for (std::uint32_t j = 0; j < release.acquires; ++j) {
                open.emplace_back(its->second[j].word, its->second[j].releases);
            }
        }
    }
    return false;
}

}  // namespace emulator::counting
