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
def _driver() -> tuple[ctypes.CDLL | None, int]:
    """The driver, and how many GPUs it has."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None, 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return None, 0
    return driver, count.value


@functools.cache
def _architectures() -> tuple[str, ...]:
    """Of each GPU."""
    driver, count = _driver()
    if driver is None:
        return ()
    architectures: list[str] = []
    for number in range(count):
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


@functools.cache
def gpu_name() -> str:
    """Of the first GPU, as stages write it into their rows. Empty without a GPU."""
    driver, count = _driver()
    if driver is None or count == 0:
        return ""
    device, name = ctypes.c_int(), ctypes.create_string_buffer(256)
    driver.cuDeviceGet(ctypes.byref(device), 0)
    driver.cuDeviceGetName(name, len(name), device)
    return name.value.decode("utf-8", errors="replace")


@functools.cache
def pci_bus_id() -> str:
    """Of the first GPU, as other libraries know it: the driver's numbers honour
    CUDA_VISIBLE_DEVICES, theirs do not. Empty without a GPU."""
    driver, count = _driver()
    if driver is None or count == 0:
        return ""
    device, name = ctypes.c_int(), ctypes.create_string_buffer(32)
    driver.cuDeviceGet(ctypes.byref(device), 0)
    if driver.cuDeviceGetPCIBusId(name, len(name), device) != 0:
        return ""
    return name.value.decode("ascii")


if __name__ == "__main__":
    print("\n".join(gpu_architectures()))
