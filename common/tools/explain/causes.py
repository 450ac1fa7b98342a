# SPDX-License-Identifier: MIT
"""Runs a program on the counting engine and finds what its lines waste, why, and the cure."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.tools.explain.arithmetic import divisions, double_literals
from common.tools.explain.barriers import needless_barriers, waiting_warps
from common.tools.explain.contention import contention
from common.tools.explain.context import Context
from common.tools.explain.divergence import divergence
from common.tools.explain.finding import Finding
from common.tools.explain.global_memory import constants, reused_loads, wasted_sectors
from common.tools.explain.host_side import host_findings
from common.tools.explain.launches import launch_findings
from common.tools.explain.loops import active
from common.tools.explain.samples import Samples, read_samples
from common.tools.explain.shared_memory import bank_conflicts
from common.tools.explain.transfers import copies_in_loops, tasks
from common.tools.lib.counting import Counted, count, read_counted
from common.tools.lib.files import parse_json, read_text
from common.tools.lib.stages import ROOT, DataError, Stage

CHECKS = (
    wasted_sectors,
    reused_loads,
    constants,
    bank_conflicts,
    contention,
    divergence,
    double_literals,
    divisions,
    needless_barriers,
    waiting_warps,
    launch_findings,
)


@dataclass(frozen=True)
class Run:
    counted: Counted
    samples: Samples
    tasks: list[str]
    texts: dict[str, list[str]]  # of the program's sources, by name

    @property
    def stage(self) -> Stage:
        return self.counted.stage


def texts_of(stage: Stage, counted: Counted) -> dict[str, list[str]]:
    """The lines of the program's own sources: its file, and the headers that its kernels use,
    without the engine's."""
    own = ROOT / stage.source
    texts = {own.name: active(read_text(own).splitlines())}
    for name in {line["file"] for kernel in counted.kernels for line in kernel.lines}:
        path = stage.path_of(name)
        if name and name not in texts and path.is_file():
            texts[name] = active(read_text(path).splitlines())
    return texts


def run(stage: Stage, given: list[str], device: str = "") -> Run:
    """`device`: whose limits the engine keeps to."""
    with tempfile.TemporaryDirectory() as folder:
        view, timeline = Path(folder) / "view.json", Path(folder) / "timeline.csv"
        environment = {"EMULATOR_VIEW": str(view), "EMULATOR_TIMELINE": str(timeline)}
        if device:
            environment["EMULATOR_DEVICE"] = device
        counted = count(stage, given, environment, some_blocks=True)
        try:
            samples = read_samples(parse_json(read_text(view), view))
        except (FileNotFoundError, AttributeError, KeyError, TypeError, IndexError):
            raise DataError(f"{stage.stage}: wrote no samples of its requests") from None
        queued = tasks(timeline)
    return Run(counted, samples, queued, texts_of(stage, counted))


def run_of(stage: Stage, given: list[str], counters: Any, view: Any) -> Run:
    """Of a run whose documents are known, without its copies."""
    counted = read_counted(counters, stage, given, some_blocks=True)
    return Run(counted, read_samples(view), [], texts_of(stage, counted))


def findings(one: Run) -> list[Finding]:
    """The findings of all kernels, the largest waste of a kernel first."""
    found: list[Finding] = []
    for kernel in one.counted.kernels:
        context = Context(kernel, one.samples, one.texts, one.counted.kernels)
        own = [finding for check in CHECKS for finding in check(context)]
        # A line that loads and stores the same element says it once.
        said: dict[tuple[object, ...], Finding] = {}
        for finding in sorted(own, key=lambda finding: -finding.weight):
            said.setdefault((finding.kind, finding.file, finding.line, finding.cure), finding)
        found += said.values()
    return [
        *found,
        *host_findings(one.counted.kernels, one.samples, one.texts),
        *copies_in_loops(one.tasks, one.texts),
    ]
