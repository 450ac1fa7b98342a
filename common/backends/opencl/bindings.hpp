// SPDX-License-Identifier: MIT
// The official C++ bindings of OpenCL, set up the same way wherever they are included: cl::Error is
// thrown, and devices from OpenCL 2.0 on are understood.
#pragma once

#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS

#include <CL/opencl.hpp>
