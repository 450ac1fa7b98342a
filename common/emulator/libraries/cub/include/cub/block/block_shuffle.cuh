// SPDX-License-Identifier: MIT
// CUB's BlockShuffle: items move between the threads of a block.
#pragma once

#include <emulator/cub/parts.hpp>

namespace cub {

template <class T, int kX, int kY = 1, int kZ = 1, int kArch = 0>
class BlockShuffle {
    using Group = emulator::CubBlock<kX * kY * kZ>;

  public:
    using TempStorage = emulator::CubStorage<T, Group::kCount>;
    BlockShuffle() : BlockShuffle(emulator::private_cub_storage<TempStorage>()) {}
    explicit BlockShuffle(TempStorage& storage) : storage_(storage) {}

    // The item of the thread `distance` further; where there is none, the output stays.
    void Offset(T input, T& output, int distance = 1) {
        share(input);
        const int source = Group::rank() + distance;
        if (source >= 0 && source < Group::kCount) output = storage_[source];
    }
    // The same around the end of the block.
    void Rotate(T input, T& output, unsigned int distance = 1) {
        share(input);
        output = storage_[static_cast<int>((static_cast<unsigned int>(Group::rank()) + distance) %
                                           Group::kCount)];
    }
    // All items move up by one place; the first place stays as it was.
    template <int kItems>
    void Up(const T (&input)[kItems], T (&previous)[kItems]) {
        share(input[kItems - 1]);
        for (int i = kItems - 1; i > 0; --i) previous[i] = input[i - 1];
        if (Group::rank() > 0) previous[0] = storage_[Group::rank() - 1];
    }
    template <int kItems>
    void Up(const T (&input)[kItems], T (&previous)[kItems], T& block_suffix) {
        Up(input, previous);
        block_suffix = storage_[Group::kCount - 1];
    }
    // All items move down by one place; the last place stays as it was.
    template <int kItems>
    void Down(const T (&input)[kItems], T (&next)[kItems]) {
        share(input[0]);
        for (int i = 0; i < kItems - 1; ++i) next[i] = input[i + 1];
        if (Group::rank() < Group::kCount - 1) next[kItems - 1] = storage_[Group::rank() + 1];
    }
    template <int kItems>
    void Down(const T (&input)[kItems], T (&next)[kItems], T& block_prefix) {
        Down(input, next);
        block_prefix = storage_[0];
    }

  private:
    void share(const T& item) {
        storage_[Group::rank()] = item;
        Group::synchronize();
    }

    TempStorage& storage_;
};

}  // namespace cub
