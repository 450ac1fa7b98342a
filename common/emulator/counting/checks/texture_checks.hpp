// SPDX-License-Identifier: MIT
// Textures and surfaces: their accesses are recorded, and those that cannot be are findings.
#pragma once

namespace emulator::counting {

void attach_texture_checks();

}  // namespace emulator::counting
