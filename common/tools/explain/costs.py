# SPDX-License-Identifier: MIT
"""Which findings matter: what part of its kernel's lower bound a line's waste takes, and which
lines take the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from common.tools.explain.bounds import TO_L2, sectors, wavefronts
from common.tools.explain.finding import Finding
from common.tools.explain.kernel_bounds import KernelBounds
from common.tools.lib.counting import Kernel, Line

L1 = "L1 and shared memory"
L2 = "L2"
ISSUE = "issue"
# What the line of a finding wastes: a space of memory, or instructions. All others waste time of
# the whole kernel.
GLOBAL = (
    "struct stride pieces misaligned shifted narrow_block scattered reuse repeated_access one_word "
    "few_words"
).split()
SHARED = ["bank_conflict"]
INSTRUCTIONS = "branch ever_fewer loop_lengths one_lane few_lanes division double_literal".split()
MATTERS = 0.1  # of the binding resource: a line that is worth a look


def amount(line: Line, resource: str) -> float:
    """What a line takes of a resource."""
    if resource == L1:
        return wavefronts(line)
    if resource == L2:
        takes = line["space"] == "global" and line["operation"] in TO_L2
        return float(sectors(line)) if takes else 0.0
    return float(line["requests"]) if line["operation"] != "block" else 0.0


def part_of(kernel: Kernel, space: str, resource: str) -> float:
    """What part of a resource the accesses to one space take."""
    total = sum(amount(line, resource) for line in kernel.lines)
    own = sum(amount(line, resource) for line in kernel.lines if line["space"] == space)
    return own / total if total else 0.0


def share(finding: Finding, kernel: Kernel, bounds: KernelBounds, exact: bool) -> float:
    """What part of the kernel's lower bound the cure saves at most. `exact`: the instructions are
    those of the machine code; without, arithmetic is not known, and may be the whole kernel."""
    whole = bounds.binding.seconds
    if not whole or finding.kind not in (*GLOBAL, *SHARED, *INSTRUCTIONS):
        return finding.weight
    if finding.kind in INSTRUCTIONS:
        issue = max((one.seconds for one in bounds.bounds if one.resource == ISSUE), default=0.0)
        return finding.weight * (min(1.0, issue / whole) if exact else 1.0)
    space = "shared" if finding.kind in SHARED else "global"
    return finding.weight * max(
        (
            part_of(kernel, space, one.resource) * min(1.0, one.seconds / whole)
            for one in bounds.bounds
            if one.resource in (L1, L2)
        ),
        default=0.0,
    )


def with_shares(
    found: Sequence[Finding],
    kernels: Iterable[Kernel],
    bounds: Sequence[KernelBounds],
    exact: bool,
) -> list[tuple[Finding, float | None]]:
    """The findings, the costliest first: those of kernels by the time that their cure could save,
    those of the host by what its calls take. The share is None where it is not known."""
    times = {one.kernel: one.binding.seconds for one in bounds}
    known = {
        finding: share(finding, kernel, one, exact)
        for kernel in kernels
        for one in bounds
        for finding in found
        if one.kernel == kernel.name == finding.kernel and not finding.seconds
    }

    def cost(finding: Finding) -> float:
        return finding.seconds or known.get(finding, 0.0) * times.get(finding.kernel, 0.0)

    return [(one, known.get(one)) for one in sorted(found, key=cost, reverse=True)]


def main_lines(kernel: Kernel, resource: str) -> list[tuple[str, int, float]]:
    """File, number and share of the lines that take most of a resource, the largest first."""
    places: dict[tuple[str, int], float] = {}
    for line in kernel.lines:
        place = (line["file"], line["line"])
        places[place] = places.get(place, 0.0) + amount(line, resource)
    total = sum(places.values())
    shares = [(file, number, part / total) for (file, number), part in places.items() if total]
    return sorted((one for one in shares if one[2] >= MATTERS), key=lambda one: -one[2])
