// SPDX-License-Identifier: MIT
// What the headers of libcu++ have in common.
#pragma once

#include <atomic>
#include <cstddef>
#include <emulator/brought_headers.hpp>

namespace cuda {

enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread
};

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

// A size whose copy may rely on this alignment of both addresses, and of the size.
template <::std::size_t Alignment>
struct aligned_size_t {
    static constexpr ::std::size_t align = Alignment;
    ::std::size_t value;
    explicit constexpr aligned_size_t(::std::size_t size) : value(size) {}
    constexpr operator ::std::size_t() const { return value; }
};

enum class async_contract_fulfillment { none, async };

}  // namespace cuda
