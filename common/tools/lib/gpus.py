#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The GPUs of this machine. The driver names them, and it honours CUDA_VISIBLE_DEVICES.

As a program, it prints nvcc's number of each architecture ("90"), one per line. Meson runs it.
"""

import ctypes
import functools

# CUdevice_attribute of the driver API.
COMPUTE_CAPABILITY_MAJOR, COMPUTE_CAPABILITY_MINOR = 75, 76


@functools.cache
def _architectures() -> tuple[str, ...]:
    """Of each GPU."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return ()
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return ()
    architectures: list[str] = []
    for number in range(count.value):
        device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        driver.cuDeviceGet(ctypes.byref(device), number)
        driver.cuDeviceGetAttribute(ctypes.byref(major), COMPUTE_CAPABILITY_MAJOR, device)
        driver.cuDeviceGetAttribute(ctypes.byref(minor), COMPUTE_CAPABILITY_MINOR, device)
        architectures.append(f"{major.value}{minor.value}")
    return tuple(architectures)


def gpu_architectures() -> tuple[str, ...]:
    return tuple(dict.fromkeys(_architectures()))


def gpu_count() -> int:
    return len(_architectures())


def has_gpu() -> bool:
    return bool(gpu_architectures())


if __name__ == "__main__":
    print("\n".join(gpu_architectures()))
