# SPDX-License-Identifier: MIT
"""Figures of the distmesh chapter: meshes coloured by their triangles' quality; tables I and II of seed 004 beside ours,
whole runs, kernels alone and counts; and where the time goes, of which the seed's figure 8 shows the copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial

import traces
from drawing import (
    PLOTS,
    SERIAL,
    Block,
    Drawing,
    Figure,
    Source,
    TableMaker,
    device_label,
    grouped,
    log_range,
    origin,
    provenance,
    repeats_of,
    short_count,
    short_ratio,
    short_time,
    tics,
)
from limits import Limits
from measurements import DataError, Point, Report, Row, TableCell, matches, newest, quartiles, read_tables, times
from meshes import CLASSES, LEAST_CLASS, Triangle, class_numbers, edge_blocks, least_and_mean, points_in, quality_blocks, triangles_of
from panels import Runs, at_largest_n, ends_of, point_rows, points_of, select, select_serial
from speed_ups import ratio

CHAPTER = "distmesh"
STAGES = ("01_global_atomics", "02_shared_atomics", "03_gather", "04_resident", "05_edge_flips")
GLOBAL, SHARED, GATHER, RESIDENT, FLIPS = STAGES

# What plots/tables.py needs to know of a chapter. Of a whole run nearly all is the host's triangulations, the same in
# every stage but the last: those are compared by their kernels.
CIRCLE = {"input": "circle", "max-iterations": "10000"}
OTHER_FLAGS = ("h0", "plus", "minus", "grading", "fixed")
COMPARED_RUN = CIRCLE | dict.fromkeys(OTHER_FLAGS, "")
KERNEL_TIMED = STAGES[:-1]
SERIES = (STAGES,)

SEED_KEY = "seed 004, Tesla C2070"
SEED_FILE = PLOTS / "published" / "distmesh.csv"
SEED_NAMES = {SERIAL: "seed 004: its CPU", GLOBAL: "seed 004: version 1", SHARED: "seed 004: version 2"}

RUNS = Runs(CHAPTER, {**CIRCLE, **dict.fromkeys(OTHER_FLAGS, "0")}, "points", "points")


@cache
def seed_cells() -> tuple[TableCell, ...]:
    return tuple(read_tables(SEED_FILE))


def cells_of(figure: str, quantity: str, stage: str = "") -> dict[int, float]:
    """By n what the seed prints of a stage; without one, of whichever stage it prints it."""
    found = {one.n: one.value for one in seed_cells()
             if (one.figure, one.quantity) == (figure, quantity) and stage in ("", one.stage)}
    if not found:
        raise DataError(f"{SEED_FILE}: no {quantity} of {stage or 'any stage'} in table {figure}")
    return found


# ---- meshes as a stage made them (plots/traces.py) ------------------------------------------------------------------


def prepare_meshes(source: Source) -> Drawing:
    tables: dict[str, list[Block]] = {}
    variables: dict[str, object] = {"classes": CLASSES, "least_class": LEAST_CLASS}
    every: list[Triangle] = []
    said = []
    for i, mesh in enumerate(traces.MESHES):
        triangles = triangles_of(source.trace(mesh.name, traces.MESH_COLUMNS), source.trace_path(mesh.name))
        every += triangles
        least, mean = least_and_mean(triangles)
        tables |= {f"triangles{i}": quality_blocks(triangles), f"edges{i}": edge_blocks(triangles)}
        variables |= {f"title{i}": mesh.title, f"caption{i}": f"least {least:.2f}, mean {mean:.3f}",
                      f"numbers{i}": class_numbers(triangles)}
        said.append(f"{mesh.title}: {points_in(triangles)} points, {len(triangles)} triangles, quality {least:.2f} or more, "
                    f"{mean:.3f} in the mean")
    counts = [0] * CLASSES
    for one in every:
        counts[one.quality_class] += 1
    tables["shares"] = [Block("triangles", [(number, 100 * count / len(every)) for number, count in enumerate(counts)])]
    return Drawing(
        tables=tables,
        variables=variables,
        emulated=False,
        subtitle=f"{traces.MESHES[0].stage} on the CPU engine, as it wrote them: {len(every)} triangles, coloured by twice the "
                 "radius of the inscribed circle over the circumscribed one's.",
        ours="; ".join(said) + ". A corner of less than 60 degrees has no equilateral triangle, and the wing's tail is one of 16.",
        alt="Meshes of five domains, and a bar chart of how many of all triangles are how good, in the same colours: blue where "
            f"a triangle is nearly equilateral, orange and red where it is flat. {'; '.join(said)}. Triangles are small "
            "around the hole of the square and around the wing that is cut out of the ellipse, and grow with the distance.")


def rows_beside(source: Source) -> tuple[list[Row], list[Row], str]:
    """Of the circle: the rows of the stages with kernels and the serial one's, at the sizes that both were measured
    at, and the engine."""
    rows, engine = select(source, RUNS, STAGES)
    serial = select_serial(source, RUNS)
    sizes = {row.n for row in rows} & {row.n for row in serial}
    if not sizes:
        raise DataError(f"{source.rows_path(CHAPTER)}: no n of both {SERIAL} and the stages with kernels")
    return [row for row in rows if row.n in sizes], [row for row in serial if row.n in sizes], engine


# ---- tables I and II: times --------------------------------------------------------------------------------------------


def gains_over(serial: Sequence[Point], own: Sequence[Point]) -> list[tuple[int, float]]:
    at = {point.n: point.median for point in own}
    return [(point.n, point.median / at[point.n]) for point in serial if at.get(point.n)]


def prepare_times(source: Source, kernels: bool) -> Drawing:
    """Table I, whole runs, or table II, the kernels alone and the loops of the serial stage that they replace."""
    rows, serial, engine = rows_beside(source)
    points = points_of([*serial, *rows], (SERIAL, *STAGES), kernels)
    gains = {stage: gains_over(points[SERIAL], points[stage]) for stage in STAGES}
    recorded = source.kind == "recorded"
    then = list(cells_of("II" if kernels else "I", "kernels_speedup_over_cpu" if kernels else "speedup_over_cpu", SHARED).items())
    # Its tables print no time of the kernels.
    seed = [Block(name, list(cells_of("I", "time", stage).items())) for stage, name in SEED_NAMES.items()
            if recorded and not kernels]
    if recorded:
        source.reading(SEED_FILE)
    seconds = [value for one in points.values() for value in ends_of(one)] + [row[1] for block in seed for row in block.rows]
    ratios = [ratio for one in gains.values() for _, ratio in one] + ([value for _, value in then] if recorded else [])
    sizes = sorted({row.n for row in [*rows, *serial]})
    time_low, time_high = log_range(seconds, 0.36)
    gain_low, gain_high = log_range(ratios, 0.28)
    n, at = at_largest_n(points)
    listed = ", ".join(f"{stage} {short_time(at[stage].median)}" for stage in (SERIAL, *STAGES))
    gained = ", ".join(f"{stage} {short_ratio(at[SERIAL].median / at[stage].median)}" for stage in STAGES)
    tables = {"time": [Block(stage, point_rows(points[stage])) for stage in (SERIAL, *STAGES)],
              "gain": [Block(stage, one) for stage, one in gains.items()],
              "printed": [Block(SEED_NAMES[SHARED], then)]}
    if seed:
        tables["seed"] = seed
    what = "kernels alone" if kernels else "whole runs"
    return Drawing(
        tables=tables,
        variables={"time_low": time_low, "time_high": time_high, "gain_low": gain_low, "gain_high": gain_high,
                   "n_low": sizes[0] / 1.25, "n_high": sizes[-1] * 1.25, "n_tics": tics(spread(sizes)), "show_printed": int(recorded),
                   "show_seed": int(bool(seed)),
                   "time_title": "Kernels alone, s" if kernels else "Whole runs, triangulations included, s"},
        subtitle=provenance([*rows, *serial], engine, source.kind, serial[0].device),
        emulated=engine == "emu",
        ours=f"At {short_count(n)} points, {what}: {listed}; over {SERIAL}: {gained}.",
        alt=f"Line chart of time against points, {what}, for {SERIAL} and {', '.join(STAGES)} on {device_label(rows, engine)}"
            + (f", beside {', '.join(SEED_NAMES.values())} in grey" if seed else "")
            + f", and of the speed-up over {SERIAL}, both on logarithmic axes: at {short_count(n)} points {gained}"
            + (f", beside the seed's {short_ratio(then[0][1])} to {short_ratio(then[-1][1])}" if recorded else "") + ".")


def spread(sizes: Sequence[int]) -> list[int]:
    """Those that a logarithmic axis has room to name."""
    found: list[int] = []
    for n in sizes:
        if not found or n >= 2 * found[-1]:
            found.append(n)
    return found


# ---- table II: counts --------------------------------------------------------------------------------------------------

COUNTS = {"iterations": "Iterations", "triangulations": "Triangulations"}


def span(counts: Sequence[int]) -> str:
    """`39`, `39 to 41`; nothing of none."""
    if not counts:
        return ""
    return grouped(min(counts)) + (f" to {grouped(max(counts))}" if max(counts) > min(counts) else "")


def counts_of(reports: Sequence[Report], stage: str, field: str, engine: str, path: object) -> dict[int, int]:
    """By n; of runs that were recorded twice the last."""
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
    """The rest of table II: how often all was moved, and how often triangulated."""
    rows, serial, engine = rows_beside(source)
    path, reports = source.reports_path(CHAPTER), source.reports(CHAPTER)
    recorded = source.kind == "recorded"
    tables: dict[str, list[Block]] = {}
    variables: dict[str, object] = {"show_seed": int(recorded)}
    said, sizes = [], sorted({row.n for row in rows})
    for field, title in COUNTS.items():
        ours = {stage: {n: count for n, count in counts_of(reports, stage, field, "cpu" if stage == SERIAL else engine, path).items()
                        if n in sizes} for stage in (SERIAL, *STAGES)}
        seed = {stage: cells_of("II", field, stage) for stage in (SERIAL, SHARED)}
        tables[field] = [Block(stage, sorted(ours[stage].items())) for stage in (SERIAL, SHARED)]
        tables[f"seed{field}"] = [Block(name, list(seed[stage].items()))
                                  for stage, name in ((SERIAL, SEED_NAMES[SERIAL]), (SHARED, SEED_NAMES[SHARED]))]
        shown = [list(ours[stage].values()) for stage in (SERIAL, SHARED)] + ([list(one.values()) for one in seed.values()] * recorded)
        low, high = log_range([value for one in shown for value in one], 0.26)
        variables |= {f"{field}_low": low, f"{field}_high": high, f"{field}_title": title}
        n = max(set.intersection(*(set(one) for one in ours.values())))
        said.append(f"{span([one[n] for one in ours.values()])} {field}")
    source.reading(SEED_FILE)
    then = " and ".join(f"{grouped(cells_of('II', field, SHARED)[max(cells_of('II', field))])} {field}" for field in COUNTS)
    words = f"At {short_count(n)} points our stages take {' with '.join(said)}"
    return Drawing(
        tables=tables,
        variables={"n_low": sizes[0] / 1.25, "n_high": sizes[-1] * 1.25, "n_tics": tics(spread(sizes)), **variables},
        subtitle=f"{origin([*rows, *serial], engine, source.kind, serial[0].device)}. Last of {repeats_of([*rows, *serial])}.",
        emulated=engine == "emu",
        ours=f"{words}; the seed's GPU took {then} at {short_count(max(cells_of('II', 'iterations')))}.",
        alt=f"Two line charts against points, of the iterations and of the triangulations that {SERIAL} and {SHARED} take on "
            f"{device_label(rows, engine)}" + (", beside the seed's on its CPU and its GPU in grey" if recorded else "") + f". {words}.")


# ---- figure 8: where the time goes -------------------------------------------------------------------------------------

SHARES = ("kernels", "copies", "set-up", "host: triangulations")


def shares_of(row: Row) -> tuple[float, ...]:
    """Percent of a run; in no phase are the triangulations."""
    copies = row.copy_in_ms + row.copy_out_ms
    parts = (row.kernels_ms, copies, row.setup_ms)
    return tuple(100 * part / row.total_ms for part in (*parts, max(0.0, row.total_ms - sum(parts))))


def prepare_shares(source: Source) -> Drawing:
    """Figure 8 of the seed, of every stage."""
    rows, serial, engine = rows_beside(source)
    every = [*serial, *rows]
    n, _ = at_largest_n(points_of(every, (SERIAL, *STAGES)))
    stages = (SERIAL, *STAGES)
    medians = {stage: [quartiles(part)[1] for part in zip(*(shares_of(row) for row in every if (row.stage, row.n) == (stage, n)))]
               for stage in stages}
    then = cells_of("8", "copies_share", SHARED)[0]
    if source.kind == "recorded":
        source.reading(SEED_FILE)
    blocks = []
    for i, name in enumerate(SHARES):
        blocks.append(Block(name, [(y, sum(medians[stage][:i]), sum(medians[stage][:i + 1]))
                                   for y, stage in enumerate(stages)]))
    copies = {stage: medians[stage][1] for stage in STAGES}
    listed = ", ".join(f"{stage} {short_ratio(share)} %" for stage, share in copies.items())
    of_gpu = 100 * medians[SHARED][1] / (medians[SHARED][0] + medians[SHARED][1])
    words = f"At {short_count(n)} points copies take of a run: {listed}"
    return Drawing(
        tables={"shares": blocks, "names": [Block("stages", [(y, stage) for y, stage in enumerate(stages)])],
                "copies": [Block("copies", [(y, f"{short_ratio(medians[stage][1])} %") for y, stage in enumerate(stages)
                                            if stage != SERIAL])]},
        variables={"rows": len(stages), "show_then": int(source.kind == "recorded"), "then": then,
                   "then_words": f"{then:g} %", "then_name": "seed 004, version 2"},
        subtitle=f"{origin(every, engine, source.kind, serial[0].device)}. {short_count(n)} points, {repeats_of([row for row in every if row.n == n])}: "
                 "medians of each share.",
        emulated=engine == "emu",
        ours=f"{words}. Of {SHARED}'s kernels and copies together these are {short_ratio(of_gpu)} %; the 12 bytes that tell the "
             "host after each iteration how it went on count with the kernels.",
        alt=f"Stacked bar chart of how a run's time is shared out on {device_label(rows, engine)}, a bar a stage: "
            + "; ".join(f"{stage} " + ", ".join(f"{name} {short_ratio(share)} %" for name, share in zip(SHARES, medians[stage])
                                         if share > 0 and name != "set-up")
                        for stage in stages) + ".")


# ---- tables of the README -----------------------------------------------------------------------------------------------


def own_rows(rows: Sequence[Row]) -> list[Row]:
    return newest([row for row in rows if matches(row, RUNS.match) and row.engine in ("cpu", "gpu")])


def medians_at(rows: Sequence[Row], kernels: bool = False) -> dict[tuple[str, int], float]:
    return {(stage, point.n): point.median for stage in (SERIAL, *STAGES)
            for point in times([row for row in rows if row.stage == stage], kernels)}


def device_of(rows: Sequence[Row], engine: str) -> str:
    return next((row.device for row in rows if row.engine == engine), "")


def gain_cell(found: Mapping[tuple[str, int], float], stage: str, n: int) -> str:
    slow, fast = found.get((SERIAL, n)), found.get((stage, n))
    return ratio(slow / fast) if slow and fast else ""


def table_1(rows: Sequence[Row], _reports: Sequence[Report], _limits: Mapping[str, Limits]) -> list[str]:
    """Whole runs: the seed's three programs and our six."""
    own = own_rows(rows)
    found = medians_at(own)
    if not found:
        raise DataError(f"{CHAPTER}: no rows of the circle")
    stages = (SERIAL, *STAGES)
    heads = ["points", *SEED_NAMES.values(), "seed 004: speed-up", *stages, "speed-up of 02", "of 04", "of 05"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for n, gained in cells_of("I", "speedup_over_cpu", SHARED).items():
        then = [short_time(cells_of("I", "time", stage)[n]) for stage in SEED_NAMES]
        here = [short_time(found[stage, n]) if (stage, n) in found else "" for stage in stages]
        lines.append(f"| {' | '.join([grouped(n), *then, ratio(gained), *here, *(gain_cell(found, stage, n) for stage in (SHARED, RESIDENT, FLIPS))])} |")
    return [*lines, "", "Whole runs, triangulations included: the seed's on a Xeon of 3.2 GHz and a Tesla C2070, ours, medians, on one core "
            f"of {device_of(own, 'cpu')} and on {device_of(own, 'gpu')}."]


def table_2(rows: Sequence[Row], reports: Sequence[Report], _limits: Mapping[str, Limits]) -> list[str]:
    """Counts of both of the seed's programs, of ours that the stages before the last agree in, and of the last; the
    kernels' speed-up."""
    found = medians_at(own_rows(rows), kernels=True)
    heads = ["points", *(head for field in COUNTS for head in (f"seed 004: {field}, CPU and GPU", field, "of 05")),
             "seed 004: speed-up", "speed-up of 02", "of 03", "of 04", "of 05"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    ours = {field: [counts_of(reports, stage, field, "cpu" if stage == SERIAL else "gpu", CHAPTER) for stage in (SERIAL, *STAGES)]
            for field in COUNTS}
    for n, gained in cells_of("II", "kernels_speedup_over_cpu", SHARED).items():
        cells = [grouped(n)]
        for field in COUNTS:
            cells.append(", ".join(grouped(cells_of("II", field, stage)[n]) for stage in (SERIAL, SHARED)))
            *alike, last = ours[field]
            cells += [span([one[n] for one in alike if n in one]), span([last[n]] if n in last else [])]
        lines.append(f"| {' | '.join([*cells, ratio(gained), *(gain_cell(found, stage, n) for stage in (SHARED, GATHER, RESIDENT, FLIPS))])} |")
    return [*lines, "", "Speed-ups are of the kernels over the serial loops that they replace, without triangulations and copies, medians; "
            f"05's with its repairs; counts those of {SERIAL} to {RESIDENT}, which agree, and of {FLIPS}."]


TABLES: dict[str, TableMaker] = {"published": table_1, "table_2": table_2}

FIGURES = (
    Figure("distmesh_mesh", "", CHAPTER, "Distmesh, meshes by quality", "It shows no mesh.",
           prepare_meshes, in_readme=True, said_by="Seed 004"),
    Figure("distmesh_table_1", "", CHAPTER, "Distmesh, whole runs",
           "Version 2 is 6.28 times as fast as its CPU at 20 109 points, 0.95 times at 1452 (table I).",
           partial(prepare_times, kernels=False), in_readme=True, said_by="Seed 004", script="distmesh_times"),
    Figure("distmesh_table_2", "", CHAPTER, "Distmesh, kernels alone",
           "The kernels are 4.77 to 53.38 times as fast as what they replace (table II).",
           partial(prepare_times, kernels=True), in_readme=True, said_by="Seed 004", script="distmesh_times"),
    Figure("distmesh_counts", "", CHAPTER, "Distmesh, iterations and triangulations",
           "Nearly the same work on CPU and GPU, so that the times compare (table II).", prepare_counts, in_readme=True,
           said_by="Seed 004"),
    Figure("distmesh_copies", "", CHAPTER, "Distmesh, where the time goes",
           "Copies are 5.7 % of the time: what limits it is the computation (2.3.2, figure 8).", prepare_shares, in_readme=True,
           said_by="Seed 004"),
)
