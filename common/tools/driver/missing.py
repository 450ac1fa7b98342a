# SPDX-License-Identifier: MIT
"""What the engine lacks, and what a program can use instead."""

import re

# By the beginning of the name; the first that fits counts.
ADVICE = [
    (r"cu(da)?Graph", "use streams: the same work in the same order"),
    (r"cu(da)?(GL|Graphics|EGL|D3D|VDPAU)", "there is no graphics: copy the data to the host"),
    (r"cuIpc", "use the runtime API: cudaIpcGetMemHandle()"),
    (r"cu(da)?(External|Import|Destroy)(Memory|Semaphore|External)", "there is no other API"),
    (r"cu(da)?(Tex|Array|Mipmap|Surf|Bind)", "use plain device memory"),
    (r"cudaLibrary|cudaKernel", "compile kernels with the program"),
    (r"cu(blas|fft|solver|sparse)", "the engine does not have this library of CUDA"),
    (r"cu[A-Z]", "use the runtime API: the engine has no driver API"),
    (r"CU_", "use the runtime API: the engine has no driver API"),
]


def advice(name: str) -> str:
    """Why a name of CUDA is unknown, as the end of a message that begins with the name."""
    for pattern, instead in ADVICE:
        if re.match(pattern, name):
            return f"is not available on the CPU engine; {instead}"
    return "is not available on the CPU engine"
