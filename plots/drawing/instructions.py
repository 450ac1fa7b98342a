# SPDX-License-Identifier: MIT
"""A drawing that several chapters have: the instructions that each stage executes per unit of its
work, by class. Stages that change no access to memory differ in nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from common.tools.lib.numbers import short_count, three_digits
from common.tools.lib.stages import DataError
from plots.drawing.figure import Block, Drawing
from plots.drawing.words import check_stages
from plots.records.instructions import CLASS_LABELS, instructions_per
from plots.records.source import Source


def prepare_instructions(
    source: Source,
    chapter: str,
    stages: Sequence[str],
    units: float | Mapping[str, float],
    unit: str,
    run: str,
) -> Drawing:
    """Stacked bars (instructions.gp). `units`: how many units of work the profiled launches of a
    stage do, of each stage or of all; `unit`: "pair of bodies"; `run`: "one force evaluation of
    135 k bodies"."""
    metrics, path, from_recorded = source.profile(chapter)
    by_stage = {name: [one for one in metrics if one.stage == name] for name in stages}
    check_stages([one for found in by_stage.values() for one in found], stages, path, "metrics")
    try:
        mixes = {
            name: instructions_per(found, units[name] if isinstance(units, Mapping) else units)
            for name, found in by_stage.items()
        }
    except KeyError as error:
        raise DataError(f"{path}: no metric {error.args[0]}") from None
    totals = {name: sum(mix.values()) for name, mix in mixes.items()}
    first = by_stage[stages[0]][0]
    origin = "recorded" if source.recorded or from_recorded else "measured here"
    note = "Recorded data: this machine gives no profiler counters. " if from_recorded else ""
    listed = ", ".join(f"{name} {three_digits(total)}" for name, total in totals.items())
    return Drawing(
        tables={
            "mix": [
                Block(label, [(name, mixes[name][kind]) for name in stages])
                for kind, label in CLASS_LABELS.items()
            ],
            "total": [Block("total", list(totals.items()))],
        },
        variables={
            "bars": len(stages),
            "total_top": 1.1 * max(totals.values()),
            "unit_title": f"Instructions per {unit}",
        },
        subtitle=(
            f"{note}{first.device}, {origin} {first.date[:10]} by Nsight Compute,"
            f" {run.format(n=short_count(first.n))}."
        ),
        ours=f"Instructions per {unit}: {listed}.",
        alt=f"Stacked bar chart of the instructions per {unit} on {first.device}: {listed}.",
        from_recorded=from_recorded,
    )
