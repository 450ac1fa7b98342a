// SPDX-License-Identifier: MIT
// Takes the place of Thrust's header of this name: thrust::malloc(), and Thrust's temporary
// memory, give the engine's managed memory, as thrust::device_vector does.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>
#include <thrust/system/system_error.h>  // programs expect it with the CUDA backend

#include <cstddef>
#include <emulator/for_libraries/host_library.hpp>

THRUST_NAMESPACE_BEGIN
namespace system::detail::sequential {

template <class Policy>
void* malloc(execution_policy<Policy>&, std::size_t bytes) {
    return ::emulator::allocate_for_host_library(bytes);
}

template <class Policy, class Pointer>
void free(execution_policy<Policy>&, Pointer pointer) {
    ::emulator::free_for_host_library(thrust::raw_pointer_cast(pointer));
}

}  // namespace system::detail::sequential
THRUST_NAMESPACE_END
