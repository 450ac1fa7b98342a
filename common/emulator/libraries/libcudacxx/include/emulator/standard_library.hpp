// SPDX-License-Identifier: MIT
// cuda::std is std here: the headers of libcu++ that are included by this name have the meaning,
// and the functions, of g++'s standard library.
#pragma once

#include <emulator/brought_headers.hpp>

namespace cuda::std {

using namespace ::std;

}  // namespace cuda::std
