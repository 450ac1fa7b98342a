// SPDX-License-Identifier: MIT
// Where an observer of texture fetches and surface accesses attaches: functions that are called if
// they are set, in the running CUDA thread. `code` is the place in the kernel.
#pragma once

namespace emulator {

struct TextureHooks {
    // A fetch reads this texel (of those that it filters, the nearest one), or a surface access
    // reads or writes these bytes.
    void (*access)(const void* address, unsigned bytes, bool is_store, const void* code) = nullptr;
    // The access cannot be, and the kernel ends. `what`: "a texture object that was destroyed".
    void (*failed)(const char* what, const void* code) = nullptr;
};

inline TextureHooks texture_hooks;

}  // namespace emulator
