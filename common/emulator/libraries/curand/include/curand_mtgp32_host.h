// SPDX-License-Identifier: MIT
// Sets up MTGP32's states for kernels. The parameters come from curand_mtgp32dc_p_11213.h.
#pragma once

#include <cuda_runtime.h>
#include <curand.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "emulator/curand/mtgp32.hpp"

// Copies all sets of parameters to device memory.
inline curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t params[],
                                                mtgp32_kernel_params_t* p) {
    const auto table = std::make_unique<mtgp32_kernel_params_t>();
    table->mask[0] = params[0].mask;
    for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; ++i) {
        table->pos_tbl[i] = static_cast<unsigned int>(params[i].pos);
        table->sh1_tbl[i] = static_cast<unsigned int>(params[i].sh1);
        table->sh2_tbl[i] = static_cast<unsigned int>(params[i].sh2);
        std::copy_n(params[i].tbl, TBL_SIZE, table->param_tbl[i]);
        std::copy_n(params[i].tmp_tbl, TBL_SIZE, table->temper_tbl[i]);
        std::copy_n(params[i].flt_tmp_tbl, TBL_SIZE, table->single_temper_tbl[i]);
    }
    const cudaError_t error = cudaMemcpy(p, table.get(), sizeof *table, cudaMemcpyHostToDevice);
    return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INITIALIZATION_FAILED;
}

// Makes n states in device memory, at most CURAND_NUM_MTGP32_PARAMS; state i uses set i.
inline curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t* s,
                                                  mtgp32_params_fast_t params[],
                                                  mtgp32_kernel_params_t* k, int n,
                                                  unsigned long long seed) {
    std::vector<curandStateMtgp32_t> states(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < states.size(); ++i) {
        emulator::init_mtgp_words(params[i], emulator::mtgp_seed_of(seed, i), states[i].s);
        states[i].offset = 0;
        states[i].pIdx = static_cast<int>(i);
        states[i].k = k;
    }
    const cudaError_t error =
        cudaMemcpy(s, states.data(), states.size() * sizeof states[0], cudaMemcpyHostToDevice);
    return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INITIALIZATION_FAILED;
}
