# SPDX-License-Identifier: MIT
"""Describes in words how the counters of two kernels differ."""

from collections.abc import Callable

from common.tools.lib.counting import GLOBAL, MEMORY, Kernel
from common.tools.lib.numbers import whole_or_three_digits


def words(name: str) -> str:
    return name.replace("_", " ")


def changes(
    where: str, whose: str, count_of: Callable[[Kernel, str], float], a: Kernel, b: Kernel
) -> list[str]:
    names = [
        (f"{name}.{counted}", f"{words(name)} {counted}")
        for name in MEMORY
        for counted in ("requests", "sectors" if name in GLOBAL else "wavefronts")
    ]
    names += [("barriers", "barriers"), ("collectives", "warp collectives")]
    lines = []
    for name, what in names:
        before, after = count_of(a, name), count_of(b, name)
        if before != after:
            numbers = f"{whole_or_three_digits(before)} -> {whole_or_three_digits(after)}"
            lines.append(f"{where}: {numbers} {what}{whose}")
    return lines


def widths(kernel: Kernel, name: str) -> str:
    sizes = {
        line["bytes"] for line in kernel.lines if f"{line['space']}_{line['operation']}" == name
    }
    return " and ".join(f"{size} B" for size in sorted(sizes))


def lesson(a: Kernel, b: Kernel, unit: str) -> list[str]:
    """What changed, one sentence per line."""
    lines = []
    loops = a.has_loop and b.has_loop
    if loops:
        lines += changes("inner loop", f" per {unit}", Kernel.per_iteration, a, b)
    count_of = Kernel.outside if loops else Kernel.count
    where = "outside it" if loops else "in all"
    warps = a.count("warps")
    if warps == b.count("warps"):
        lines += changes(where, " per warp", lambda one, name: count_of(one, name) / warps, a, b)
    else:
        lines += changes(where, "", count_of, a, b)
    for name in MEMORY:
        before, after = widths(a, name), widths(b, name)
        if before and after and before != after:
            lines.append(f"{words(name)}s of {before} -> {after} per lane")
    if not lines:
        lines.append(
            "no counter differs: if anything changed, it is instructions inside a basic "
            "block, which these counters do not see"
            if a.counters == b.counters
            else "as many requests, sectors, wavefronts and barriers as before"
        )
    return lines
