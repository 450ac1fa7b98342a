// SPDX-License-Identifier: MIT
// The exit statuses of every stage, and the errors that lead to them.
#pragma once

#include <stdexcept>

namespace course {

// A stage's exit status. 77 is what Automake and Meson read as "skipped".
enum ExitStatus : int {
    kExitOk = 0,
    kExitFailure = 1,  // a wrong result, an error in a file, or a failure at run time
    kExitUsage = 2,  // bad flags
    kExitNoDevice = 77  // no usable device
};

// A flag or its value is wrong. The message names both.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A file is wrong. The message starts with `file: ` or, for an error in one line, `file:line: `.
class InputError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The output of a run is wrong. The message is the oracle's.
class WrongResultError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// There is no device, no driver for it, or the device lacks what the stage needs.
class NoDeviceError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A measured time is shorter than the device can reach: the time or the declared work is wrong.
class LimitError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace course
