// SPDX-License-Identifier: MIT
#include "common/emulator/engine/async/async_work.hpp"

#include <algorithm>
#include <emulator/async/mbarrier.hpp>
#include <utility>

#include "common/emulator/process/settings.hpp"

namespace emulator {
namespace {

// Not memcpy(): where accesses are counted, its calls are.
void copy_bytes(char* destination, const char* source, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
        destination[i] = source[i];
        asm volatile("" : : : "memory");
    }
}

template <class T>
void combine(BulkOperation operation, char* destination, const char* source) {
    auto* const target = reinterpret_cast<T*>(destination);
    T operand;
    copy_bytes(reinterpret_cast<char*>(&operand), source, sizeof operand);
    T old;
    __atomic_load(target, &old, __ATOMIC_RELAXED);
    for (;;) {
        T result = old;
        switch (operation) {
            case BulkOperation::add:
                result = old + operand;
                break;
            case BulkOperation::min:
                result = operand < old ? operand : old;
                break;
            case BulkOperation::max:
                result = old < operand ? operand : old;
                break;
            case BulkOperation::inc:
                result = old >= operand ? T{0} : old + T{1};
                break;
            case BulkOperation::dec:
                result = old == T{0} || old > operand ? operand : old - T{1};
                break;
            default:
                if constexpr (std::is_integral_v<T>) {
                    result = operation == BulkOperation::bit_and  ? old & operand
                             : operation == BulkOperation::bit_or ? old | operand
                                                                  : old ^ operand;
                }
        }
        if (__atomic_compare_exchange(target, &old, &result, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
            return;
        }
    }
}

template <class T>
void combine_all(const AsyncCopy& copy, const char* source) {
    for (std::uint32_t i = 0; i < copy.bytes; i += sizeof(T)) {
        combine<T>(copy.operation, copy.destination + i, source + i);
    }
}

void write_data(const AsyncCopy& copy, const char* source) {
    if (copy.compute != nullptr) return copy.compute();
    if (copy.box != nullptr) {
        // What is read of an image is not written.
        copy.box->move(copy.box->stores ? const_cast<char*>(source) : copy.destination);
        return;
    }
    if (copy.operation != BulkOperation::copy) {
        switch (copy.element) {
            case BulkElement::u32:
                return combine_all<std::uint32_t>(copy, source);
            case BulkElement::s32:
                return combine_all<std::int32_t>(copy, source);
            case BulkElement::u64:
                return combine_all<std::uint64_t>(copy, source);
            case BulkElement::s64:
                return combine_all<std::int64_t>(copy, source);
            case BulkElement::f32:
                return combine_all<float>(copy, source);
            default:
                return combine_all<double>(copy, source);
        }
    }
    copy_bytes(copy.destination, source, copy.read_bytes);
    for (std::uint32_t i = copy.read_bytes; i < copy.bytes; ++i) copy.destination[i] = 0;
}

}  // namespace

void move_data(const AsyncCopy& copy) { write_data(copy, copy.source); }

// ---- Groups of one thread

std::uint64_t CopyQueue::issue(AsyncCopy copy) {
    if (copy.at_once) move_data(copy);
    copies_.push_back(std::move(copy));
    return issued();
}

std::uint64_t CopyQueue::end_of_groups(unsigned left) const {
    if (group_ends_.size() <= left) return first_;
    return std::max(first_, group_ends_[group_ends_.size() - left - 1].end);
}

void CopyQueue::complete(std::uint64_t end) {
    if (end <= first_) return;
    const auto count = static_cast<std::size_t>(end - first_);
    for (std::size_t i = 0; i < count; ++i) {
        const AsyncCopy& copy = copies_[i];
        if (!copy.at_once) write_data(copy, copy.read != nullptr ? copy.read.get() : copy.source);
    }
    copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(count));
    first_ = end;
    // Groups that have arrived still count as groups; only the latest ones matter.
    constexpr std::size_t kKept = 64;
    if (group_ends_.size() > 2 * kKept) {
        group_ends_.erase(group_ends_.begin(), group_ends_.end() - kKept);
    }
}

void CopyQueue::read_sources(std::uint64_t end) {
    for (std::size_t i = 0; i < copies_.size() && first_ + i < end; ++i) {
        AsyncCopy& copy = copies_[i];
        if (copy.at_once || copy.read != nullptr) continue;
        copy.read = std::make_unique<char[]>(copy.bytes);
        copy_bytes(copy.read.get(), copy.source, copy.bytes);
    }
}

void CopyQueue::complete_read() {
    for (const AsyncCopy& copy : copies_) {
        if (!copy.at_once && copy.read != nullptr) write_data(copy, copy.read.get());
    }
}

void CopyQueue::clear() {
    copies_.clear();
    group_ends_.clear();
    first_ = 0;
}

// ---- A worker's block

AsyncWork::AsyncWork(int threads)
    : copies(static_cast<std::size_t>(threads)),
      bulk_stores(static_cast<std::size_t>(threads)),
      products(static_cast<std::size_t>(threads) / kWarpSize) {}

bool AsyncWork::next_is_at_once() {
    const Schedule& schedule = settings().schedule;
    if (schedule.order != Schedule::Order::shuffled) {
        return schedule.order == Schedule::Order::reversed;
    }
    return (mix_bits(schedule.seed ^ mix_bits(++choices)) & 1) != 0;
}

void AsyncWork::finish_block(int threads) {
    for (int thread = 0; thread < threads; ++thread) {
        copies[thread].clear();
        bulk_stores[thread].complete_read();
        bulk_stores[thread].clear();
    }
    for (WarpProducts& warp : products) {
        warp.queue.clear();
        warp.issued = 0;
        warp.is_fenced = false;
        warp.arrived.clear();
    }
    tracked.clear();
    waiters.clear();
    fruitless_rounds = 0;
    if (named.words != nullptr) named = {};
    phases.clear();
    ended.clear();
    bulk_loads = 0;
    phase_count = 0;
}

std::int64_t transactions_of(std::uint64_t state) {
    const auto bits = static_cast<std::int64_t>(state >> kTransactionShift & kTransactionMask);
    return bits - ((bits & 1 << 20) != 0 ? 1 << 21 : 0);
}

std::uint64_t product_of_all_warps = 0;

int named_barrier_of(const AsyncWork& work, const std::uint64_t* barrier) {
    const std::uint64_t* const words = work.named.words;
    if (words == nullptr || barrier < words || barrier >= words + kNamedBarriers) return -1;
    return static_cast<int>(barrier - words);
}

std::string describe_wait(const AsyncWork& work, const std::uint64_t* barrier) {
    if (barrier == nullptr) return "in a loop that waits for another thread";
    if (barrier == &product_of_all_warps) {
        return "at a wgmma.wait_group for a warp that does not multiply with its group";
    }
    const std::uint32_t arrivals = pending_of(*barrier);
    const int named = named_barrier_of(work, barrier);
    if (named >= 0) {
        return "at barrier " + std::to_string(named) + ", which lacks " + std::to_string(arrivals) +
               (arrivals == 1 ? " thread" : " threads");
    }
    const std::int64_t bytes = transactions_of(*barrier);
    std::string text = "at an mbarrier whose phase lacks " + std::to_string(arrivals) +
                       (arrivals == 1 ? " arrival" : " arrivals");
    if (bytes != 0) text += " and " + std::to_string(bytes) + " bytes of bulk copies";
    return text;
}

std::uint64_t AsyncWork::last_phase(const std::uint64_t* barrier) const {
    for (const EndedPhase& phase : phases) {
        if (phase.barrier == barrier) return phase.number;
    }
    return 0;
}

}  // namespace emulator
