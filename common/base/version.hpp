// SPDX-License-Identifier: MIT
#pragma once

namespace course {

// Of these sources: a row says which version it was measured with.
extern const char* const kVersion;

}  // namespace course
