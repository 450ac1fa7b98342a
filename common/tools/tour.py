#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make: runs and verifies every stage at a size for this machine, then draws the figures."""

import re
import shutil

from common.tools.draw_figures import draw
from common.tools.lib.measuring import check, measure
from common.tools.lib.numbers import format_ms
from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    ToolError,
    build_folder,
    executable,
    load_stages,
    pick_engine,
    run_tool,
)

COLUMNS = "{:<{width}}  {:<6}  {:>12}  {:>11}  {:>10}  {:<10}  {}"


def main() -> int:
    stages = load_stages()
    failures: list[str] = []
    left_out: set[str] = set()
    width = max(len(stage.stage) for stage in stages)
    print(
        COLUMNS.format(
            "stage", "engine", "n", "kernels ms", "total ms", "verified", "technique", width=width
        )
    )
    emulated = False
    for stage in stages:
        engine, made = "-", None
        try:
            engine = pick_engine(stage)
            if stage.race_on_purpose:
                said = re.search(r"^OK \S+ n=(\d+) (.*)", line := check(executable(stage, engine)))
                if said is None:
                    raise ToolError(line, EXIT_FAILURE)
                print(
                    COLUMNS.format(
                        stage.stage, engine, said[1], "-", "-", "its race", said[2], width=width
                    ),
                    flush=True,
                )
                continue
            # One timed run is enough: the table is a first look, not a measurement.
            made = measure(executable(stage, engine), ["--repeats", "1"])
        except ToolError as error:
            if error.status == EXIT_NO_DEVICE:
                engine = "-"
                left_out.add(str(error).split(": ", 1)[-1])
            else:
                failures.append(f"{stage.stage}: {error}")
        if made is None:
            verdict = "left out" if engine == "-" else "NO"
            print(
                COLUMNS.format(
                    stage.stage, engine, "-", "-", "-", verdict, stage.technique, width=width
                ),
                flush=True,
            )
            continue
        emulated |= engine == "emu"
        print(
            COLUMNS.format(
                stage.stage,
                engine,
                made.rows[0]["n"],
                format_ms(made.median_ms("kernels_ms")),
                format_ms(made.median_ms("total_ms")),
                "yes",
                stage.technique,
                width=width,
            ),
            flush=True,
        )
    if emulated:
        print("emu: these times are of the emulation on this CPU, not of a GPU", flush=True)
    for line in left_out:
        print(line, flush=True)

    if shutil.which("gnuplot") is None:
        print("no figures: gnuplot is missing (package gnuplot-nox)")
    else:
        print("drawing the figures", flush=True)
        if draw("recorded", told=False) != 0:
            failures.append("the figures")
        else:
            print(f"the site, for any browser: {build_folder() / 'figures' / 'index.html'}")
    by_name = {stage.stage: stage for stage in stages}
    for stage in stages:
        before = by_name.get(f"{stage.chapter}/{stage.compared_with}")
        if before and all("count" in one.executables for one in (before, stage)):
            print(
                "To see what a stage changes in the memory traffic: "
                f"make counters A={before.stage} B={stage.stage}"
            )
            break
    # Failures come last, where they are seen.
    for line in failures:
        print(f"failed: {line}")
    return EXIT_FAILURE if failures else 0


if __name__ == "__main__":
    run_tool(main)
