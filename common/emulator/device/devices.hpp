// SPDX-License-Identifier: MIT
// The emulated GPUs: how many there are, which one is current, and whose memory each may use.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "common/emulator/process/settings.hpp"

namespace emulator {

inline int device_count() { return settings().devices; }
inline bool is_device_number(int number) { return number >= 0 && number < device_count(); }

// The device that cudaSetDevice() chose for the calling host thread.
int current_device();
void set_current_device(int number);

// Another current device while this lives.
class OnDevice {
  public:
    explicit OnDevice(int number) : before_(current_device()) { set_current_device(number); }
    ~OnDevice() { set_current_device(before_); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

  private:
    int before_;
};

// " of device 1": what tells devices apart in messages. Empty for one device.
std::string of_device(int number);

}  // namespace emulator
