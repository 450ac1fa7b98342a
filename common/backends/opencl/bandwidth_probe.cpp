// SPDX-License-Identifier: MIT
#include "common/backends/opencl/bandwidth_probe.hpp"

#include <algorithm>
#include <cstdint>

#include "probe.cl.hpp"

namespace course::opencl {

namespace {

constexpr std::int64_t kUnit = 1 << 20;
constexpr std::int64_t kSmallBytes = 8 * kUnit;  // a part of the last cache of a large GPU
constexpr int kPasses = 50;
constexpr std::size_t kGroupSize = 256;
constexpr std::size_t kGroupsPerUnit = 8;

double rate_of(double bytes, const cl::Event& event) {
    const double milliseconds = milliseconds_of(event);
    return milliseconds > 0.0 ? bytes / (milliseconds * 1e-3) : 0.0;
}

}  // namespace

MeasuredRates measure_rates(Device& device, std::int64_t large_bytes) {
    const auto most =
        static_cast<std::int64_t>(device.get().getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());
    const auto memory =
        static_cast<std::int64_t>(device.get().getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>());
    const std::int64_t bytes = std::min({large_bytes, most, memory / 4}) / kUnit * kUnit;
    const std::int64_t small_bytes = std::min(bytes, kSmallBytes);
    if (bytes == 0) {
        return {};
    }
    const cl::Buffer d_source = device.buffer<char>(bytes);
    const cl::Buffer d_target = device.buffer<char>(bytes);
    const cl::Buffer d_sink = device.buffer<cl_uint>(1);
    cl::CommandQueue& queue = device.queue();
    queue.enqueueFillBuffer(d_source, cl_uint{0}, 0, static_cast<std::size_t>(bytes));

    cl::KernelFunctor<cl::Buffer, cl_long, cl_int, cl::Buffer> read_kernel(device.program(probe_cl),
                                                                           "read_kernel");
    const std::size_t threads =
        std::min(kGroupSize, device.get().getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
    const std::size_t groups = kGroupsPerUnit * device.get().getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    const auto read = [&](std::int64_t part, int passes) {
        const cl::EnqueueArgs grid(queue, cl::NDRange(groups * threads), cl::NDRange(threads));
        const auto vectors = part / static_cast<std::int64_t>(sizeof(cl_uint4));
        return rate_of(static_cast<double>(part) * passes,
                       read_kernel(grid, d_source, vectors, passes, d_sink));
    };
    MeasuredRates rates;
    for (int repeat = -1; repeat < 10; ++repeat) {
        cl::Event copy;
        queue.enqueueCopyBuffer(d_source, d_target, 0, 0, static_cast<std::size_t>(bytes), nullptr,
                                &copy);
        const double copied = rate_of(2.0 * static_cast<double>(bytes), copy);
        const double large_read = read(bytes, 1);
        const double small_read = read(small_bytes, kPasses);
        if (repeat >= 0) {  // the first does not count
            rates.bytes_per_second = std::max({rates.bytes_per_second, copied, large_read});
            rates.l2_bytes_per_second = std::max(rates.l2_bytes_per_second, small_read);
        }
    }
    return rates;
}

}  // namespace course::opencl
