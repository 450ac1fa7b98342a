// SPDX-License-Identifier: MIT
// Takes the place of Thrust's header of this name: the policies of streams run Thrust's algorithms
// on the host. All work queued before has run by then, on any stream.
#pragma once

#include <cuda_runtime.h>
#include <thrust/detail/config.h>
#include <thrust/system/cpp/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace system::cuda {

struct par_t : thrust::system::cpp::detail::execution_policy<par_t> {
    constexpr par_t on(cudaStream_t) const { return {}; }
    template <class Allocator>
    auto operator()(Allocator&& allocator) const {
        return thrust::cpp::par(static_cast<Allocator&&>(allocator));
    }
};
inline constexpr par_t par;
inline constexpr par_t par_nosync;

using thrust::system::cpp::tag;

}  // namespace system::cuda
namespace cuda {
using system::cuda::par;
using system::cuda::par_nosync;
using system::cuda::tag;
}  // namespace cuda
THRUST_NAMESPACE_END
