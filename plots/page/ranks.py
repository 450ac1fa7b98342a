# SPDX-License-Identifier: MIT
"""How much faster a chapter's last stage is on several GPUs: what was measured, and what the model
of bytes, messages and latencies predicts (common/tools/explain/rank_model.py).

Measured points are rows of <chapter>_ranks.csv. Where there are none, figure and table say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from common.tools.explain.rank_model import (
    FURTHER,
    LINKS,
    RANKS_PER_HOST,
    STAGES,
    Stage,
    predict,
    read_links,
    speed_up,
)
from common.tools.lib.numbers import short_ms, three_digits
from plots.drawing.figure import Block, Drawing, Figure
from plots.drawing.words import origin
from plots.records.medians import quartiles
from plots.records.rows import Row, newest
from plots.records.source import Source
from plots.records.stages import stages_of

PREDICTED = (2, 4, 8, 64)  # numbers of GPUs in the tables
LAST = 64
NOT_MEASURED = "not measured"


def modelled(chapter: str, parameters: Mapping[str, str] = {}) -> Stage | None:
    """What the model knows of the chapter's stage for many GPUs, or of its run with these
    parameters."""
    return next(
        (
            one
            for one in (*STAGES, *FURTHER)
            if one.chapter == chapter and parameters.items() <= dict(one.parameters).items()
        ),
        None,
    )


def measured(rows: Sequence[Row], model: Stage) -> dict[int, float]:
    """Milliseconds of the kernels, by the number of ranks; of the largest n, and of the rows with
    the model's parameters."""
    own = [row for row in rows if dict(model.parameters).items() <= row.parameters.items()]
    stage = stages_of(model.chapter).for_ranks
    own = [row for row in newest(own) if row.stage == stage and row.engine == "gpu"]
    largest = max((row.n for row in own), default=0)
    at = [row for row in own if row.n == largest]
    return {
        ranks: quartiles([row.kernels_ms for row in at if row.ranks == ranks])[1]
        for ranks in sorted({row.ranks for row in at})
    }


def speed_ups(times: dict[int, float]) -> dict[int, float]:
    """Over one rank. Without a run on one rank there is nothing to compare with."""
    return {ranks: times[1] / ms for ranks, ms in times.items()} if 1 in times else {}


def prepare(source: Source, model: Stage) -> Drawing:
    links = read_links(source.reading(LINKS))
    rows = source.rank_rows(model.chapter)
    found = speed_ups(measured(rows, model))
    within = [
        (ranks, speed_up(model, ranks, links) if ranks > 1 else 1.0)
        for ranks in range(1, RANKS_PER_HOST + 1)
    ]
    beyond = [
        (ranks, speed_up(model, ranks, links))
        for ranks in range(2 * RANKS_PER_HOST, LAST + 1, RANKS_PER_HOST)
    ]
    tables = {
        "ideal": [Block("as many times as fast as there are GPUs", [(1, 1), (LAST, LAST)])],
        "model": [Block("model, one host", within)],
        "beyond": [Block("model, several hosts: their network is assumed", beyond)],
    }
    if found:
        tables["measured"] = [Block("measured", sorted(found.items()))]
    said = origin(rows, "gpu", source.kind) if found else NOT_MEASURED.capitalize()
    return Drawing(
        tables=tables,
        variables={"last": LAST},
        subtitle=f"{said}. {model.chapter}/{stages_of(model.chapter).for_ranks}, {model.size}; model: {links['host'].name}.",
        ours=(
            "The points are medians of what was measured."
            if found
            else "No run on several GPUs is measured yet, so the line is the model alone."
        ),
        alt=(
            "Line chart of the speed-up over one GPU against the number of GPUs, both axes "
            "logarithmic: the model within one host and beyond it, the ideal line, and "
            + ("measured points." if found else "no measured point.")
        ),
    )


def rank_figure(chapter: str) -> list[Figure]:
    """None, for a chapter without such a stage."""
    model = modelled(chapter)
    if model is None:
        return []
    return [
        Figure(
            f"{chapter}_ranks",
            "",
            chapter,
            "Speed-up on several GPUs",
            "",
            partial(prepare, model=model),
            in_readme=True,
            script="ranks",
            folder="drawing",
        )
    ]


def ranks_table(model: Stage, rows: Sequence[Row]) -> list[str]:
    """For the README: predictions beside what was measured; the figure; and the same table for what
    else the stage does."""
    lines = [
        *predictions(model, rows),
        "",
        f"![Speed-up on several GPUs](figures/{model.chapter}_ranks.svg)",
    ]
    for other in FURTHER:
        if other.chapter == model.chapter:
            lines += ["", *predictions(other, rows)]
    return lines


def predictions(model: Stage, rows: Sequence[Row]) -> list[str]:
    links = read_links()
    times = measured(rows, model)
    gains = speed_ups(times)
    lines = ["| GPUs | predicted | measured |", "|---|---|---|"]
    for ranks in PREDICTED:
        ms = 1e3 * predict(model, ranks, links)
        gain = three_digits(speed_up(model, ranks, links))
        own = NOT_MEASURED
        if ranks in times:
            own = short_ms(times[ranks])
            own += f" (×{three_digits(gains[ranks])})" if ranks in gains else ""
        lines.append(f"| {ranks} | {short_ms(ms)} (×{gain}) | {own} |")
    one = short_ms(1e3 * model.seconds)
    here = f"{short_ms(times[1])} on one {rows[0].device}" if 1 in times else NOT_MEASURED
    return [
        *lines,
        "",
        f"Kernels and communication, {model.size}. The model begins with {one}, as recorded on one {model.device}; this stage: {here}."
        " Up to 8 GPUs are on one host; the network between hosts is assumed.",
    ]
