// SPDX-License-Identifier: MIT
// Refused calls of NCCL's functions.
#pragma once

#include <string>

#include "common/emulator/libraries/nccl/communicator.hpp"

namespace emulator::nccl {

// "ncclSend, my.cu:17: ".
std::string text_of_call(const char* function, const char* file, int line);

// Explains why a call is refused, and keeps it for ncclGetLastError(). `communicator` may be
// nullptr. Returns ncclInvalidArgument.
ncclResult_t refuse(ncclComm* communicator, const std::string& why);

}  // namespace emulator::nccl
