// SPDX-License-Identifier: MIT
#include "common/emulator/counting/replay/rules.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace emulator::counting {
namespace {

using Address = std::uintptr_t;

constexpr unsigned kSectorBytes = 32;
constexpr unsigned kWordBytes = 4;
constexpr unsigned kBanks = 32;

// The addresses of the lanes that take part, in the order of the lanes.
struct Addresses {
    const Address* first;
    unsigned count;
    std::array<Address, kWarpSize> packed;

    explicit Addresses(const Request& request)
        : first(request.address), count(static_cast<unsigned>(std::bit_width(request.lanes))) {
        if ((request.lanes & (request.lanes + 1)) == 0) return;  // the first lanes: as they are
        unsigned i = 0;
        for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
            packed[i++] = request.address[std::countr_zero(lanes)];
        }
        first = packed.data();
        count = i;
    }

    // Whether lane i is at the first address plus i times `stride`.
    bool have_stride(Address stride) const {
        Address difference = 0;
        for (unsigned i = 0; i < count; ++i) difference |= first[i] ^ (first[0] + i * stride);
        return difference == 0;
    }

    bool ascend() const {
        bool ascending = true;
        for (unsigned i = 1; i < count; ++i) ascending &= first[i - 1] <= first[i];
        return ascending;
    }
};

unsigned round_up_to_sectors(unsigned bytes) { return (bytes + kSectorBytes - 1) / kSectorBytes; }

// The addresses in ascending order. If they are not, a sorted copy in `room`.
const Address* sort(const Addresses& addresses, std::array<Address, kWarpSize>& room) {
    if (addresses.ascend()) return addresses.first;
    std::copy_n(addresses.first, addresses.count, room.begin());
    std::sort(room.begin(), room.begin() + addresses.count);
    return room.data();
}

// The largest number of equal addresses.
unsigned largest_run(const Address* sorted, unsigned count) {
    unsigned largest = 0;
    for (unsigned i = 0; i < count;) {
        unsigned end = i + 1;
        while (end < count && sorted[end] == sorted[i]) ++end;
        largest = std::max(largest, end - i);
        i = end;
    }
    return largest;
}

// The cost of bytes without a gap.
Cost contiguous_cost(Address first, unsigned bytes) {
    const Address last = first + bytes - 1;
    return {static_cast<unsigned>(last / kSectorBytes - first / kSectorBytes + 1),
            round_up_to_sectors(bytes)};
}

Cost load_or_store_cost(const Addresses& addresses, unsigned bytes) {
    const Address first = addresses.first[0];
    if (addresses.have_stride(0)) return contiguous_cost(first, bytes);
    if (addresses.have_stride(bytes)) return contiguous_cost(first, addresses.count * bytes);
    std::array<Address, kWarpSize> room;
    const Address* const sorted = sort(addresses, room);
    unsigned sectors = 0;
    unsigned distinct = 0;
    Address next_sector = 0;
    for (unsigned i = 0; i < addresses.count; ++i) {
        distinct += i == 0 || sorted[i] != sorted[i - 1];
        const Address begin = std::max(sorted[i] / kSectorBytes, next_sector);
        const Address end = (sorted[i] + bytes - 1) / kSectorBytes + 1;
        if (end > begin) sectors += static_cast<unsigned>(end - begin);
        next_sector = std::max(next_sector, end);
    }
    return {sectors, round_up_to_sectors(distinct * bytes)};
}

Cost atomic_cost(const Addresses& addresses, unsigned bytes) {
    std::array<Address, kWarpSize> room;
    const Address* const sorted = sort(addresses, room);
    Cost cost{0, round_up_to_sectors(addresses.count * bytes), 0};
    unsigned largest_of_sector = 0;
    for (unsigned i = 0; i < addresses.count;) {
        unsigned end = i + 1;
        while (end < addresses.count && sorted[end] == sorted[i]) ++end;
        largest_of_sector = std::max(largest_of_sector, end - i);
        cost.depth = std::max(cost.depth, end - i);
        if (end == addresses.count || sorted[end] / kSectorBytes != sorted[i] / kSectorBytes) {
            cost.units += largest_of_sector;
            largest_of_sector = 0;
        }
        i = end;
    }
    return cost;
}

// ---- Shared memory

// For lanes [begin, end): the largest number of distinct words in one bank. 0 if no lane takes
// part.
unsigned bank_depth(const Request& request, int begin, int end) {
    std::array<Address, kWarpSize * 4> words;
    unsigned count = 0;
    for (int lane = begin; lane < end; ++lane) {
        if ((request.lanes >> lane & 1) == 0) continue;
        const Address first = request.address[lane] / kWordBytes;
        const Address last = (request.address[lane] + request.bytes - 1) / kWordBytes;
        for (Address word = first; word <= last; ++word) words[count++] = word;
    }
    // A bank's words differ by multiples of kBanks: in a list sorted by bank, then word, equal
    // words are neighbours.
    std::sort(words.begin(), words.begin() + count, [](Address a, Address b) {
        return a % kBanks != b % kBanks ? a % kBanks < b % kBanks : a < b;
    });
    unsigned largest = 0;
    unsigned in_bank = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (i > 0 && words[i] == words[i - 1]) continue;
        in_bank = i > 0 && words[i] % kBanks == words[i - 1] % kBanks ? in_bank + 1 : 1;
        largest = std::max(largest, in_bank);
    }
    return largest;
}

// The hardware serves the warp in groups of `lanes` lanes, one after the other.
Cost grouped_cost(const Request& request, int lanes) {
    Cost cost;
    for (int begin = 0; begin < kWarpSize; begin += lanes) {
        const unsigned depth = bank_depth(request, begin, begin + lanes);
        cost.units += depth;
        cost.ideal += depth > 0;
    }
    return cost;
}

// Whether each lane reads the same address as lane ^ distance. Lanes that do not take part are
// ignored.
bool pairs_agree(const Request& request, int distance) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const int partner = lane ^ distance;
        const std::uint32_t both = 1u << lane | 1u << partner;
        if ((request.lanes & both) == both && request.address[lane] != request.address[partner]) {
            return false;
        }
    }
    return true;
}

Cost shared_atomic_cost(const Request& request, const Addresses& addresses) {
    std::array<unsigned char, kBanks> lanes_of_bank{};
    Cost cost{0, 1, 0};
    for (unsigned i = 0; i < addresses.count; ++i) {
        const unsigned lanes = ++lanes_of_bank[addresses.first[i] / kWordBytes % kBanks];
        cost.units = std::max(cost.units, lanes);
    }
    std::array<Address, kWarpSize> room;
    cost.depth = largest_run(sort(addresses, room), addresses.count);
    if (request.bytes > kWordBytes) {
        cost.ideal =
            (addresses.count * request.bytes + kBanks * kWordBytes - 1) / (kBanks * kWordBytes);
    }
    cost.units = std::max(cost.units, cost.ideal);
    return cost;
}

// ---- Asynchronous copies

constexpr unsigned kLineBytes = 128;

// The largest number of words that lanes [begin, end) have in one bank; equal words count each.
unsigned words_in_bank(const Request& request, int begin, int end) {
    std::array<unsigned, kBanks> words{};
    for (int lane = begin; lane < end; ++lane) {
        if ((request.lanes >> lane & 1) == 0) continue;
        for (unsigned offset = 0; offset < request.bytes; offset += kWordBytes) {
            ++words[(request.address[lane] + offset) / kWordBytes % kBanks];
        }
    }
    return *std::max_element(words.begin(), words.end());
}

// At most one pair of numbers per lane.
class DistinctPairs {
  public:
    void add(Address first, Address second) {
        // Neighbours are mostly equal.
        for (unsigned i = count_; i > 0; --i) {
            if (first_[i - 1] == first && second_[i - 1] == second) return;
        }
        first_[count_] = first;
        second_[count_++] = second;
    }
    unsigned count() const { return count_; }

  private:
    unsigned count_ = 0;
    std::array<Address, kWarpSize> first_;
    std::array<Address, kWarpSize> second_;
};

// A wavefront takes one word per bank on each side, from up to four lines.
unsigned copy_wavefronts(const Request& load, const Request& store, int begin, int end) {
    constexpr unsigned kLinesAtOnce = 4;
    DistinctPairs lines;
    for (int lane = begin; lane < end; ++lane) {
        if ((load.lanes >> lane & 1) != 0) lines.add(load.address[lane] / kLineBytes, 0);
    }
    return std::max({words_in_bank(load, begin, end), words_in_bank(store, begin, end),
                     (lines.count() + kLinesAtOnce - 1) / kLinesAtOnce});
}

// A transfer takes one sector of the target from one line of the source. A lane whose target a
// later lane has too takes no part.
Cost bypassing_copy_cost(const Request& load, const Request& store) {
    DistinctPairs transfers;
    for (std::uint32_t lanes = load.lanes; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        bool is_last = true;
        for (std::uint32_t later = lanes & (lanes - 1); later != 0; later &= later - 1) {
            is_last &= store.address[std::countr_zero(later)] != store.address[lane];
        }
        if (!is_last) continue;
        transfers.add(load.address[lane] / kLineBytes, store.address[lane] / kSectorBytes);
    }
    const unsigned bytes = load.bytes * static_cast<unsigned>(std::popcount(load.lanes));
    return {transfers.count(), round_up_to_sectors(bytes)};
}

}  // namespace

Cost global_cost(const Request& request) {
    if (request.pattern != Pattern::scattered && request.operation != Operation::atomic) {
        const unsigned count = request.pattern == Pattern::same ? 1 : std::popcount(request.lanes);
        return contiguous_cost(request.address[0], count * request.bytes);
    }
    const Addresses addresses(request);
    return request.operation == Operation::atomic ? atomic_cost(addresses, request.bytes)
                                                  : load_or_store_cost(addresses, request.bytes);
}

Cost shared_cost(const Request& request) {
    // ldmatrix and stmatrix: eight rows, which are one matrix, at a time.
    if (request.is_matrix_row) return grouped_cost(request, 8);
    // The common patterns: one word, or words side by side.
    if (request.bytes <= kWordBytes && request.operation != Operation::atomic &&
        (request.pattern == Pattern::same ||
         (request.pattern == Pattern::side_by_side && request.bytes == kWordBytes))) {
        return {1, 1};
    }
    const Addresses addresses(request);
    if (request.operation == Operation::atomic) return shared_atomic_cost(request, addresses);
    if (request.bytes <= kWordBytes) {
        if (addresses.have_stride(0) || addresses.have_stride(kWordBytes)) return {1, 1};
        return grouped_cost(request, 32);
    }
    int lanes = request.bytes == 8 ? 16 : 8;
    if (request.operation == Operation::load &&
        (pairs_agree(request, 1) || pairs_agree(request, 2))) {
        lanes *= 2;
    }
    return grouped_cost(request, lanes);
}

CopyCost async_copy_cost(const Request& load, const Request& store, bool fills) {
    CopyCost cost;
    if (load.lanes != 0) {
        cost.global =
            load.bytes == 16 && !fills ? bypassing_copy_cost(load, store) : global_cost(load);
    }
    if (store.bytes == 16) {
        if (fills) cost.shared = shared_cost(store);
        return cost;
    }
    const int group = store.bytes == 4 ? kWarpSize : kWarpSize / 2;
    for (int begin = 0; begin < kWarpSize; begin += group) {
        const unsigned wavefronts = copy_wavefronts(load, store, begin, begin + group);
        cost.shared.units += wavefronts;
        cost.shared.ideal += wavefronts > 0;
    }
    return cost;
}

Cost bulk_copy_cost(std::uintptr_t global, std::uint32_t bytes) {
    constexpr std::uint32_t kPiece = 128;
    Cost cost{0, round_up_to_sectors(bytes)};
    for (std::uint32_t done = 0; done < bytes; done += kPiece) {
        cost.units += contiguous_cost(global + done, std::min(kPiece, bytes - done)).units;
    }
    return cost;
}

}  // namespace emulator::counting
