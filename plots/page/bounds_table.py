# SPDX-License-Identifier: MIT
"""The table "bound against measured": of each stage the least time that its counted work allows, at
the recorded size, beside the recorded time.

The work was counted at three small sizes. A stage declares how many operations it does at least (or
bytes, if it has no operations) for any size. So the work per operation is scaled by the operations
of the recorded size. Where it still falls as n grows, the value is taken that it falls to if it is
a + b / n, so that the bound stays a bound. The rule must hold among the three sizes: what the first
two predict for the third is not more than was counted, and not much less. Otherwise the quantity
has no bound at the recorded size.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.tools.explain.bounds import (
    WORK,
    Bound,
    arithmetic,
    binding,
    host_link,
    memory,
    on_multiprocessors,
    opcodes,
)
from common.tools.explain.devices import Device
from common.tools.lib.columns import BOUND_COLUMNS
from common.tools.lib.csv_tables import integer, read_table, real
from common.tools.lib.numbers import format_ms, short_count, three_digits
from common.tools.lib.stages import DataError
from plots.drawing.chapter import Chapter
from plots.page.comparison import comparable
from plots.records.folders import BOUNDS
from plots.records.instructions import OPCODE
from plots.records.medians import quartiles
from plots.records.rows import Metric, Row, newest, parse_parameters, read_profile
from common.tools.lib.stages import words_of

# Profiles of whole runs, and the power of n with which their instructions grow: pairs of bodies,
# and samples. (What does not grow with n is so small in a large profile that the bound stays one.)
PROFILED = {"nbody": 2, "montecarlo": 1}
# Stages that do other work at the recorded size than at the counted ones.
BY_SIZE = {"floyd": ("tiles_by_size",)}  # its tiles are larger there
TOO_LOW = 0.5  # a prediction of less than half says little
ROUNDING = 0.001
SIZES = 3
FEWER_BLOCKS = 0.75
Sizes = dict[int, dict[str, float]]  # by n: the quantities


@dataclass(frozen=True)
class StageBound:
    stage: str
    n: int
    parameters: dict[str, str]
    measured_ms: float
    bounds: tuple[Bound, ...]
    difference: float | None  # by which part more was counted at the third size than predicted

    @property
    def binding(self) -> Bound:
        return binding(self.bounds)


@dataclass
class Counted:
    """What was counted of one stage."""

    parameters: dict[str, str]
    sizes: Sizes


def read_bounds(path: Path) -> dict[str, Counted]:
    found: dict[str, Counted] = {}
    for number, record in read_table(path, BOUND_COLUMNS):
        place = f"{path}:{number}"
        n = integer(record["n"], "n", place)
        parameters = parse_parameters(record["parameters"])
        own = found.setdefault(record["stage"], Counted(parameters, {}))
        own.sizes.setdefault(n, {})[record["quantity"]] = real(record["value"], "value", place)
    return found


def least_per_operation(before: float, after: float) -> float:
    """The work per operation at any larger size, from that at n / 2 and at n."""
    return max(0.0, min(after, 2 * after - before))


def grid_of(text: str) -> tuple[int, int]:
    """Blocks and threads of `4096x256`; zeros if a row says nothing."""
    blocks, _, threads = text.partition("x")
    return (int(blocks), int(threads)) if blocks.isdigit() and threads.isdigit() else (0, 0)


def is_same_grid(sizes: Sizes, row: Row) -> bool:
    """Whether the recorded run had as many blocks as the growth of the counted runs predicts, of
    the same size. Fewer blocks share what each of them does once."""
    first, *_, last = sorted(sizes)
    before, after = sizes[first], sizes[last]
    blocks, threads = grid_of(row.grid)
    if not blocks or not before["blocks"] or threads != after["threads"]:
        return False
    growth = math.log(after["blocks"] / before["blocks"]) / math.log(last / first)
    predicted = after["blocks"] * (row.n / last) ** max(0.0, growth)
    return blocks >= FEWER_BLOCKS * predicted


def scaled(sizes: Sizes, operations: float, moved: float) -> tuple[dict[str, float], float]:
    """The work at a size with so many operations and bytes, and by which part the third size has
    more than the first two predict, at most."""
    ordered = [sizes[n] for n in sorted(sizes)]
    unit, there = ("operations", operations) if operations else ("bytes", moved)
    work, worst = {}, 0.0
    for name in WORK:
        first, second, third = (one[name] / one[unit] for one in ordered)
        predicted = least_per_operation(first, second)
        if third == 0 or not (1 - TOO_LOW) * third <= predicted <= (1 + ROUNDING) * third:
            continue
        worst = max(worst, 1 - predicted / third)
        work[name] = least_per_operation(second, third) * there
    return work, worst


@dataclass(frozen=True)
class Profile:
    """Instructions that ncu counted, and the power of n with which they grow."""

    metrics: Sequence[Metric] = ()
    power: int = 0

    def bounds(self, stage: str, n: int, device: Device) -> list[Bound]:
        counts: dict[str, float] = {}
        for one in self.metrics:
            if one.stage == stage and one.name.startswith(OPCODE):
                name = one.name.removeprefix(OPCODE)
                counts[name] = counts.get(name, 0.0) + one.value * (n / one.n) ** self.power
        return opcodes(counts, device, device.multiprocessors) if counts else []


def largest_run(rows: Sequence[Row], stage: str) -> list[Row]:
    """The repeats of a stage on the GPU at its largest n, with the same input and parameters."""
    own = [row for row in rows if row.stage == stage and row.engine == "gpu"]
    n = max((row.n for row in own), default=0)
    at = [row for row in own if row.n == n]
    return [row for row in at if (row.input, row.parameters) == (at[0].input, at[0].parameters)]


def stage_bounds(
    chapter: Chapter,
    rows: Sequence[Row],
    counted: Mapping[str, Counted],
    profile: Profile,
    device: Device,
) -> list[StageBound]:
    """At the largest recorded size of each stage."""
    found = []
    compared = comparable(chapter.rules, rows)
    for stage in chapter.stages:
        at = largest_run(compared, stage.name) or largest_run(newest(rows), stage.name)
        if not at:
            continue
        row, n = at[0], at[0].n
        if not row.operations and not row.bytes:
            continue
        found_work = counted.get(stage.name)
        work: dict[str, float] = {}
        difference = None
        # Only n may differ: the operations of other parameters are other work.
        if (
            found_work
            and found_work.parameters == row.parameters
            and len(found_work.sizes) == SIZES
            and is_same_grid(found_work.sizes, row)
        ):
            work, worst = scaled(found_work.sizes, row.operations, row.bytes)
            difference = worst if work else None
        bounds = [
            one
            for one in on_multiprocessors(
                {name: work.get(name, 0.0) for name in WORK}, device, device.multiprocessors
            )
            if one.seconds
        ]
        bounds += [arithmetic(row.operations, device)] if row.operations else []
        bounds.append(memory(row.bytes, chapter.working_set_bytes(n), device))
        crossing = chapter.rules.with_copies.get(stage.name)
        bounds += [host_link(crossing(n), device)] if crossing else []
        exact = profile.bounds(stage.name, n, device)
        # All instructions, in place of those that the CPU engine counts.
        bounds = [one for one in bounds if not exact or one.resource != "issue"] + exact
        if not any(one.seconds for one in bounds):
            continue
        measured = quartiles([one.total_ms if crossing else one.kernels_ms for one in at])[1]
        one = StageBound(stage.name, n, row.parameters, measured, tuple(bounds), difference)
        if measured < 1000 * one.binding.seconds:
            raise DataError(
                f"{chapter.name}/{stage.name}: {format_ms(measured)} ms at n = {n} is below its "
                f"bound, {format_ms(1000 * one.binding.seconds)} ms of {one.binding.resource}"
            )
        found.append(one)
    return found


def chapter_bounds(
    chapter: Chapter, rows: Sequence[Row], folder: Path, device: Device
) -> list[StageBound]:
    """With what is counted and profiled. `folder`: the device's recorded data."""
    counted = folder.parent / BOUNDS.name / f"{chapter.name}.csv"
    profile = folder / f"{chapter.name}_profile.csv"
    metrics = read_profile(profile) if chapter.name in PROFILED and profile.exists() else []
    work = read_bounds(counted) if counted.exists() else {}
    by_size = BY_SIZE.get(chapter.name, ())
    work = {name: one for name, one in work.items() if words_of(name) not in by_size}
    return stage_bounds(
        chapter, rows, work, Profile(metrics, PROFILED.get(chapter.name, 0)), device
    )


def moved(before: StageBound | None, after: StageBound) -> str:
    """The resource whose bound changed by the most time from the stage before, and by which factor:
    `L1 and shared memory ×0.25`."""
    if before is None or before.n != after.n:
        return ""
    common = before.parameters.keys() & after.parameters.keys()
    if any(before.parameters[key] != after.parameters[key] for key in common):
        return ""
    old = {one.resource: one.seconds for one in before.bounds}
    changes = [
        (abs(one.seconds - old[one.resource]), one.seconds / old[one.resource], one.resource)
        for one in after.bounds
        if old.get(one.resource)
    ]
    _, ratio, resource = max(changes, default=(0.0, 1.0, ""))
    if abs(ratio - 1) < 0.02 and old.keys() != {one.resource for one in after.bounds}:
        return ""  # what moved may be what only one of them has
    return f"{resource} ×{three_digits(ratio)}" if abs(ratio - 1) >= 0.02 else "none"


def bounds_table(chapter: Chapter, found: Sequence[StageBound], device: Device) -> list[str]:
    by_name = {one.stage: one for one in found}
    lines = [
        "| stage | n | measured, ms | bound, ms | binding | measured by bound | bound that moved |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in found:
        before = by_name.get(chapter.stages[one.stage].compared_with)
        bound_ms = one.binding.seconds * 1000
        file = f"{chapter.name}/{one.stage}/{Path(chapter.stages[one.stage].source).name}"
        lines.append(
            f"| [{one.stage}]({file}) | {short_count(one.n)} | {format_ms(one.measured_ms)} "
            f"| {format_ms(bound_ms)} | {one.binding.resource} "
            f"| {three_digits(one.measured_ms / bound_ms)} | {moved(before, one)} |"
        )
    differences = [one.difference for one in found if one.difference is not None]
    without = [one.stage for one in found if one.difference is None]
    missing = [one.name for one in chapter.stages if one.has_kernels and one.name not in by_name]
    lines += ["", f"{device.name}."]
    if differences:
        lines[-1] += (
            " At the largest counted size, the work was at most "
            f"{three_digits(100 * max(differences))} % above what the two smaller sizes predict, and "
            "never below."
        )
    if whole := [one.stage for one in found if one.stage in chapter.rules.with_copies]:
        lines += ["", f"Whole runs, with the copies: {', '.join(whole)}."]
    if without:
        lines += ["", f"Only what the stage declares or a profiler counted: {', '.join(without)}."]
    if missing:
        lines += ["", f"Without a bound: {', '.join(missing)}."]
    return lines
