// SPDX-License-Identifier: MIT
// Cooperative groups for the CPU engine: thread blocks, grids, tiles and coalesced groups. Clusters
// are not available.
#pragma once

#include <cuda_runtime.h>

#include <concepts>
#include <emulator/brought_headers.hpp>
#include <emulator/groups/lane_group.hpp>
#include <emulator/groups/multi_warp_tile.hpp>
#include <type_traits>
#include <utility>

namespace cooperative_groups {

class thread_block;
class coalesced_group;
template <unsigned int Size, class Parent>
class thread_block_tile;

// Any group, of a kind that need not be known. Partitions by a run-time size return it.
class thread_group {
  public:
    void sync() const {
        if (is_block_) {
            __syncthreads();
        } else {
            lanes_.synchronize();
        }
    }
    unsigned long long num_threads() const {
        return is_block_ ? emulator::threads_in_block() : lanes_.count();
    }
    unsigned long long size() const { return num_threads(); }
    unsigned long long thread_rank() const {
        return is_block_ ? emulator::linear_thread_index() : lanes_.rank();
    }

  protected:
    thread_group() : lanes_(0), is_block_(true) {}
    explicit thread_group(emulator::LaneGroup lanes) : lanes_(lanes), is_block_(false) {}

    emulator::LaneGroup lanes_;

  private:
    bool is_block_;

    friend thread_group tiled_partition(const thread_group&, unsigned int);
};

class thread_block : public thread_group {
  public:
    struct arrival_token {};

    static void sync() { __syncthreads(); }
    // The wait does the whole barrier: only there could a difference be seen.
    static arrival_token barrier_arrive() { return {}; }
    static void barrier_wait(arrival_token&&) { __syncthreads(); }
    static unsigned int thread_rank() { return emulator::linear_thread_index(); }
    static unsigned int num_threads() { return emulator::threads_in_block(); }
    static unsigned int size() { return emulator::threads_in_block(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 dim_threads() { return blockDim; }
    static dim3 group_dim() { return blockDim; }

  private:
    thread_block() = default;
    friend thread_block this_thread_block();
};

inline thread_block this_thread_block() { return {}; }

// Shared memory for tiles of several warps, which the toolkit needs below compute capability 8.0
// only. The engine has its own.
template <unsigned int MaxBlockSize = 1024>
struct block_tile_memory {
    char bytes[MaxBlockSize / 32 * 8 + 16];
};
template <unsigned int MaxBlockSize>
thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
    return this_thread_block();
}

class grid_group {
  public:
    // Waits for every block of a grid that cudaLaunchCooperativeKernel launched.
    static void sync() { emulator::grid_barrier(); }
    static bool is_valid() { return emulator::grid_is_cooperative(); }
    static dim3 block_index() { return blockIdx; }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 group_dim() { return gridDim; }
    static unsigned long long num_blocks() {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    static unsigned long long block_rank() {
        return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
               blockIdx.x;
    }
    static unsigned long long num_threads() { return num_blocks() * emulator::threads_in_block(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank() {
        return block_rank() * emulator::threads_in_block() + emulator::linear_thread_index();
    }

  private:
    grid_group() = default;
    friend grid_group this_grid();
};

inline grid_group this_grid() { return {}; }

// What coalesced groups and tiles have in common. Ranks count the group's own lanes.
class lane_collectives : public thread_group {
  public:
    void sync() const { lanes_.synchronize(); }
    unsigned int thread_rank() const { return lanes_.rank(); }
    // This group's place among those that the same partition made.
    unsigned int meta_group_rank() const { return meta_group_rank_; }
    unsigned int meta_group_size() const { return meta_group_size_; }

    // A source outside the group gives the caller its own value back.
    template <class T>
    T shfl_up(T value, unsigned int delta) const {
        const unsigned int rank = thread_rank();
        return lanes_.value_from(value, rank >= delta ? rank - delta : rank);
    }
    template <class T>
    T shfl_down(T value, unsigned int delta) const {
        const unsigned int rank = thread_rank();
        return lanes_.value_from(value, rank + delta < lanes_.count() ? rank + delta : rank);
    }
    unsigned int ballot(int predicate) const { return lanes_.ballot(predicate); }
    int any(int predicate) const { return lanes_.ballot(predicate) != 0; }
    int all(int predicate) const { return lanes_.ballot(predicate == 0) == 0; }
    template <class T>
    unsigned int match_any(T value) const {
        return lanes_.match_any(value);
    }
    template <class T>
    unsigned int match_all(T value, int& predicate) const {
        return lanes_.match_all(value, predicate);
    }

    // The group's lanes; for reduce.h and its like.
    const emulator::LaneGroup& lanes() const { return lanes_; }

  protected:
    lane_collectives(emulator::LaneGroup lanes, unsigned int meta_group_rank,
                     unsigned int meta_group_size)
        : thread_group(lanes),
          meta_group_rank_(meta_group_rank),
          meta_group_size_(meta_group_size) {}

  private:
    unsigned int meta_group_rank_;
    unsigned int meta_group_size_;
};

class coalesced_group : public lane_collectives {
  public:
    unsigned int num_threads() const { return lanes_.count(); }
    unsigned int size() const { return lanes_.count(); }
    template <class T>
    T shfl(T value, unsigned int source_rank) const {
        return lanes_.value_from(value, source_rank);
    }

  private:
    explicit coalesced_group(std::uint32_t mask, unsigned int meta_group_rank = 0,
                             unsigned int meta_group_size = 1)
        : lane_collectives(emulator::LaneGroup(mask), meta_group_rank, meta_group_size) {}

    friend coalesced_group coalesced_threads();
    friend coalesced_group tiled_partition(const coalesced_group&, unsigned int);
    friend coalesced_group binary_partition(const lane_collectives&, bool);
    template <std::integral Label>
    friend coalesced_group labeled_partition(const lane_collectives&, Label);
};

// The lanes of this warp that are here together: same branch, same iteration.
__forceinline__ coalesced_group coalesced_threads() {
    return coalesced_group(emulator::active_mask());
}

// Size threads of consecutive ranks; Parent is the group that was partitioned.
template <unsigned int Size, class Parent = void>
class thread_block_tile : public lane_collectives {
    static_assert(Size > 0 && Size <= 1024 && (Size & (Size - 1)) == 0,
                  "the size of a tile is a power of two up to 1024");

  public:
    // A tile converts to one that has forgotten its parent.
    template <class OtherParent>
    requires std::is_void_v<Parent> thread_block_tile(
        const thread_block_tile<Size, OtherParent>& other)
        : lane_collectives(other.lanes(), other.meta_group_rank(), other.meta_group_size()) {}

    static constexpr unsigned int num_threads() { return Size; }
    static constexpr unsigned int size() { return Size; }
    unsigned int thread_rank() const { return emulator::linear_thread_index() % Size; }
    // The source rank is taken modulo the tile's size.
    template <class T>
    T shfl(T value, unsigned int source_rank) const {
        return lanes_.value_from(value, source_rank % Size);
    }
    template <class T>
    T shfl_xor(T value, unsigned int lane_mask) const {
        const unsigned int rank = thread_rank();
        const unsigned int source = rank ^ lane_mask;
        return lanes_.value_from(value, source < Size ? source : rank);
    }

  private:
    thread_block_tile(unsigned int meta_group_rank, unsigned int meta_group_size)
        : lane_collectives(emulator::LaneGroup(own_mask()), meta_group_rank, meta_group_size) {}

    static std::uint32_t own_mask() {
        const unsigned int lane = emulator::linear_thread_index() % 32;
        return (Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1u) << (lane - lane % Size);
    }

    template <unsigned int TileSize, class Group>
    friend auto tiled_partition(const Group&);
    friend thread_block_tile<1, void> this_thread();
};

// A tile of several warps. Its values travel through shared memory; as in the toolkit, there are no
// functions by lane distance and no ballot.
template <unsigned int Size, class Parent>
requires(Size > 32 && Size <= 1024 &&
         (Size & (Size - 1)) == 0) class thread_block_tile<Size, Parent> {
  public:
    // A tile converts to one that has forgotten its parent.
    template <class OtherParent>
    requires std::is_void_v<Parent> thread_block_tile(
        const thread_block_tile<Size, OtherParent>& other)
        : thread_block_tile(other.meta_group_rank(), other.meta_group_size()) {}

    __forceinline__ void sync() const { tile_.synchronize(); }
    static constexpr unsigned int num_threads() { return Size; }
    static constexpr unsigned int size() { return Size; }
    unsigned int thread_rank() const { return tile_.rank(); }
    unsigned int meta_group_rank() const { return meta_group_rank_; }
    unsigned int meta_group_size() const { return meta_group_size_; }

    template <class T>
    __forceinline__ T shfl(T value, unsigned int source_rank) const {
        return tile_.value_from(value, source_rank % Size);
    }
    __forceinline__ int any(int predicate) const { return tile_.any(predicate); }
    __forceinline__ int all(int predicate) const { return !tile_.any(predicate == 0); }

  private:
    thread_block_tile(unsigned int meta_group_rank, unsigned int meta_group_size)
        : tile_(Size), meta_group_rank_(meta_group_rank), meta_group_size_(meta_group_size) {}

    emulator::MultiWarpTile tile_;
    unsigned int meta_group_rank_;
    unsigned int meta_group_size_;

    template <unsigned int TileSize, class Group>
    friend auto tiled_partition(const Group&);
};

// The calling thread alone.
inline thread_block_tile<1, void> this_thread() { return {0, 1}; }

// ---- partitions ----
template <class Group>
struct tile_partition_of;
template <>
struct tile_partition_of<thread_block> {
    static constexpr unsigned int kParentSize = 0;  // known at run time only
};
template <unsigned int Size, class Parent>
struct tile_partition_of<thread_block_tile<Size, Parent>> {
    static constexpr unsigned int kParentSize = Size;
};

template <unsigned int TileSize, class Group>
auto tiled_partition(const Group& parent) {
    constexpr unsigned int kParentSize = tile_partition_of<Group>::kParentSize;
    static_assert(kParentSize == 0 || TileSize <= kParentSize, "a tile is part of its parent");
    const unsigned int tiles = (parent.num_threads() + TileSize - 1) / TileSize;
    return thread_block_tile<TileSize, Group>(parent.thread_rank() / TileSize, tiles);
}

// Tiles of a run-time size: of a block by thread rank, of lanes by rank among them.
inline thread_group tiled_partition(const thread_group& parent, unsigned int tile_size) {
    const std::uint32_t parent_mask =
        parent.is_block_
            ? (emulator::threads_in_block() - emulator::linear_thread_index() / 32 * 32 >= 32
                   ? 0xffffffffu
                   : (1u << emulator::threads_in_block() % 32) - 1u)
            : parent.lanes_.mask();
    const emulator::LaneGroup lanes(parent_mask);
    const unsigned int first = lanes.rank() / tile_size * tile_size;
    std::uint32_t mask = 0;
    for (unsigned int rank = first; rank < first + tile_size && rank < lanes.count(); ++rank) {
        mask |= 1u << emulator::nth_lane(parent_mask, rank);
    }
    return thread_group(emulator::LaneGroup(mask));
}

inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned int tile_size) {
    const unsigned int tile = parent.thread_rank() / tile_size;
    std::uint32_t mask = 0;
    for (unsigned int rank = tile * tile_size;
         rank < (tile + 1) * tile_size && rank < parent.num_threads(); ++rank) {
        mask |= 1u << emulator::nth_lane(parent.lanes().mask(), rank);
    }
    return coalesced_group(mask, tile, (parent.num_threads() + tile_size - 1) / tile_size);
}

// The members with the same predicate: meta group 0 where it is false, 1 where it is true, or one
// meta group if all agree.
inline coalesced_group binary_partition(const lane_collectives& parent, bool predicate) {
    const std::uint32_t members = parent.lanes().mask();
    const std::uint32_t set = __ballot_sync(members, predicate) & members;
    if (set == 0 || set == members) return coalesced_group(members);
    return coalesced_group(predicate ? set : members & ~set, predicate ? 1 : 0, 2);
}

// The members with the same label; meta groups are numbered by their lowest lane.
template <std::integral Label>
coalesced_group labeled_partition(const lane_collectives& parent, Label label) {
    if constexpr (std::same_as<Label, bool>) {
        return binary_partition(parent, label);
    } else {
        const std::uint32_t members = parent.lanes().mask();
        const std::uint32_t mine = __match_any_sync(members, label);
        const std::uint32_t lowest = mine & (0u - mine);
        const std::uint32_t leaders =
            __ballot_sync(members, lowest == 1u << emulator::lane_index());
        return coalesced_group(mine,
                               static_cast<unsigned int>(std::popcount(leaders & (lowest - 1))),
                               static_cast<unsigned int>(std::popcount(leaders)));
    }
}

// ---- free functions ----
template <class Group>
void sync(const Group& group) {
    group.sync();
}
template <class Group>
auto thread_rank(const Group& group) {
    return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
    return group.size();
}

// Calls the function in one thread of the group.
template <class Group, class Function, class... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
    if (group.thread_rank() == 0) {
        std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
    }
}
// The same, and returns its result to all. For tiles and coalesced groups.
template <class Group, class Function, class... Arguments>
auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
    decltype(function(arguments...)) result{};
    if (group.thread_rank() == 0) {
        result = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
    }
    return group.shfl(result, 0);
}

}  // namespace cooperative_groups
