# SPDX-License-Identifier: MIT
"""Table II of Gaudiani 2012: how often all points are moved, and how often the mesh is
triangulated."""

from __future__ import annotations

from collections.abc import Sequence

from common.tools.lib.numbers import grouped, short_count
from common.tools.lib.stages import DataError
from plots.distmesh.stages import CIRCLE, FILE, KERNELS, NAMES, SHARED, STAGES, cells_of
from plots.distmesh.times import rows_beside
from plots.drawing.axes import log_range, spread, tics
from plots.drawing.figure import Block, Drawing
from plots.drawing.words import device_label, origin, repeats_of
from plots.records.rows import Report
from plots.records.source import Source

COUNTS = {"iterations": "Iterations", "triangulations": "Triangulations"}


def span(counts: Sequence[int]) -> str:
    """`39`, `39 to 41`; nothing where there are no counts."""
    if not counts:
        return ""
    return grouped(min(counts)) + (
        f" to {grouped(max(counts))}" if max(counts) > min(counts) else ""
    )


def counts_of(
    reports: Sequence[Report], stage: str, field: str, engine: str, path: object
) -> dict[int, int]:
    """Counts by n. Of a run that was recorded twice the last one counts."""
    found: dict[int, int] = {}
    wanted = {key: value for key, value in CIRCLE.items() if key != "input"}
    for one in reports:
        if (one.stage, one.field, one.engine) != (stage, field, engine) or one.parameters != wanted:
            continue
        if not one.value.isdecimal():
            raise DataError(f"{path}: {field} of {stage} is '{one.value}', no count")
        found[one.n] = int(one.value)
    if not found:
        raise DataError(f"{path}: no {field} of {stage}")
    return found


def prepare_counts(source: Source) -> Drawing:
    """Two panels: iterations, and triangulations."""
    rows, serial, engine = rows_beside(source)
    path, reports = source.reports_path(STAGES.chapter), source.reports(STAGES.chapter)
    recorded = source.recorded
    tables: dict[str, list[Block]] = {}
    variables: dict[str, object] = {"show_theirs": int(recorded)}
    said, sizes = [], sorted({row.n for row in rows})
    for field, title in COUNTS.items():
        ours = {
            stage: {
                n: count
                for n, count in counts_of(
                    reports, stage, field, "cpu" if stage == STAGES.serial else engine, path
                ).items()
                if n in sizes
            }
            for stage in (STAGES.serial, *KERNELS)
        }
        theirs = {stage: cells_of("II", field, stage) for stage in (STAGES.serial, SHARED)}
        tables[field] = [
            Block(stage, sorted(ours[stage].items())) for stage in (STAGES.serial, SHARED)
        ]
        tables[f"theirs{field}"] = [
            Block(name, list(theirs[stage].items()))
            for stage, name in ((STAGES.serial, NAMES[STAGES.serial]), (SHARED, NAMES[SHARED]))
        ]
        shown = [list(ours[stage].values()) for stage in (STAGES.serial, SHARED)] + (
            [list(one.values()) for one in theirs.values()] * recorded
        )
        low, high = log_range([value for one in shown for value in one], 0.26)
        variables |= {f"{field}_low": low, f"{field}_high": high, f"{field}_title": title}
        n = max(set.intersection(*(set(one) for one in ours.values())))
        said.append(f"{span([one[n] for one in ours.values()])} {field}")
    source.reading(FILE)
    then = " and ".join(
        f"{grouped(cells_of('II', field, SHARED)[max(cells_of('II', field))])} {field}"
        for field in COUNTS
    )
    words = f"At {short_count(n)} points our stages take {' with '.join(said)}"
    return Drawing(
        tables=tables,
        variables={
            "n_low": sizes[0] / 1.25,
            "n_high": sizes[-1] * 1.25,
            "n_tics": tics(spread(sizes)),
            **variables,
        },
        subtitle=(
            f"{origin([*rows, *serial], engine, source.kind, serial[0].device)}. Last of"
            f" {repeats_of([*rows, *serial])}."
        ),
        emulated=engine == "emu",
        shows_times=False,
        ours=(
            f"{words}. The printed GPU version took {then} at"
            f" {short_count(max(cells_of('II', 'iterations')))}."
        ),
        alt=(
            "Two line charts against points, of the iterations and the triangulations that"
            f" {STAGES.serial} and {SHARED} take on {device_label(rows, engine)}"
        )
        + (", beside the printed counts of a CPU and a GPU in grey" if recorded else "")
        + f". {words}.",
    )
