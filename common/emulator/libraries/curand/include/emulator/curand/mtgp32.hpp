// SPDX-License-Identifier: MIT
// cuRAND's MTGP32 states. All threads of a block, at most 256, draw from one state together; the
// state lies in global or shared memory. As in cuRAND, a draw has two barriers.
//
// Source: M. Saito, M. Matsumoto, "Variants of Mersenne Twister suitable for graphic processors",
// ACM Transactions on Mathematical Software 39(2), 2013. The state has NVIDIA's size and members.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstddef>

#define MTGPDC_MEXP 11213
#define MTGPDC_N 351
#define MTGPDC_FLOOR_2P 256
#define MTGPDC_CEIL_2P 512
#define MTGPDC_PARAM_TABLE mtgp32dc_params_fast_11213
#define MTGP32_STATE_SIZE 1024
#define MTGP32_STATE_MASK 1023
#define CURAND_NUM_MTGP32_PARAMS 200
#define TBL_SIZE 16

// One set of parameters, as the toolkit's table in curand_mtgp32dc_p_11213.h has them.
struct mtgp32_params_fast {
    int mexp;
    int pos;
    int sh1;
    int sh2;
    unsigned int tbl[16];
    unsigned int tmp_tbl[16];
    unsigned int flt_tmp_tbl[16];
    unsigned int mask;
    unsigned char poly_sha1[21];
};
typedef mtgp32_params_fast mtgp32_params_fast_t;

// All sets, as kernels use them.
struct mtgp32_kernel_params {
    unsigned int pos_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int param_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
    unsigned int temper_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
    unsigned int single_temper_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
    unsigned int sh1_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int sh2_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int mask[1];
};
typedef mtgp32_kernel_params mtgp32_kernel_params_t;

struct curandStateMtgp32 {
    unsigned int s[MTGP32_STATE_SIZE];  // a ring
    int offset;  // of the oldest word of the recursion
    int pIdx;  // which set of parameters
    mtgp32_kernel_params_t* k;
};
typedef curandStateMtgp32 curandStateMtgp32_t;

namespace emulator {

// The seed of the generator with this number.
inline unsigned int mtgp_seed_of(unsigned long long seed, std::size_t number) {
    return static_cast<unsigned int>(seed ^ seed >> 32) + static_cast<unsigned int>(number) + 1;
}

// Fills the first MTGPDC_N words of a state from a seed of 32 bits, as Saito's program does.
inline void init_mtgp_words(const mtgp32_params_fast& parameters, unsigned int seed,
                            unsigned int* words) {
    const unsigned int hidden_seed = parameters.tbl[4] ^ parameters.tbl[8] << 16;
    unsigned int mixed = hidden_seed + (hidden_seed >> 16);
    mixed += mixed >> 8;
    const unsigned int fill = (mixed & 0xff) * 0x01010101u;
    words[0] = seed;
    for (unsigned int i = 1; i < MTGPDC_N; ++i) {
        const unsigned int start = i == 1 ? hidden_seed : fill;
        words[i] = start ^ (1812433253u * (words[i - 1] ^ words[i - 1] >> 30) + i);
    }
}

// A step of the recursion: from the words 0, 1 and `pos` after the oldest one to word 351.
inline unsigned int next_mtgp_word(const mtgp32_kernel_params& k, int set, unsigned int oldest,
                                   unsigned int second, unsigned int picked) {
    unsigned int x = (oldest & k.mask[0]) ^ second;
    x ^= x << k.sh1_tbl[set];
    const unsigned int y = x ^ picked >> k.sh2_tbl[set];
    return y ^ k.param_tbl[set][y & 0xf];
}

inline unsigned int mtgp_temper_index(unsigned int word) {
    word ^= word >> 16;
    word ^= word >> 8;
    return word & 0xf;
}

// A new word of the state, and the word that tempers it.
struct MtgpDraw {
    unsigned int word;
    unsigned int temper;  // index into the tables
};

inline MtgpDraw draw_mtgp(const curandStateMtgp32& state, unsigned int index) {
    const auto word = [&](unsigned int distance) {
        return state
            .s[(index + static_cast<unsigned int>(state.offset) + distance) & MTGP32_STATE_MASK];
    };
    const unsigned int position = state.k->pos_tbl[state.pIdx];
    return {next_mtgp_word(*state.k, state.pIdx, word(0), word(1), word(position)),
            mtgp_temper_index(word(position - 1))};
}

// All threads wait until nobody needs the old words; one of them moves the state on.
inline void advance_mtgp(curandStateMtgp32* state, bool is_first, unsigned int draws) {
    block_barrier(BarrierKind::plain, 0);
    if (is_first) {
        state->offset = static_cast<int>((static_cast<unsigned int>(state->offset) + draws) &
                                         MTGP32_STATE_MASK);
    }
    block_barrier(BarrierKind::plain, 0);
}

inline unsigned int draw_mtgp_bits(curandStateMtgp32* state, unsigned int index,
                                   unsigned int draws) {
    const MtgpDraw draw = draw_mtgp(*state, index);
    state->s[(index + static_cast<unsigned int>(state->offset) + MTGPDC_N) & MTGP32_STATE_MASK] =
        draw.word;
    const unsigned int bits = draw.word ^ state->k->temper_tbl[state->pIdx][draw.temper];
    advance_mtgp(state, index == 0, draws);
    return bits;
}

// A float in [1, 2). As in cuRAND, the new word goes to the place of the thread's number, not of
// the state's offset.
inline float draw_mtgp_single(curandStateMtgp32* state, unsigned int index, unsigned int draws) {
    const MtgpDraw draw = draw_mtgp(*state, index);
    state->s[index] = draw.word;
    const unsigned int bits =
        draw.word >> 9 ^ state->k->single_temper_tbl[state->pIdx][draw.temper];
    advance_mtgp(state, threadIdx.x == 0, draws);
    return std::bit_cast<float>(bits);
}

}  // namespace emulator

inline unsigned int curand(curandStateMtgp32* state) {
    return emulator::draw_mtgp_bits(
        state, blockDim.z * blockDim.y * threadIdx.z + blockDim.x * threadIdx.y + threadIdx.x,
        blockDim.x * blockDim.y * blockDim.z);
}
// For n threads of the block; index is the caller's number among them.
inline unsigned int curand_mtgp32_specific(curandStateMtgp32* state, unsigned char index,
                                           unsigned char n) {
    return emulator::draw_mtgp_bits(state, index, n);
}
inline float curand_mtgp32_single(curandStateMtgp32* state) {
    const unsigned int rows = blockDim.z * blockDim.y;
    return emulator::draw_mtgp_single(state, rows + threadIdx.x, rows * blockDim.x);
}
inline float curand_mtgp32_single_specific(curandStateMtgp32* state, unsigned char index,
                                           unsigned char n) {
    return emulator::draw_mtgp_single(state, index, n);
}
