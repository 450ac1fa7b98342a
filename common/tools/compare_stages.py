#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make compare CHAPTER=nbody [ENGINE=…] [ARGS=…]: every stage of a chapter on one input.

A table of times with the speed-up against the first stage and against the previous one, the share
of the device's limit, and a plot.
"""

import shutil
import subprocess
from dataclasses import dataclass

from measuring import Measurement, measure
from stages import (EXIT_FAILURE, Stage, ToolError, arguments, build_folder, chapters_of, choose,
                    chosen_engine, executable, format_ms, load_stages, pick_engine, print_table,
                    run_tool, variable)

PLOT = """
set encoding utf8
set terminal {terminal}
set output '{output}'
set datafile separator tab
set border 3
set tics nomirror
set xtics rotate by -25
set grid ytics lc rgb '#dddddd'
set style fill solid noborder
set boxwidth 0.7
set logscale y
set format y '%g'
set ylabel 'kernels, ms (median)'
set title '{title}' noenhanced
unset key
plot '{data}' using 0:2:xtic(1) with boxes lc rgb '#0072b2', \\
     '' using 0:2:3:4 with yerrorbars pt 0 lc rgb '#777777', \\
     '' using 0:2:5 with labels offset 0,1 noenhanced
"""


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
        rows.append([entry.stage.name, entry.engine, format_ms(entry.kernels_ms),
                     format_ms(entry.measurement.median_ms("total_ms")),
                     speed_up(entries[0], entry), speed_up(entries[i - 1], entry) if i else "-",
                     entry.measurement.share_of_limit()])
    return rows


def plot(chapter: str, entries: list[Entry], title: str) -> list[str]:
    folder = build_folder() / "compare"
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / f"{chapter}.tsv"
    lines = []
    for entry in entries:
        kernels = entry.measurement.document["summary"]["kernels_ms"]
        lines.append("\t".join([entry.stage.name, str(kernels["median"]),
                                str(kernels["lower_quartile"]), str(kernels["upper_quartile"]),
                                format_ms(entry.kernels_ms)]))
    data.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if shutil.which("gnuplot") is None:
        print("no plot: gnuplot is missing (package gnuplot-nox)")
        return []
    paths = []
    for suffix, terminal in (("png", "pngcairo size 1600,900 font 'DejaVu Sans,20'"),
                             ("svg", "svg size 1600,900 font 'DejaVu Sans,20'")):
        output = folder / f"{chapter}.{suffix}"
        subprocess.run(["gnuplot"], input=PLOT.format(terminal=terminal, output=output,
                                                      title=title.replace("'", "''"), data=data),
                       text=True, check=True)
        paths.append(str(output))
    return paths


def main() -> int:
    stages = load_stages()
    chapter = choose("CHAPTER", variable("CHAPTER"), chapters_of(stages))
    chosen = [stage for stage in stages if stage.chapter == chapter]
    engine, args = chosen_engine(), arguments()
    common: list[str] = []
    made: dict[str, Entry] = {}
    failures: list[str] = []

    # One n for all. Each engine has its own default, so the last stage, the quickest, sets it.
    for stage in [chosen[-1], *chosen[:-1]]:
        picked = pick_engine(stage, engine)
        try:
            measurement = measure(executable(stage, picked), [*common, *args])
        except ToolError as error:
            if stage is chosen[-1]:
                raise
            failures.append(f"{stage.stage}: {error}")
            continue
        made[stage.name] = Entry(stage, picked, measurement)
        if "--n" not in args and not any(word.startswith("--n=") for word in args):
            common = ["--n", measurement.rows[0]["n"]]

    entries = [made[stage.name] for stage in chosen if stage.name in made]
    row = made[chosen[-1].name].measurement.rows[0]
    title = (f"{chapter}: n = {row['n']}" + (f", {row['input']}" if row["input"] else "")
             + (f", {row['parameters']}" if row["parameters"] else "") + f" on {row['device']}")
    print(title)
    print_table(["stage", "engine", "kernels ms", "total ms", "to first", "to previous", "limit"],
                table_of(entries), left=2)
    if any(entry.engine == "emu" for entry in entries):
        print("emu: times of the emulation on this CPU, not of a GPU")
    for line in failures:
        print(f"left out: {line}")
    for path in plot(chapter, entries, title):
        print(path)
    return EXIT_FAILURE if failures else 0


if __name__ == "__main__":
    run_tool(main)
