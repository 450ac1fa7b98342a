#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make counters A=nbody/01_float3 [B=nbody/02_float4|my.cu] [ARGS="--n 1024"] [RANKS=2]
[JSON=FILE|-]

Shows what the kernels of a stage or of a student's own file ask of the memory, or what changes from
A to B. The CPU engine counts it. Without ARGS the run of a stage is the chapter's own (counter_args
in its meson.build). With RANKS, a stage for many GPUs runs on so many ranks, and their counters are
added up.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from common.tools.lib.counting import (
    BETWEEN_RANKS,
    COUNTED,
    GLOBAL,
    MEMORY,
    OWN,
    SHARED,
    TRANSFERS,
    Counted,
    Counters,
    Kernel,
    Line,
    bare,
    count,
    source_text,
)
from common.tools.lib.hardware import MARK, MEANING, Difference, differences
from common.tools.lib.lessons import lesson, words
from common.tools.lib.numbers import whole_or_three_digits
from common.tools.lib.files import write_whole
from common.tools.lib.stages import (
    EXIT_FAILURE,
    ToolError,
    arguments,
    load_stages,
    print_table,
    run_tool,
    variable,
)
from common.tools.programs.stage_or_file import find_counted

Value = Callable[[Kernel], float | None]  # None: the row does not apply
Marks = Mapping[str, Difference]  # by counter

IDEAL = "  ideal"
# Counters with rows of their own, or with none: those of all lanes tell little beside the requests.
SHOWN = {
    *OWN,
    *("barriers", "collectives", "basic_blocks", "basic_block_lanes", "alive_lanes"),
    *(f"{name}.{part}" for name in MEMORY for part in (*COUNTED, "depth", "bytes")),
}
LINE_COUNTERS = ("requests", "lanes", "sectors", "wavefronts", "depth")


def number(value: float | None) -> str:
    return "-" if value is None else whole_or_three_digits(value)


def ratio(before: float | None, after: float | None) -> str:
    if before is None or after is None or before == after:
        return ""
    if not before:
        return "new"
    times = f"{after / before:.3g}"
    return "" if times == "1" else f"x{times}"


def share(part: str, whole: str) -> Value:
    return lambda kernel: kernel.count(part) / kernel.count(whole) if kernel.count(whole) else None


def counter(name: str) -> Value:
    return lambda kernel: kernel.count(name)


def difference(name: str, less: str) -> Value:
    return lambda kernel: kernel.count(name) - kernel.count(less)


def per_iteration(name: str) -> Value:
    return lambda kernel: kernel.per_iteration(name) if kernel.has_loop else None


def quantities(unit: str) -> list[tuple[str, str, Value]]:
    """The rows of a kernel's table: label, counter and value. The counter is empty if make prove
    does not compare it. A row that is empty or 0 in all stages is not printed."""
    rows: list[tuple[str, str, Value]] = [
        ("launches", "", counter("launches")),
        ("warps", "", counter("warps")),
    ]
    for name in GLOBAL:
        requests, sectors = f"{name}.requests", f"{name}.sectors"
        rows += [
            (f"{words(name)} requests", requests, counter(requests)),
            ("  sectors per request", sectors, share(sectors, requests)),
            (IDEAL, "", share(f"{name}.ideal_sectors", requests)),
        ]
        if name == "global_atomic":
            rows.append(("  lanes on one word", "", share(f"{name}.depth", requests)))
    for name in SHARED:
        requests, wavefronts = f"{name}.requests", f"{name}.wavefronts"
        rows += [
            (f"{words(name)} requests", requests, counter(requests)),
            ("  wavefronts", wavefronts, counter(wavefronts)),
            ("  bank conflicts", "", difference(wavefronts, f"{name}.ideal_wavefronts")),
        ]
        if name == "shared_atomic":
            rows.append(("  lanes on one word", "", share(f"{name}.depth", requests)))
    rows += [
        ("constant load requests", "", counter("constant_load.requests")),
        ("barriers (arrivals of warps)", "", counter("barriers")),
        ("warp collectives", "", counter("collectives")),
        ("basic blocks (of warps)", "", counter("basic_blocks")),
        ("  active lanes of 32", "", share("basic_block_lanes", "basic_blocks")),
        (f"inner loop, iterations (one {unit})", "", counter("loop.iterations")),
    ]
    for name in MEMORY:
        for part in ("requests", "sectors" if name in GLOBAL else "wavefronts"):
            one = f"{name}.{part}"
            rows.append((f"  {words(name)} {part} per {unit}", one, per_iteration(one)))
    for name, what in (
        ("barriers", "barriers"),
        ("collectives", "warp collectives"),
        ("basic_blocks", "basic blocks"),
    ):
        rows.append((f"  {what} per {unit}", "", per_iteration(name)))
    return rows


def others(kernels: Sequence[Kernel | None]) -> list[tuple[str, str, Value]]:
    """Rows of the counters that quantities() does not know: a new one is shown by its name."""
    names = [name for kernel in kernels if kernel for name in kernel.counters]
    return [
        (re.sub("[._]", " ", name), "", counter(name))
        for name in dict.fromkeys(names)
        if name not in SHOWN and not name.startswith("loop.")
    ]


def marked(cell: str, counter_name: str, marks: Marks) -> str:
    return f"{cell} {MARK}" if cell and counter_name in marks else cell


def kernel_rows(
    kernels: Sequence[Kernel | None], unit: str, marks: Sequence[Marks]
) -> list[list[str]]:
    """`marks`: of each kernel, the counters that depend on the compiler."""
    rows = []
    for label, name, value in [*quantities(unit), *others(kernels)]:
        values = [value(kernel) if kernel else None for kernel in kernels]
        if not any(values):
            continue
        cells = [marked(number(one), name, of) for one, of in zip(values, marks)]
        if len(values) == 2:
            cells.append(ratio(*values) if label != IDEAL else "")
        rows.append([f"  {label}", *cells])
    return rows


def line_key(stage_line: Line, text: str) -> tuple[Any, ...]:
    return (
        text or stage_line["line"],
        stage_line["operation"],
        stage_line["space"],
        stage_line["bytes"],
        *(stage_line[name] for name in LINE_COUNTERS),
    )


def line_rows(
    counted: Counted, kernel: Kernel, mark: str, without: set[tuple[Any, ...]]
) -> list[list[str]]:
    rows = []
    marks = differences(counted.stage, kernel.name, counted.arguments)
    for line in kernel.lines:
        text = source_text(counted.stage, line)
        if line["operation"] == "block" or line_key(line, text) in without:
            continue
        space = f"{line['space']} " if line["space"] else ""
        size = f"{line['bytes']} B" if line["bytes"] else ""
        part = "wavefronts" if line["space"] == "shared" else "sectors"
        name = f"{line['space']}_{line['operation']}"
        rows.append(
            [
                f"  {mark}{line['file']}:{line['line']}",
                f"{space}{line['operation']} {size}".strip(),
                text if len(text) <= 60 else text[:57] + "...",
                marked(number(line["requests"]), f"{name}.requests", marks),
                marked(number(line[part]) if line["space"] else "", f"{name}.{part}", marks),
            ]
        )
    return rows


def keys_of(counted: Counted, kernel: Kernel) -> set[tuple[Any, ...]]:
    return {line_key(line, source_text(counted.stage, line)) for line in kernel.lines}


def print_lines(counted: Sequence[Counted], kernels: Sequence[Kernel | None]) -> None:
    """All lines of one stage, or the lines that differ between two stages."""
    a, b = kernels[0], kernels[1] if len(kernels) == 2 else None
    if len(kernels) == 1 and a:
        rows = line_rows(counted[0], a, "", set())
    else:
        rows = line_rows(counted[0], a, "- ", keys_of(counted[1], b) if b else set()) if a else []
        rows += line_rows(counted[1], b, "+ ", keys_of(counted[0], a) if a else set()) if b else []
    if rows:
        print()
        print_table(["  line", "operation", "", "requests", "sectors or wavefronts"], rows, left=3)


def matched(counted: Sequence[Counted]) -> list[tuple[str, list[Kernel | None]]]:
    """The kernels of one stage, or pairs of kernels of two stages. A pair has the same name. Where
    only namespace and template arguments differ, the names must be unique in both stages."""
    found = [
        (kernel.name, [one.kernel(kernel.name) for one in counted])
        for kernel in {kernel.name: kernel for one in counted for kernel in one.kernels}.values()
    ]
    result: list[tuple[str, list[Kernel | None]]] = []
    for name, kernels in found:
        alike = [
            (other, pair) for other, pair in found if bare(other) == bare(name) and None in pair
        ]
        if (
            None not in kernels
            or len(alike) != 2
            or [pair[0] is None for _, pair in alike] != [False, True]
        ):
            result.append((name, kernels))
        elif kernels[0]:
            result.append((f"{name} -> {alike[1][0]}", [kernels[0], alike[1][1][1]]))
    return result


def print_transfers(counted: Sequence[Counted]) -> None:
    rows = []
    for way in (*TRANSFERS, *BETWEEN_RANKS):
        values = [one.transfers.get(f"{way}.bytes", 0) for one in counted]
        if any(values):
            rows.append(
                [
                    f"  {words(way)}",
                    *map(number, values),
                    *([ratio(*values)] if len(values) == 2 else []),
                ]
            )
    if rows:
        print_table(["bytes moved", *names_of(counted)], rows, left=1)
        print()


def names_of(counted: Sequence[Counted]) -> list[str]:
    return [one.stage.name for one in counted] + ([""] if len(counted) == 2 else [])


def marks_of(counted: Sequence[Counted], kernels: Sequence[Kernel | None]) -> list[Marks]:
    return [
        differences(one.stage, kernel.name, one.arguments) if kernel else {}
        for one, kernel in zip(counted, kernels)
    ]


def print_marks(counted: Sequence[Counted], marks: Sequence[Marks]) -> None:
    """What the hardware counted in place of the marked numbers."""
    if any(marks):
        print(f"\n  {MARK} {MEANING}")
    for one, of in zip(counted, marks):
        whose = f"{one.stage.name}: " if len(counted) == 2 else ""
        for found in of.values():
            print(f"    {whose}{found.said(one.arguments)}")


def print_comparison(counted: Sequence[Counted]) -> None:
    unit = counted[0].stage.counter_unit
    runs = dict.fromkeys(" ".join(one.arguments) for one in counted)  # a stage may have its own run
    print(" -> ".join(one.stage.stage for one in counted) + f", {' -> '.join(runs)}")
    print(
        f"counted on the CPU engine by the rules of {counted[0].device}, before any cache; no times"
    )
    print()
    print_transfers(counted)
    for name, kernels in matched(counted):
        marks = marks_of(counted, kernels)
        print_table([name, *names_of(counted)], kernel_rows(kernels, unit, marks), left=1)
        print_lines(counted, kernels)
        print_marks(counted, marks)
        if len(kernels) == 2:
            print()
            a, b = kernels
            if a and b:
                said = lesson(a, b, unit)
            else:
                said = [f"only in {counted[0 if a else 1].stage.stage}"]
            for line in said:
                print(f"  {line}")
        print()


def as_document(counted: Sequence[Counted]) -> dict[str, Any]:
    """For programs: all counters that are not 0, and those of the innermost loop per iteration."""

    def of(kernel: Kernel | None) -> dict[str, Any] | None:
        if kernel is None:
            return None
        loop = {
            name.removeprefix("loop."): value / kernel.count("loop.iterations")
            for name, value in kernel.counters.items()
            if name.startswith("loop.") and name != "loop.iterations"
        }
        return {"counters": kernel.counters, f"per_{counted[0].stage.counter_unit}": loop}

    def ratios(a: Counters, b: Counters) -> dict[str, float]:
        return {name: b[name] / a[name] for name in a if a[name] and name in b}

    kernels = []
    for name, found in matched(counted):
        record: dict[str, Any] = {"name": name}
        record |= {key: of(kernel) for key, kernel in zip(("a", "b"), found)}
        if len(found) == 2 and found[0] and found[1]:
            record["ratio"] = ratios(found[0].counters, found[1].counters)
            record["lesson"] = lesson(found[0], found[1], counted[0].stage.counter_unit)
        kernels.append(record)
    return {
        "schema": 1,
        "stages": [one.stage.stage for one in counted],
        "arguments": counted[0].arguments,
        "device": counted[0].device,
        "unit": counted[0].stage.counter_unit,
        "transfers": [one.transfers for one in counted],
        "kernels": kernels,
        "findings": [one.findings for one in counted],
    }


def write_json(path: str, document: dict[str, Any]) -> None:
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if path == "-":
        print(text, end="")
        return
    write_whole(Path(path), text, f"JSON={path}")


def main() -> int:
    stages = load_stages()
    chosen = [find_counted(stages, variable("A"), "A")]
    if variable("B"):
        chosen.append(find_counted(stages, variable("B"), "B"))
        chapters = {stage.chapter for stage in chosen if not stage.is_own_program}
        if len(chapters) == 2:
            raise ToolError(
                f"A={chosen[0].stage} and B={chosen[1].stage} belong to different chapters: "
                "they have no common kernels and no common flags"
            )
    counted = [count(stage, arguments()) for stage in chosen]
    if variable("JSON") != "-":
        print_comparison(counted)
    if variable("JSON"):
        write_json(variable("JSON"), as_document(counted))
    return EXIT_FAILURE if any(one.failed for one in counted) else 0


if __name__ == "__main__":
    run_tool(main)
