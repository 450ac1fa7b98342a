// SPDX-License-Identifier: MIT
// A library needs a source. This one exists for its precompiled header.
#include <algorithm>
