// SPDX-License-Identifier: MIT
// Refuses a problem that is larger than the memory.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/host_memory.hpp"
#include "common/base/text.hpp"
#include "common/harness/problem.hpp"

namespace course {

// Fails with one line before anything is allocated, instead of by an allocation or endless
// swapping. `Error` depends on the cause, a flag or a file; `prefix` names it. The harness checks
// what n says. A chapter calls this in prepare() if other flags multiply its input.
template <typename Error>
void refuse_without_memory(const Problem& problem, std::int64_t n, const Backend& backend,
                           const std::string& prefix) {
    const double device_free = static_cast<double>(backend.free_memory_bytes());
    const double host_free = static_cast<double>(available_host_bytes());
    const double device = problem.device_bytes(n);
    const double host = problem.host_bytes(n);
    const auto refuse = [&prefix](const char* where, double needed, double free) {
        throw Error(text(prefix, " needs ", format_bytes(needed), " of ", where, " memory, ",
                         format_bytes(free), " are free"));
    };
    // Written so that NaN is refused.
    if (!(device <= device_free)) refuse("device", device, device_free);
    const double needed = backend.has_own_memory() ? host : device + host;
    if (!(needed <= host_free)) refuse("host", needed, host_free);
}

}  // namespace course
