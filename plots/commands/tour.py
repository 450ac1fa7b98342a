#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make: runs and verifies every stage at a size for this machine, and draws the figures.

The time of an emulated kernel says nothing about a GPU. So without a GPU, the table shows times
that were recorded on one.
"""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from plots.commands.measured_figures import draw
from common.tools.lib.gpus import gpu_name
from common.tools.lib.measuring import Measurement, check, measure
from common.tools.lib.numbers import format_ms, short_count, short_rate, short_time, times
from common.tools.lib.stages import (
    EXIT_FAILURE,
    EXIT_NO_DEVICE,
    Stage,
    ToolError,
    build_folder,
    chapters_of,
    executable,
    label_of,
    load_stages,
    pick_engine,
    run_tool,
)
from plots.drawing.gnuplot import why_no_figures
from plots.page.recorded_gains import RecordedGains, recorded_gains

NO_ROWS = "no rows"
RACE = "its race"
LEFT_OUT = "left out"
NAMES = 36  # characters of the column of names; a longer one moves the rest of its line


@dataclass(frozen=True)
class Outcome:
    """What became of a stage. `engine`: empty where none can run it."""

    stage: Stage
    verdict: str
    engine: str = ""
    made: Measurement | None = None
    said: str = ""  # in place of a counter


def size(n: int) -> str:
    """At most six characters: `28 992`, `268 M`."""
    exact = short_count(n)
    return exact if len(exact) <= 6 else short_rate(n)


class Columns:
    """What the table shows. Subclasses say what of times."""

    heads: tuple[tuple[str, str], ...]  # a name, and how its cells are aligned

    def __init__(self, stages: Sequence[Stage], recorded: Mapping[str, RecordedGains]) -> None:
        self.recorded = recorded
        longest = max(len(stage.stage) for stage in stages)
        widths = [("stage", f"<{min(longest, NAMES)}"), ("verified", "<8")]
        self.names, form = zip(*widths, *self.heads, ("counter that changed most", "<"))
        self.form = "  ".join(f"{{:{one}}}" for one in form)

    def about(self) -> list[str]:
        """What the columns mean, a line each."""
        raise NotImplementedError

    def cells(self, outcome: Outcome) -> list[str]:
        """Of the columns between `verified` and the counter."""
        raise NotImplementedError

    def counter(self, outcome: Outcome) -> str:
        stage = outcome.stage
        changed = self.recorded[stage.chapter].changed.get(stage.name, "")
        return outcome.said or changed or "-"

    def line(self, outcome: Outcome) -> str:
        words = (outcome.stage.stage, outcome.verdict, *self.cells(outcome), self.counter(outcome))
        return self.form.format(*words).rstrip()


VERIFIED = f"verified  yes: the result of the run on this machine is right; {RACE}: it shows a race on purpose"


class TimesHere(Columns):
    """Of a machine with a GPU."""

    heads = (("n", ">6"), ("kernels ms", ">10"), ("total ms", ">9"))

    def about(self) -> list[str]:
        return [
            VERIFIED,
            f"ms        of one run on {gpu_name() or 'this GPU'} with n elements: a first look, not a"
            " measurement",
            "counter   what changed most in the memory traffic against the stage that it is compared with",
        ]

    def cells(self, outcome: Outcome) -> list[str]:
        made = outcome.made
        if made is None or outcome.engine == "emu":
            return ["-", "-", "-"]
        ms = [format_ms(made.median_ms(name)) for name in ("kernels_ms", "total_ms")]
        return [size(int(made.rows[0]["n"])), *ms]


class RecordedTimes(Columns):
    """Of a machine without a GPU."""

    heads = (("time", ">8"), ("n", ">6"), ("gain", ">5"), ("over", "<4"))

    def about(self) -> list[str]:
        found = self.recorded.values()
        devices = " and ".join(dict.fromkeys(one.device for one in found if one.device))
        hosts = " and ".join(dict.fromkeys(one.host for one in found if one.host))
        lines = [
            "Here the CPU engine runs the kernels, not a GPU. Its times say nothing about a GPU, so"
            " none are shown.",
            VERIFIED,
        ]
        if devices:
            lines += [
                f"time      recorded on {devices} with n elements: of the kernels, or with * of the"
                " whole run and its copies",
            ]
        if hosts:
            lines += [
                f"          (serial stages: on one core of {hosts};"
                f" {NO_ROWS}: not recorded on one GPU yet)"
            ]
        return [
            *lines,
            "gain      how many times as fast as the stage in the column `over` was, at the same n",
            "          (a number alone: of the same path; for a path's first stage, of the path that it"
            " leaves)",
            "counter   what changed most in the memory traffic against that stage; chapters/README.md has"
            " the terms",
        ]

    def cells(self, outcome: Outcome) -> list[str]:
        stage = outcome.stage
        found = self.recorded[stage.chapter].times.get(stage.name)
        if found is None:
            return ["-" if stage.race_on_purpose else NO_ROWS, "-", "-", "-"]
        time = short_time(found.seconds) + ("*" if found.whole_run else "")
        # A stage of the same path is named by its number.
        over = label_of(found.before).removeprefix(f"{stage.path}/")
        gain = (times(found.gain), over) if found.gain else ("-", "-")
        return [time, size(found.n), *gain]

    def counter(self, outcome: Outcome) -> str:
        if outcome.engine == "cpu" and outcome.made:
            ms = short_time(outcome.made.median_ms("total_ms") / 1000)
            n = size(int(outcome.made.rows[0]["n"]))
            cores = "all cores" if outcome.stage.uses_all_cores else "one core"
            return f"here, on {cores}: {ms}, n = {n}"
        return super().counter(outcome)


class Tour:
    """Runs the stages, one after the other, and prints a line of each."""

    def __init__(self, stages: list[Stage]) -> None:
        self.stages = stages
        self.failures: list[str] = []
        self.left_out: set[str] = set()  # why stages did not run
        self.verdicts: list[str] = []
        recorded = {chapter: self.recorded(chapter) for chapter in chapters_of(self.stages)}
        on_gpu = any(self.engine(stage) == "gpu" for stage in stages)
        self.columns = (TimesHere if on_gpu else RecordedTimes)(stages, recorded)

    def recorded(self, chapter: str) -> RecordedGains:
        try:
            return recorded_gains(chapter)
        except ToolError as error:
            self.failures.append(f"the records of {chapter}: {error}")
            return RecordedGains()

    @staticmethod
    def engine(stage: Stage) -> str:
        try:
            return pick_engine(stage)
        except ToolError:
            return ""

    def outcome(self, stage: Stage) -> Outcome:
        engine = ""
        try:
            engine = pick_engine(stage)
            if stage.race_on_purpose:  # the check must find it
                line = check(executable(stage, engine))
                said = re.search(r"^OK \S+ n=\d+ (.*)", line)
                if said is None:
                    raise ToolError(line, EXIT_FAILURE)
                wrong = said[1].rpartition(": ")[2].partition(",")[0]
                return Outcome(stage, RACE, engine, said=f"wrong: {wrong}")
            # One timed run is enough: the table is a first look, not a measurement.
            made = measure(executable(stage, engine), ["--repeats", "1"])
            return Outcome(stage, "yes", engine, made)
        except ToolError as error:
            if error.status == EXIT_NO_DEVICE:
                self.left_out.add(str(error).split(": ", 1)[-1])
                return Outcome(stage, LEFT_OUT)
            self.failures.append(f"{stage.stage}: {error}")
            return Outcome(stage, "NO", engine)

    def run(self) -> None:
        print("\n".join((*self.columns.about(), "")))
        print(self.columns.form.format(*self.columns.names), flush=True)
        for stage in self.stages:
            outcome = self.outcome(stage)
            self.verdicts.append(outcome.verdict)
            print(self.columns.line(outcome), flush=True)

    def summary(self) -> str:
        """`171 stages: 166 verified, 1 shows its race, 4 left out`."""
        kinds = {"yes": "verified", RACE: "with the race that it shows", LEFT_OUT: LEFT_OUT}
        counts = [(self.verdicts.count(kind), said) for kind, said in kinds.items()]
        counts.append((self.verdicts.count("NO"), "failed"))
        said = ", ".join(f"{count} {words}" for count, words in counts if count)
        return f"{len(self.verdicts)} stages: {said}"


def counted_neighbours(stages: Sequence[Stage]) -> tuple[Stage, Stage] | None:
    """The first two stages, one compared with the other, whose memory accesses can be counted."""
    by_name = {stage.stage: stage for stage in stages}
    for stage in stages:
        before = by_name.get(f"{stage.chapter}/{stage.compared_with}")
        if before and all("count" in one.executables for one in (before, stage)):
            return before, stage
    return None


def next_steps(stages: Sequence[Stage]) -> list[str]:
    """What to do after the first `make`."""
    chapter = stages[0].chapter
    steps = [
        (
            "begin to read",
            f"chapters/{chapter}/README.md; the order of the others: chapters/README.md",
        )
    ]
    if neighbours := counted_neighbours(stages):
        pair = "A={} B={}".format(*(stage.stage for stage in neighbours))
        steps += [
            ("what a stage changes", f"make diff {pair}"),
            ("what that does to the memory traffic", f"make counters {pair}"),
        ]
    steps += [("try it yourself", "make lab"), ("all commands", "make help")]
    width = max(len(said) for said, _ in steps)
    return ["Next:", *(f"  {said:{width}}  {how}" for said, how in steps)]


def main() -> int:
    tour = Tour(load_stages())
    reason = why_no_figures()
    # The figures are of recorded data, so they are drawn meanwhile: few stages keep all cores busy.
    with ThreadPoolExecutor(1) as pool:
        figures = pool.submit(draw, "recorded", told=False) if not reason else None
        tour.run()
        print(f"\n{tour.summary()}", flush=True)
        for line in sorted(tour.left_out):
            print(f"left out: {line}", flush=True)
        if figures is None:
            print(f"no figures: {reason}")
        elif figures.result() != 0:
            tour.failures.append("the figures: make figures says why")
        else:
            print(f"the site, for any browser: {build_folder() / 'figures' / 'index.html'}")
    print("\n".join(("", *next_steps(tour.stages))))
    # Failures come last, where they are seen.
    for line in tour.failures:
        print(f"failed: {line}")
    return EXIT_FAILURE if tour.failures else 0


if __name__ == "__main__":
    run_tool(main)
