// SPDX-License-Identifier: MIT
// The parts of the third phase, for the stages that look ahead. For tiles whose side is the length
// of a round.
#pragma once

#include <cuda_runtime.h>

namespace floyd {

// Which tiles a launch relaxes: the cross of the next round's pivots, all others, or all. In the
// column of this round's own pivots nothing becomes less: no part has it.
enum class Part { kCross, kRest, kAll };

// The tile of a block, x its column.
__device__ __forceinline__ int2 tile_of(int block, int tiles, int round, Part part) {
    const int next = round + 1;
    if (part == Part::kCross && block < tiles) return make_int2(next, (next + block) % tiles);
    if (part == Part::kCross) block -= tiles;  // the row, without the columns `round` and `next`
    const int columns = part == Part::kAll ? tiles - 1 : tiles - 2;
    int2 tile = make_int2(block % columns, block / columns);
    if (tile.x >= round) tile.x += tiles - columns;
    if (part == Part::kCross) tile.y = next;
    if (part == Part::kRest && tile.y >= next) ++tile.y;
    return tile;
}

}  // namespace floyd
