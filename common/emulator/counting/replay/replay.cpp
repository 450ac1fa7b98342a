// SPDX-License-Identifier: MIT
#include "common/emulator/counting/replay/replay.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/emulator/counting/checks/checks.hpp"
#include "common/emulator/counting/output/counters.hpp"
#include "common/emulator/counting/output/trace.hpp"
#include "common/emulator/counting/output/view.hpp"
#include "common/emulator/counting/record/recorder.hpp"
#include "common/emulator/counting/replay/async_steps.hpp"
#include "common/emulator/counting/replay/rules.hpp"

namespace emulator::counting {
namespace {

constexpr std::uint32_t kAllLanes = ~0u;

constexpr std::uint32_t lane_bit(int lane) { return 1u << lane; }

// `kKnownCount` is the number of heads if the compiler knows it, else 0.
template <int kKnownCount>
bool are_equal(const Head* heads, int count) {
    if (kKnownCount > 0) count = kKnownCount;
    Head difference = 0;
    for (int i = 0; i < count; ++i) difference |= heads[i] ^ heads[0];
    return difference == 0;
}

// The pattern of the first `count` lanes' addresses. Each access has `bytes` bytes.
template <int kKnownCount>
Pattern pattern_of(const std::uint64_t* address, int count, unsigned bytes) {
    if (kKnownCount > 0) count = kKnownCount;
    const std::uint64_t stride = address[1] - address[0];
    if (count < 2 || (stride != 0 && stride != bytes)) return Pattern::scattered;
    std::uint64_t expected = address[0];
    std::uint64_t difference = 0;
    for (int i = 0; i < count; ++i, expected += stride) difference |= address[i] ^ expected;
    if (difference != 0) return Pattern::scattered;
    return stride == 0 ? Pattern::same : Pattern::side_by_side;
}

Pattern pattern_of(const std::uint64_t* address, std::uint32_t lanes, unsigned bytes) {
    if (lanes == kAllLanes) return pattern_of<kWarpSize>(address, kWarpSize, bytes);
    if ((lanes & (lanes + 1)) != 0) return Pattern::scattered;
    return pattern_of<0>(address, std::bit_width(lanes), bytes);
}

// Not every x86-64 processor has an instruction for it: g++ would call a function.
unsigned count_bits(std::uint32_t mask) {
    if (mask == kAllLanes) return kWarpSize;
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

// One warp's replay. What a view needs is compiled apart, so that other runs test nothing more at
// each step.
template <bool kViewing>
class Replay {
  public:
    // The large arrays for an access's operands are not initialised: they are written before use.
    // cppcheck-suppress uninitMemberVar
    Replay(Worker& worker, std::uint16_t kernel, int warp)
        : worker_(worker),
          counting_(counting()),
          kernel_(*counting_.kernels[kernel]),
          kernel_index_(kernel),
          warp_(warp),
          recorder_(recorder()),
          events_(recorder_.events(warp)),
          live_(worker.live_lanes(warp)) {
        lanes_ =
            std::min<int>(kWarpSize, static_cast<int>(worker.threads().size()) - warp * kWarpSize);
        const ThreadRecord* const records = &recorder_.record(warp, 0);
        const Head* const first = recorder_.first_head(warp, 0);
        std::uint32_t left = 0;
        for (int lane = 0; lane < lanes_; ++lane) {
            const auto count =
                static_cast<unsigned>(records[lane].next - (first + lane)) / kRowStride;
            row_[lane] = 0;
            count_[lane] = count;
            left |= static_cast<std::uint32_t>(count > 0) << lane;
        }
        left_ = left;
    }

    void run(std::uint32_t held) {
        held_ = held;
        running_ = live_ | left_;
        if (left_ == 0) return;
        run_together();
        if (left_ != 0) run_apart();
    }

    void run_to_stores() {
        const auto all = count_;
        for (int lane = 0; lane < lanes_; ++lane) {
            while (count_[lane] > 0 && !is_seen_by_others(lane, count_[lane] - 1)) --count_[lane];
            if (count_[lane] == 0) left_ &= ~lane_bit(lane);
        }
        run(0);
        for (int lane = 0; lane < lanes_; ++lane) {
            if (row_[lane] < all[lane]) left_ |= lane_bit(lane);
        }
        count_ = all;
    }

    // Removes the replayed events from the lanes' buffers, and says how many there were.
    std::uint64_t forget_replayed() {
        std::uint64_t replayed = 0;
        for (int lane = 0; lane < lanes_; ++lane) replayed += count_[lane];
        ThreadRecord* const records = &recorder_.record(warp_, 0);
        Head* const first = recorder_.first_head(warp_, 0);
        for (int lane = 0; lane < lanes_; ++lane) records[lane].next = first + lane;
        for (std::uint32_t lanes = left_; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            const unsigned remaining = count_[lane] - row_[lane];
            replayed -= remaining;
            for (unsigned i = 0; i < remaining; ++i) move_event(lane, row_[lane] + i, i);
            records[lane].next += remaining * kRowStride;
        }
        return replayed;
    }

  private:
    // The first rows, as long as all lanes did the same: no search is needed.
    void run_together() {
        const int lanes = std::bit_width(left_);
        if ((left_ & (left_ + 1)) != 0) return;
        unsigned rows = count_[0];
        for (int lane = 1; lane < lanes; ++lane) rows = std::min(rows, count_[lane]);
        unsigned row = 0;
        for (; row < rows; ++row) {
            const Head* const heads = events_.rows[row].head;
            const Head head = heads[0];
            if (!(lanes == kWarpSize ? are_equal<kWarpSize>(heads, kWarpSize)
                                     : are_equal<0>(heads, lanes))) {
                break;
            }
            if (kind_of(head) == EventKind::collective && !collective_is_whole(row, left_)) break;
            step(head, left_, events_.rows[row].operand, events_.values[row].words[0]);
        }
        for (int lane = 0; lane < lanes; ++lane) row_[lane] = row;
        for (int lane = 0; lane < lanes; ++lane) {
            if (row == count_[lane]) left_ &= ~lane_bit(lane);
        }
    }

    bool is_seen_by_others(int lane, unsigned row) const {
        const EventKind kind = kind_of(events_.rows[row].head[lane]);
        return kind == EventKind::store || kind == EventKind::atomic || kind == EventKind::fence;
    }

    // A lane that has returned ended at its last event that is not a basic block. It reaches the
    // basic block in which a function ends by a jump; the hardware ends the thread instead.
    void find_ends() {
        end_.fill(~0u);
        for (std::uint32_t lanes = left_ & ~live_; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            unsigned end = count_[lane];
            while (end > row_[lane] &&
                   kind_of(events_.rows[end - 1].head[lane]) == EventKind::block) {
                --end;
            }
            end_[lane] = end;
            if (end > row_[lane]) running_ |= lane_bit(lane);
        }
        running_ |= live_;
    }

    bool collective_is_whole(unsigned row, std::uint32_t lanes) const {
        return events_.rows[row].operand[0] == lanes;
    }

    void run_apart() {
        head_.fill(kNoHead);
        running_ = 0;
        find_ends();
        for (std::uint32_t lanes = left_; lanes != 0; lanes &= lanes - 1) {
            look_at_next(std::countr_zero(lanes));
        }
        while (left_ != 0 && (held_ & ~left_) == 0) {
            Head least = kNoHead;
            for (int lane = 0; lane < kWarpSize; ++lane) least = std::min(least, head_[lane]);
            if (least == kNoHead) {
                // The lanes wait at collectives that were never completed.
                return;
            }
            std::uint32_t group = 0;
            for (int lane = 0; lane < kWarpSize; ++lane) {
                group |= static_cast<std::uint32_t>(head_[lane] == least) << lane;
            }
            run_group(least, group);
        }
    }

    // The lanes of `group` execute `head` together. They go on as long as they stay together and no
    // other lane comes first.
    void run_group(Head head, std::uint32_t group) {
        Head others = kNoHead;
        for (int lane = 0; lane < kWarpSize; ++lane) {
            if ((group >> lane & 1) == 0) others = std::min(others, head_[lane]);
        }
        for (;;) {
            gather(head, group);
            step(head, group, operand_, words_[0]);
            Head next = kNoHead;
            bool together = true;
            const std::uint32_t left_before = left_;
            some_met_ = false;
            const int first = std::countr_zero(group);
            for (std::uint32_t lanes = group; lanes != 0; lanes &= lanes - 1) {
                const int lane = std::countr_zero(lanes);
                ++row_[lane];
                look_at_next(lane);
                if (lane == first) next = head_[lane];
                together &= head_[lane] == next;
            }
            if (!together || next >= others || left_ != left_before || some_met_) return;
            head = next;
        }
    }

    void gather(Head head, std::uint32_t group) {
        const EventKind kind = kind_of(head);
        if (kind == EventKind::block || kind == EventKind::barrier) return;
        const bool with_values = kind != EventKind::load || tracing;
        for (std::uint32_t lanes = group; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            operand_[lane] = events_.rows[row_[lane]].operand[lane];
            if (with_values) {
                std::memcpy(words_[lane], events_.values[row_[lane]].words[lane],
                            sizeof words_[lane]);
            }
        }
    }

    // The lane's next event becomes its head. At a collective it waits for the lanes that it met
    // there.
    void look_at_next(int lane) {
        if (row_[lane] == end_[lane]) running_ &= ~lane_bit(lane) | live_;
        if (row_[lane] == count_[lane]) {
            head_[lane] = kNoHead;
            left_ &= ~lane_bit(lane);
            return;
        }
        const Head head = events_.rows[row_[lane]].head[lane];
        head_[lane] = head;
        if (kind_of(head) != EventKind::collective) return;
        head_[lane] = kNoHead;
        const auto met =
            static_cast<std::uint32_t>(events_.rows[row_[lane]].operand[lane] & kAllLanes);
        at_collective_ |= lane_bit(lane);
        for (std::uint32_t lanes = met; lanes != 0; lanes &= lanes - 1) {
            const int other = std::countr_zero(lanes);
            if ((at_collective_ & lane_bit(other)) == 0 ||
                (events_.rows[row_[other]].operand[other] & kAllLanes) != met) {
                return;
            }
        }
        if (met == 0) return;
        at_collective_ &= ~met;
        leave_collective(head, met);
    }

    void leave_collective(Head head, std::uint32_t met) {
        some_met_ = true;
        step(head, met, nullptr, nullptr);
        const int first = std::countr_zero(met);
        if (events_.rows[row_[first]].operand[first] > kAllLanes) [[unlikely]] {
            judge_meeting(worker_, warp_, find_place(kernel_index_, head), met, next_blocks(met));
        }
        for (std::uint32_t lanes = met; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            ++row_[lane];
            look_at_next(lane);
        }
    }

    // Of lanes at a collective: the basic blocks around it.
    NextBlocks next_blocks(std::uint32_t met) const {
        NextBlocks found;
        for (std::uint32_t lanes = met; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            unsigned row = row_[lane];
            const auto head = [&] { return events_.rows[row].head[lane]; };
            const Head at = head();
            // Not in a function that is called after this one.
            const auto goes_on = [&] {
                return kind_of(head()) == EventKind::block &&
                       (head() >> kDepthShift > at >> kDepthShift ||
                        path_of(head()) == path_of(at));
            };
            while (row < count_[lane] && !goes_on()) ++row;
            if (row == count_[lane]) continue;
            found.after[lane] = code_of(head());
            // The block before in the same function.
            const std::uint16_t path = path_of(head());
            for (row = row_[lane]; row > 0 && found.before[lane] == 0;) {
                --row;
                if (kind_of(head()) == EventKind::block && path_of(head()) == path) {
                    found.before[lane] = code_of(head());
                }
            }
        }
        return found;
    }

    void step(Head head, std::uint32_t lanes, const std::uint64_t* operands,
              const std::uint32_t* words) {
        const Head whole = head & ~kFurtherPart;
        KernelCounters::CachedPlace& cached = kernel_.cache[KernelCounters::cache_index(whole)];
        if (cached.head != whole) {
            cached.place = find_place(kernel_index_, whole);
            cached.head = whole;
        }
        Counts& counts = counting_.places[cached.place].counts;
        if (is_further_part(head)) [[unlikely]] {
            // The instruction was counted with its first part.
            return do_async_step(worker_, warp_, counts,
                                 {cached.place, head, lanes, operands, words});
        }
        ++counts.requests;
        // All lanes execute an ldmatrix, also those whose address it ignores.
        counts.lanes += count_bits(is_matrix_row(head) ? running_ | lanes : lanes);
        counts.alive_lanes += count_bits(running_ | lanes);
        if constexpr (kViewing) {
            view_step(worker_, warp_, cached.place, lanes, running_ | lanes);
        }
        switch (kind_of(head)) {
            case EventKind::block:
            case EventKind::barrier:
                return;
            case EventKind::collective:
                if (is_syncwarp(head)) order_warp(worker_, warp_, lanes);
                return;
            case EventKind::copy:
            case EventKind::copy_wait:
            case EventKind::phase:
            case EventKind::proxy_fence:
                return do_async_step(worker_, warp_, counts,
                                     {cached.place, head, lanes, operands, words});
            case EventKind::fence:
                order_fence(worker_, warp_, lanes, operands[std::countr_zero(lanes)] != 0);
                return;
            default:
                count_request(counts, cached.place, head, lanes, operands, words);
        }
    }

    void count_request(Counts& counts, PlaceId place, Head head, std::uint32_t lanes,
                       const std::uint64_t* operands, const std::uint32_t* words) {
        const EventKind kind = kind_of(head);
        const Request request{place,
                              space_of(head),
                              kind == EventKind::load    ? Operation::load
                              : kind == EventKind::store ? Operation::store
                                                         : Operation::atomic,
                              is_volatile(head),
                              static_cast<std::uint8_t>(bytes_of(head)),
                              lanes,
                              operands,
                              {kind == EventKind::load && !tracing ? nullptr : words},
                              pattern_of(operands, lanes, bytes_of(head)),
                              is_atomic_object(head),
                              is_read_only_load(head),
                              is_matrix_row(head)};
        const std::size_t found_before = kViewing ? noted_findings() : 0;
        Cost cost;
        if (request.space == Space::texture) {
            // Its memory is the device's.
            Request of_memory = request;
            of_memory.space = Space::global;
            check_request(worker_, warp_, of_memory);
        } else if (request.space != Space::constant) {
            cost = request.space == Space::shared ? shared_cost(request) : global_cost(request);
            counts.units += cost.units;
            counts.ideal_units += cost.ideal;
            counts.depth += cost.depth;
            check_request(worker_, warp_, request);
        }
        if (tracing) trace_request(worker_, warp_, request);
        if constexpr (kViewing) {
            view_request(worker_, warp_, request, cost, noted_findings() > found_before);
        }
    }

    void move_event(int lane, unsigned from, unsigned to) {
        if (from == to) return;
        events_.rows[to].head[lane] = events_.rows[from].head[lane];
        events_.rows[to].operand[lane] = events_.rows[from].operand[lane];
        std::memcpy(events_.values[to].words[lane], events_.values[from].words[lane],
                    sizeof events_.values[to].words[lane]);
    }

    Worker& worker_;
    Counting& counting_;
    KernelCounters& kernel_;
    std::uint16_t kernel_index_;
    int warp_;
    int lanes_;
    Recorder& recorder_;
    WarpEvents& events_;
    std::uint32_t live_;  // lanes that have not returned
    std::uint32_t left_ = 0;  // lanes with events left
    std::uint32_t running_ = 0;  // lanes that are not at their end
    std::uint32_t held_ = 0;
    std::uint32_t at_collective_ = 0;
    bool some_met_ = false;
    // Only valid for lanes with events.
    std::array<unsigned, kWarpSize> count_;
    std::array<unsigned, kWarpSize> row_;
    std::array<unsigned, kWarpSize> end_;  // for lanes that have returned
    std::array<Head, kWarpSize> head_;  // of the next event; kNoHead: none, or it waits
    std::uint64_t operand_[kWarpSize];
    std::uint32_t words_[kWarpSize][Words::kPerLane];
};

// Calls `run` with the warp's replay.
template <class Run>
std::uint64_t replay_by(Worker& worker, std::uint16_t kernel, int warp, Run run) {
    const auto replayed_by = [&](auto replay) {
        run(replay);
        return replay.forget_replayed();
    };
    return viewing ? replayed_by(Replay<true>(worker, kernel, warp))
                   : replayed_by(Replay<false>(worker, kernel, warp));
}

}  // namespace

std::uint64_t replay_warp(Worker& worker, std::uint16_t kernel, int warp) {
    return replay_held_warp(worker, kernel, warp, 0);
}

std::uint64_t replay_held_warp(Worker& worker, std::uint16_t kernel, int warp, std::uint32_t held) {
    return replay_by(worker, kernel, warp, [held](auto& replay) { replay.run(held); });
}

std::uint64_t replay_stores(Worker& worker, std::uint16_t kernel, int warp) {
    return replay_by(worker, kernel, warp, [](auto& replay) { replay.run_to_stores(); });
}

}  // namespace emulator::counting
