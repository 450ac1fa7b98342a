// SPDX-License-Identifier: MIT
#pragma once

namespace emulator::counting {

// Makes counting the observer of asynchronous copies and mbarriers.
void attach_async();

}  // namespace emulator::counting
