#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make: runs and verifies every stage at a size for this machine, and draws the figures."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from common.tools.draw_figures import draw
from common.tools.lib.measuring import check, measure
from common.tools.lib.numbers import format_ms
from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    Stage,
    ToolError,
    build_folder,
    executable,
    load_stages,
    pick_engine,
    run_tool,
)
from plots.drawing.gnuplot import why_no_figures

COLUMNS = "{:<{width}}  {:<6}  {:>12}  {:>11}  {:>10}  {:<10}  {}"


class Table:
    """A line per stage, printed when the stage has run."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages = stages
        self.width = max(len(stage.stage) for stage in stages)
        self.failures: list[str] = []
        self.left_out: set[str] = set()  # why stages did not run
        self.emulated = False

    def write(self, *words: object) -> None:
        print(COLUMNS.format(*words, width=self.width), flush=True)

    def write_race(self, stage: Stage, engine: str) -> None:
        """Of a stage that has a race on purpose, which the check must find."""
        line = check(executable(stage, engine))
        said = re.search(r"^OK \S+ n=(\d+) (.*)", line)
        if said is None:
            raise ToolError(line, EXIT_FAILURE)
        self.write(stage.stage, engine, said[1], "-", "-", "its race", said[2])

    def write_run(self, stage: Stage, engine: str) -> None:
        # One timed run is enough: the table is a first look, not a measurement.
        made = measure(executable(stage, engine), ["--repeats", "1"])
        self.emulated |= engine == "emu"
        times = [format_ms(made.median_ms(name)) for name in ("kernels_ms", "total_ms")]
        self.write(stage.stage, engine, made.rows[0]["n"], *times, "yes", stage.technique)

    def run(self) -> None:
        self.write("stage", "engine", "n", "kernels ms", "total ms", "verified", "technique")
        for stage in self.stages:
            engine = "-"
            try:
                engine = pick_engine(stage)
                (self.write_race if stage.race_on_purpose else self.write_run)(stage, engine)
            except ToolError as error:
                verdict = "NO"
                if error.status == EXIT_NO_DEVICE:
                    engine, verdict = "-", "left out"
                    self.left_out.add(str(error).split(": ", 1)[-1])
                else:
                    self.failures.append(f"{stage.stage}: {error}")
                self.write(stage.stage, engine, "-", "-", "-", verdict, stage.technique)


def counted_neighbours(stages: Sequence[Stage]) -> tuple[Stage, Stage] | None:
    """The first two stages, one compared with the other, whose memory accesses can be counted."""
    by_name = {stage.stage: stage for stage in stages}
    for stage in stages:
        before = by_name.get(f"{stage.chapter}/{stage.compared_with}")
        if before and all("count" in one.executables for one in (before, stage)):
            return before, stage
    return None


def main() -> int:
    table = Table(load_stages())
    reason = why_no_figures()
    # The figures are of recorded data, so they are drawn meanwhile: few stages keep all cores busy.
    with ThreadPoolExecutor(1) as pool:
        figures = pool.submit(draw, "recorded", told=False) if not reason else None
        table.run()
        if table.emulated:
            print("emu: these times are of the emulation on this CPU, not of a GPU", flush=True)
        for line in table.left_out:
            print(line, flush=True)
        if figures is None:
            print(f"no figures: {reason}")
        elif figures.result() != 0:
            table.failures.append("the figures: make figures says why")
        else:
            print(f"the site, for any browser: {build_folder() / 'figures' / 'index.html'}")
    if neighbours := counted_neighbours(table.stages):
        before, after = neighbours
        print(
            "To see what a stage changes in the memory traffic: "
            f"make counters A={before.stage} B={after.stage}"
        )
    # Failures come last, where they are seen.
    for line in table.failures:
        print(f"failed: {line}")
    return EXIT_FAILURE if table.failures else 0


if __name__ == "__main__":
    run_tool(main)
