# SPDX-License-Identifier: MIT
"""What the host does in loops around launches: each call costs more time than a short kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from common.tools.explain.context import counted
from common.tools.explain.finding import Finding
from common.tools.explain.loops import body_of, call_at, loop_around
from common.tools.explain.samples import WARP, Samples
from common.tools.lib.counting import Kernel, bare

TIMES = 8  # launches of a kernel in a loop
MANY = 32  # launches that could be one
FEW = 0.25  # of the multiprocessors have a warp of the launch
# What the calls take on the host or keep the device waiting, roughly.
LAUNCH_S, ALLOCATION_S, WAIT_S = 2e-6, 50e-6, 5e-6

LAUNCH = re.compile(r"\b(\w+)\s*(?:<[^<>;()]*>)?\s*<<<")
ALLOCATION = re.compile(r"\bcuda(Malloc(?:Managed|Pitch|Host)?|Free(?:Host)?|HostAlloc)\s*\(")
WAIT = re.compile(r"\bcuda(Device|Stream)Synchronize\s*\(")
# The host may use what it waited for.
USES = re.compile(r"cudaMemcpy|cudaEvent|chrono|clock|[Tt]imer?\b|printf|<<\s*\"|cudaGraphics")
SHARED = re.compile(r"cudaMallocManaged|cudaMallocHost|cudaHostAlloc|cudaHostRegister|__managed__")
ASYNCHRONOUS = re.compile(r"\bcudaMemcpyAsync\s*\(")
PINNED = re.compile(rf"{SHARED.pattern}|[Pp]inned|HOST_REGISTER")


@dataclass(frozen=True)
class Place:
    file: str
    number: int
    body: list[str]  # of the loop around it
    launches: int  # of the kernel that the loop launches most often


def without_comment(text: str) -> str:
    return text.partition("//")[0]


def launches_by_name(kernels: Sequence[Kernel]) -> dict[str, int]:
    found: dict[str, int] = {}
    for kernel in kernels:
        name = bare(kernel.name) or kernel.name
        found[name] = found.get(name, 0) + kernel.count("launches")
    return found


def beside_launches(
    kernels: Sequence[Kernel], texts: dict[str, list[str]], wanted: re.Pattern[str]
) -> Iterator[Place]:
    """The lines with such a call in a loop that launches kernels again and again."""
    launches = launches_by_name(kernels)
    for file, lines in texts.items():
        for number, text in enumerate(lines, 1):
            if not wanted.search(without_comment(text)):
                continue
            loop = loop_around(lines, number)
            body = body_of(lines, loop) if loop else []
            names = {match[1] for one in body for match in LAUNCH.finditer(without_comment(one))}
            times = max((launches.get(name, 0) for name in names), default=0)
            if times >= TIMES:
                yield Place(file, number, body, times)


def allocations(kernels: Sequence[Kernel], texts: dict[str, list[str]]) -> list[Finding]:
    places = list(beside_launches(kernels, texts, ALLOCATION))
    if not places:
        return []
    one = places[0]
    calls = [name for line in one.body for name in ALLOCATION.findall(without_comment(line))]
    names = " and ".join(f"cuda{name}()" for name in dict.fromkeys(calls))
    return [
        Finding(
            "allocations",
            one.file,
            one.number,
            "",
            f"{names} in a loop around {one.launches} launches: each allocates or frees "
            "memory on the host's time, and cudaFree() waits for the device",
            "allocate before the loop, use the memory again in each round, and free it after the "
            "loop",
            1.0,
            ALLOCATION_S * len(calls) * one.launches,
        )
    ]


def waits(kernels: Sequence[Kernel], texts: dict[str, list[str]]) -> list[Finding]:
    if any(SHARED.search(without_comment(line)) for lines in texts.values() for line in lines):
        return []
    return [
        Finding(
            "waits",
            one.file,
            one.number,
            "",
            f"the host waits in each round of a loop with {one.launches} launches, so "
            "that the device waits for the host's next launch",
            "wait once after the loop: work in one stream runs in its order anyway",
            1.0,
            WAIT_S * one.launches,
        )
        for one in beside_launches(kernels, texts, WAIT)
        if not any(USES.search(line) for line in one.body)
    ]


def small_launches(
    kernels: Sequence[Kernel], samples: Samples, texts: dict[str, list[str]]
) -> list[Finding]:
    found = []
    most = FEW * samples.device["multiprocessors"]
    for kernel in kernels:
        own = samples.kernels.get(kernel.name)
        launches = kernel.count("launches")
        warps = [one.blocks * -(-one.threads // WARP) for one in own.shapes] if own else []
        if launches < MANY or not warps or max(warps) > most:
            continue
        pattern = re.compile(rf"\b{re.escape(bare(kernel.name) or kernel.name)}\b[^;]*<<<")
        for one in beside_launches([kernel], texts, pattern):
            found.append(
                Finding(
                    "small_launches",
                    one.file,
                    one.number,
                    kernel.name,
                    f"{launches} launches of {counted(max(warps), 'warp')} at most: each costs "
                    "some microseconds, more than its work",
                    "let one launch do the work of all rounds, if they do not depend on one "
                    "another: one block or one warp per round",
                    1.0,
                    LAUNCH_S * launches,
                )
            )
            break
    return found


def pageable_copies(texts: dict[str, list[str]]) -> list[Finding]:
    """An asynchronous copy between host and device in a program that pins no memory."""
    if any(PINNED.search(without_comment(line)) for lines in texts.values() for line in lines):
        return []
    for file, lines in texts.items():
        for number in range(1, len(lines) + 1):
            if re.search("HostToDevice|DeviceToHost", call_at(lines, number, ASYNCHRONOUS)):
                return [
                    Finding(
                        "pageable",
                        file,
                        number,
                        "",
                        "the host's memory is pageable: the copy goes through a buffer of the "
                        "driver, overlaps with nothing and is slower",
                        "allocate the host's memory by cudaMallocHost(), or pin it by "
                        "cudaHostRegister()",
                        1.0,
                    )
                ]
    return []


def host_findings(
    kernels: Sequence[Kernel], samples: Samples, texts: dict[str, list[str]]
) -> list[Finding]:
    return [
        *allocations(kernels, texts),
        *waits(kernels, texts),
        *small_launches(kernels, samples, texts),
        *pageable_copies(texts),
    ]
