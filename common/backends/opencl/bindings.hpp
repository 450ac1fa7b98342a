// SPDX-License-Identifier: MIT
// The official C++ bindings of OpenCL, with the same settings in all files: errors are thrown as
// cl::Error, and devices need OpenCL 2.0 or newer.
#pragma once

#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS

#include <CL/opencl.hpp>
