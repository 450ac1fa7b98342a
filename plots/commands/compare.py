#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make compare CHAPTER=nbody[/limit|/all] [ENGINE=gpu|emu] [ARGS=…]: runs every stage of a path on one
input: those of the chapter's source, or of a side path, after the stage from which it goes on.

It prints a table of times, speed-ups over the first and the previous stage, and shares of the
device's limit, and draws a plot. Stages for which the input is too large are left out.

The time of an emulated kernel says nothing about a GPU. So without a GPU the stages only run on
the input, and the table shows what the CPU engine counted beside times that were recorded.
"""

from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.errors import EXIT_USAGE
from common.tools.lib.gpu_state import warn
from common.tools.lib.measuring import Measurement, measure
from common.tools.lib.numbers import format_ms, grouped, short_count
from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    Stage,
    ToolError,
    arguments,
    build_folder,
    chapters_of,
    choose,
    chosen_engine,
    executable,
    load_stages,
    needs_newer_gpu,
    pick_engine,
    print_table,
    run_tool,
    stages_of_paths,
    variable,
)

from plots.drawing.figure import Block, Drawing, Figure
from plots.drawing.gnuplot import draw, why_no_figures
from plots.page.recorded_stages import (
    RecordedStages,
    about_copies,
    counters_of,
    recorded_stages,
)
from plots.records.counters import KernelCounters


@dataclass(frozen=True)
class Entry:
    stage: Stage
    engine: str
    measurement: Measurement

    @property
    def kernels_ms(self) -> float:
        return self.measurement.median_ms("kernels_ms")


def speed_up(before: Entry, after: Entry) -> str:
    return f"x{before.kernels_ms / after.kernels_ms:.3g}" if after.kernels_ms > 0 else "-"


def table_of(entries: list[Entry]) -> list[list[str]]:
    rows = []
    for i, entry in enumerate(entries):
        rows.append(
            [
                entry.stage.name,
                entry.engine,
                format_ms(entry.kernels_ms),
                format_ms(entry.measurement.median_ms("total_ms")),
                speed_up(entries[0], entry),
                speed_up(entries[i - 1], entry) if i else "-",
                entry.measurement.share_of_limit(),
            ]
        )
    return rows


def recorded_table(
    entries: list[Entry], times: RecordedStages | None, counted: dict[str, list[KernelCounters]]
) -> list[list[str]]:
    """What was counted and recorded of each stage that ran."""

    def total(stage: str, *ends: str) -> str:
        values = [
            value
            for kernel in counted.get(stage, [])
            for name, value in kernel.counters.items()
            if name.startswith(ends[0]) and name.endswith(ends[-1])
        ]
        return grouped(sum(values)) if values else "-"

    medians = [
        times.kernels_ms[name][1] if times and name in times.kernels_ms else None
        for name in (entry.stage.name for entry in entries)
    ]
    first = next((one for one in medians if one is not None), None)
    rows = []
    for i, (entry, median) in enumerate(zip(entries, medians)):
        before = next((one for one in reversed(medians[:i]) if one is not None), None)
        name = entry.stage.name
        rows.append(
            [
                name,
                entry.engine,
                total(name, "global_", ".sectors"),
                total(name, "shared_", ".wavefronts"),
                total(name, "barriers"),
                format_ms(median) if median else "-",
                gain(first, median),
                gain(before, median),
            ]
        )
    return rows


def made_in_order(entries: list[Entry], times: RecordedStages) -> list[str]:
    return [entry.stage.name for entry in entries if entry.stage.name in times.kernels_ms]


def gain(before: float | None, after: float | None) -> str:
    return f"x{before / after:.3g}" if before and after else "-"


def print_recorded(
    chapter: str, entries: list[Entry], times: RecordedStages | None, run: str
) -> None:
    counted = counters_of(chapter)
    print(f"{run}: every stage ran with the right result")
    when = f"{short_count(times.n)} on {times.device}" if times else "not recorded"
    print_table(
        ["stage", "engine", "sectors", "wavefronts", "barriers", f"ms, {when}"]
        + ["to first", "to previous"],
        recorded_table(entries, times, counted),
        left=2,
    )
    runs = list(dict.fromkeys(one.arguments for all_of in counted.values() for one in all_of))
    if runs:
        print(f"sectors, wavefronts, barriers: counted on the CPU engine for {' | '.join(runs)}")
    print(
        "emu: the time of an emulated kernel says nothing about a GPU, so none is shown"
        + ("; the times are recorded ones of the kernels" if times else "")
    )


def plot(
    chapter: str,
    bars: list[tuple[str, float, float, float]],
    subtitle: str,
    recorded: bool = False,
) -> list[Path]:
    """`bars`: of each stage lower quartile, median and upper quartile in ms."""
    if reason := why_no_figures():
        print(f"no plot: {reason}")
        return []
    rows = [[name, median, lower, upper] for name, lower, median, upper in bars]
    times = [median for _, _, median, _ in bars]
    figure = Figure(
        "compare",
        "",
        chapter,
        f"{chapter}: every stage on one input",
        "",
        lambda source: made,
        folder="drawing",
    )
    made = Drawing(
        {"time": [Block("kernels, ms", rows)]},
        subtitle,
        "",
        "",
        {"time_low": min(times) / 2, "time_high": max(times) * 1.3, "stages": len(bars)},
        from_recorded=recorded,
    )
    return draw(figure, made, build_folder() / "compare" / chapter)


def measured_bars(entries: list[Entry]) -> list[tuple[str, float, float, float]]:
    bars = []
    for entry in entries:
        kernels = entry.measurement.document["summary"]["kernels_ms"]
        bars.append(
            (
                entry.stage.name,
                kernels["lower_quartile"],
                kernels["median"],
                kernels["upper_quartile"],
            )
        )
    return bars


def main() -> int:
    stages = load_stages()
    paths = stages_of_paths(stages)
    name = variable("CHAPTER")
    chapter = name.partition("/")[0]
    own = [path for path in paths if path.partition("/")[0] == chapter]
    on_path = paths[choose("CHAPTER", name, own or chapters_of(stages))]
    # The result of a race on purpose is wrong, so its time means nothing.
    racing = [stage for stage in on_path if stage.race_on_purpose]
    chosen = [stage for stage in on_path if not stage.race_on_purpose]
    # Not ENGINE=count: counting takes most of that time, so it says nothing about a stage.
    engine, args = chosen_engine(("gpu", "emu")), arguments()
    common: list[str] = []
    made: dict[str, Entry] = {}
    failures: list[str] = []
    limited: list[tuple[Stage, ToolError]] = []
    without_device: list[str] = []

    # All stages get the same n. Each engine has its own default, so the last stage, the fastest
    # one, sets it. An OpenCL stage does not, because it may run on another device, and neither does
    # a stage that needs a newer GPU, or one on all cores of the CPU.
    usual = [
        stage
        for stage in chosen
        if not (stage.opencl or needs_newer_gpu(stage) or stage.uses_all_cores)
    ]
    last = [*chosen, *usual][-1]
    if pick_engine(last, engine) == "gpu":
        warn("make compare")
    for stage in [last, *(stage for stage in chosen if stage is not last)]:
        try:
            picked = pick_engine(stage, engine)
            measurement = measure(executable(stage, picked), [*common, *args])
        except ToolError as error:
            if stage is last or (
                error.status == EXIT_NO_DEVICE and not (stage.opencl or needs_newer_gpu(stage))
            ):
                raise
            if error.status == EXIT_NO_DEVICE:
                without_device.append(str(error))
                continue
            # The largest n of a stage depends on the device: its own message names it.
            if stage.largest_n and error.status == EXIT_USAGE:
                limited.append((stage, error))
            else:
                failures.append(f"{stage.stage}: {error}")
            continue
        made[stage.name] = Entry(stage, picked, measurement)
        if "--n" not in args and not any(word.startswith("--n=") for word in args):
            common = ["--n", measurement.rows[0]["n"]]

    entries = [made[stage.name] for stage in chosen if stage.name in made]
    row = made[last.name].measurement.rows[0]
    rows = [entry.measurement.rows[0] for entry in entries]
    # Only what holds for all stages: some draw other inputs, or have parameters of their own.
    words = [f"n = {row['n']}"]
    if row["input"] and all(one["input"] == row["input"] for one in rows):
        words.append(row["input"])
    words += [
        pair
        for pair in filter(None, row["parameters"].split(";"))
        if all(pair in one["parameters"].split(";") for one in rows)
    ]
    title = f"{', '.join(words)} on {row['device']}"
    emulated = any(entry.engine == "emu" for entry in entries)
    times = recorded_stages(chapter, [entry.stage.name for entry in entries]) if emulated else None
    if emulated:
        print_recorded(chapter, entries, times, title)
    else:
        print(title)
        print_table(
            ["stage", "engine", "kernels ms", "total ms", "to first", "to previous", "limit"],
            table_of(entries),
            left=2,
        )
    if copies := about_copies(chapter, [entry.stage.name for entry in entries]):
        print(
            f"{', '.join(copies)}: change how the input comes to the device; gains are those of kernels,"
            " and only whole runs compare these stages"
        )
    for entry in entries:
        if entry.engine == "opencl":
            print(f"opencl: {entry.measurement.rows[0]['device']}")
    for stage, reason in limited:
        print(f"left out: {stage.stage}: {reason}")
    if limited:
        print(f'ARGS="--n {min(stage.largest_n for stage, _ in limited)}" includes them')
    for stage in racing:
        print(
            f"left out: {stage.stage}: its blocks race on purpose: "
            f"make run STAGE={stage.stage} ARGS=--check"
        )
    for line in (*without_device, *failures):
        print(f"left out: {line}")
    bars = [] if emulated else measured_bars(entries)
    if times:
        title = f"Recorded: n = {short_count(times.n)}, {times.input} on {times.device}"
        bars = [(name, *times.kernels_ms[name]) for name in made_in_order(entries, times)]
    for path in plot(chapter, bars, title, emulated) if bars else []:
        print(path)
    return EXIT_FAILURE if failures else 0


if __name__ == "__main__":
    run_tool(main)
