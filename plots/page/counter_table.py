# SPDX-License-Identifier: MIT
"""The table of a README that shows what each kernel asks of the memory, as the CPU engine counted
it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from common.tools.lib.counting import bare
from common.tools.lib.numbers import grouped, three_digits
from plots.records.counters import KernelCounters
from plots.records.stages import Stages
from common.tools.lib.stages import label_of


def each(part: str, ideal: str, whole: str) -> Callable[[KernelCounters], str]:
    """`1.02 (1)`: the cost of one request, and in brackets the least cost."""

    def cell(one: KernelCounters) -> str:
        requests = one.count(whole)
        if not requests:
            return ""
        cost, best = one.count(part) / requests, one.count(ideal) / requests
        said = three_digits(cost)
        return said if cost == best else f"{said} ({three_digits(best)})"

    return cell


def counter_columns(unit: str) -> list[tuple[str, Callable[[KernelCounters], str]]]:
    """Headings and cells. An empty cell is a counter that is 0."""

    def plain(name: str) -> Callable[[KernelCounters], str]:
        return lambda one: grouped(one.count(name)) if one.count(name) else ""

    def looped(name: str) -> Callable[[KernelCounters], str]:
        return lambda one: three_digits(one.per_iteration(name)) if one.per_iteration(name) else ""

    columns = []
    for space, costs in (("global", "sectors"), ("shared", "wavefronts")):
        for what in ("load", "store", "atomic"):
            name = f"{space}_{what}"
            columns += [
                (f"{space} {what}s", plain(f"{name}.requests")),
                (
                    f"{costs} each",
                    each(f"{name}.{costs}", f"{name}.ideal_{costs}", f"{name}.requests"),
                ),
            ]
    columns += [("barriers", plain("barriers")), ("warp functions", plain("collectives"))]
    for what in ("global", "shared"):
        columns.append((f"{what} loads per {unit}", looped(f"{what}_load.requests")))
    return columns


def exact_counters(one: KernelCounters, looped: bool) -> tuple[float, ...]:
    """What the cells of a row are rounded from. Equal cells of different counters are two rows."""
    names = [
        f"{space}_{what}" for space in ("global", "shared") for what in ("load", "store", "atomic")
    ]
    parts = ("requests", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts")
    counts: list[float] = [one.count(f"{name}.{part}") for name in names for part in parts]
    counts += [one.count("barriers"), one.count("collectives")]
    if looped:
        counts += [one.per_iteration(f"{space}_load.requests") for space in ("global", "shared")]
    return tuple(counts)


def counted_runs(counted: Sequence[KernelCounters]) -> str:
    """The arguments of the runs, with the stages where these differ."""
    stages: dict[str, list[str]] = {}
    for one in counted:
        stages.setdefault(one.arguments, []).append(one.stage)
    if len(stages) == 1:
        return f"`{counted[0].arguments}`"
    parts = []
    for arguments, names in stages.items():
        numbers = list(dict.fromkeys(label_of(name) for name in names))
        parts.append(f"`{arguments}` ({', '.join(numbers)})")
    return ", ".join(parts)


def counters_table(stages: Stages, counted: Sequence[KernelCounters]) -> list[str]:
    """One row per kernel and stage. Stages with the same counters share a row."""
    counted = [one for one in counted if one.stage in stages]
    shown = [stage for stage in stages if any(one.stage == stage.name for one in counted)]
    unit = shown[0].counter_unit
    columns = counter_columns(unit)
    of_loops = [f"loads per {unit}" in head for head, _ in columns]
    # A kernel of the chapter's headers has its namespace in its name, a stage's own kernel has not.
    kernels = list(dict.fromkeys(bare(one.kernel) for one in counted if one.kernel))
    rows: list[tuple[str, list[str], list[str]]] = []
    before: tuple[float, ...] = ()
    for kernel in kernels:
        for stage in shown:
            for one in counted:
                if (one.stage, bare(one.kernel)) != (stage.name, kernel):
                    continue
                alike = stage.counter_unit == unit
                cells = [
                    cell(one) if alike or not of_loop else ""
                    for (_, cell), of_loop in zip(columns, of_loops)
                ]
                exact = exact_counters(one, alike)
                if rows and rows[-1][0] == kernel and before == exact:
                    rows[-1][1].append(stage.name)
                else:
                    rows.append((kernel, [stage.name], cells))
                before = exact
    filled = [i for i in range(len(columns)) if any(cells[i] for _, _, cells in rows)]
    lines = [
        "| kernel | stage | " + " | ".join(columns[i][0] for i in filled) + " |",
        "|" + "---|" * (2 + len(filled)),
    ]
    for kernel, names, cells in rows:
        lines.append(
            f"| {kernel} | {', '.join(names)} | " + " | ".join(cells[i] for i in filled) + " |"
        )
    return [
        *lines,
        "",
        (
            f"Counted on the CPU engine for {counted_runs(counted)} by the rules of an H200, before"
            " any cache. Loads, stores and atomics are requests of warps; `each` is sectors (of 32"
            " bytes) or wavefronts per request, in brackets the fewest possible; barriers are"
            " arrivals of warps."
        ),
    ]
