// SPDX-License-Identifier: MIT
// Moves the data of operations whose turn in their stream has come.
#pragma once

#include <vector>

#include "common/emulator/libraries/nccl/communicator.hpp"

namespace emulator::nccl {

// All operations of one group. Its messages run at the same time, after its collectives. Returns
// false if the ranks do not agree or do not come; that is explained by one of them.
bool run_group(ncclComm& communicator, std::vector<Operation>& group);

}  // namespace emulator::nccl
