// SPDX-License-Identifier: MIT
// Where a library of libraries/ takes part in calls of the engine: functions that are called if
// they are set, under the runtime's lock. A library sets its own before main(), so that a program
// that does not use the library does without it.
#pragma once

#include <cuda_runtime_api.h>

namespace emulator {

struct Allocation;  // device/memory.hpp

struct LibraryHooks {
    // cudaFree() begins: an error ends it.
    cudaError_t (*free_begins)(void* pointer) = nullptr;
    // cudaFree() gives this memory back.
    void (*freed)(const Allocation& allocation) = nullptr;
};

inline LibraryHooks library_hooks;

// Called when cudaDeviceReset() has given back the memory of a device. Objects live as long as the
// program.
class AtReset {
  public:
    explicit AtReset(void (*forget)(int device)) : forget_(forget), next_(first) { first = this; }
    AtReset(const AtReset&) = delete;
    AtReset& operator=(const AtReset&) = delete;

    static void run(int device) {
        for (const AtReset* one = first; one != nullptr; one = one->next_) one->forget_(device);
    }

  private:
    void (*forget_)(int device);
    const AtReset* next_;
    static inline const AtReset* first = nullptr;
};

}  // namespace emulator
