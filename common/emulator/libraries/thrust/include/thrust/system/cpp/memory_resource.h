// SPDX-License-Identifier: MIT
// Takes the place of Thrust's header of this name: the memory of thrust::device_vector is the
// engine's, so that kernels may use it. It is managed memory, because Thrust's algorithms run on
// the host. The rest of Thrust is the toolkit's own.
#pragma once

#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cpp/pointer.h>

#include <cstddef>
#include <emulator/for_libraries/host_library.hpp>
#include <new>

namespace emulator {

class ManagedResource final : public thrust::mr::memory_resource<> {
  public:
    void* do_allocate(std::size_t bytes, std::size_t) override {
        void* const memory = allocate_for_host_library(bytes);
        if (memory == nullptr) throw std::bad_alloc();
        return memory;
    }
    void do_deallocate(void* memory, std::size_t, std::size_t) override {
        free_for_host_library(memory);
    }
};

}  // namespace emulator

THRUST_NAMESPACE_BEGIN
namespace system::cpp {

using memory_resource =
    thrust::mr::fancy_pointer_resource<::emulator::ManagedResource, thrust::cpp::pointer<void>>;
using universal_memory_resource =
    thrust::mr::fancy_pointer_resource<::emulator::ManagedResource,
                                       thrust::cpp::universal_pointer<void>>;
using universal_host_pinned_memory_resource = universal_memory_resource;

}  // namespace system::cpp
THRUST_NAMESPACE_END
