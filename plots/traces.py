#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of small runs on the CPU engine, from which drawings are made: what the kernels really did.

    plots/traces.py            runs the stages with --trace and writes plots/data/traces/*.csv
    plots/traces.py --check    writes nothing; exit 1 where a trace is another than the recorded one

network.csv      each access of the bitonic sort of 16 keys (quicksort/02_bitonic_shared)
partition.csv    the partition of one list by four blocks (quicksort/10_big), accesses of neighbouring
                 keys joined: a run of keys a row. A GTX 980's segment is short enough to look at, and
                 the blocks run in a shuffled order, so that the places come from the atomics alone.
mergepath.csv    each access of the first threads that merge two runs of 512 keys (mergesort/05_merge_path)
storms.csv       the layer of storms/04_max_reduction in each wave: after its particles, after the relaxation, and
                 which cells its kernels found to be peaks and the maximum
kmeans_*.csv     no trace but an answer: points with their clusters, and centroids (kmeans/05_device_loop)
distmesh_*.csv   no trace either: triangles with their quality (distmesh/04_resident)
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from measurements import DataError, read_stages, stages_file

FOLDER = Path(__file__).resolve().parent / "data" / "traces"
NETWORK_COLUMNS = ("step", "lane", "operation", "space", "offset", "value")
MERGEPATH_COLUMNS = ("thread", "operation", "object", "place", "value")
MERGEPATH_THREADS = 20  # as many diagonals as a drawing has room for
CLUSTERS_COLUMNS = ("x", "y", "label", "size")  # a centroid has a size, a point has none
CLUSTERS_UNIT = 2**20  # of a point's coordinates: a drawing shows no more of 2^30, and files stay small
MESH_COLUMNS = ("x1", "y1", "x2", "y2", "x3", "y3", "quality")
MESH_DIGITS = 5  # of coordinates up to 2: a drawing shows no more, and files stay small
LAYERS_COLUMNS = ("wave", "cell", "updated", "relaxed", "found")  # found: `peak`, `maximum` or nothing
PARTITION_COLUMNS = ("block", "operation", "object", "offset", "bytes", "count", "value")

Record = dict[str, str]


def network_rows(records: Iterable[Record]) -> list[tuple[object, ...]]:
    """The accesses as they are, without what is the same in all."""
    return [tuple(one[name] for name in NETWORK_COLUMNS) for one in records]


def partition_rows(records: Iterable[Record]) -> list[tuple[object, ...]]:
    """Of the first kernel the accesses to global memory, in the order in which blocks ran. Loads and
    stores of a block that lie side by side are one row; of what stands alone the value is kept."""
    rows: list[tuple[object, ...]] = []
    runs: dict[tuple[str, str, str, str], dict[int, str]] = {}
    block = ""

    def close() -> None:
        for (operation, name, size, _), found in runs.items():
            step, begin = int(size), None
            for offset in sorted(found):
                if begin is None:
                    begin = offset
                if offset + step not in found:
                    count = (offset - begin) // step + 1
                    rows.append((block, operation, name, begin, size, count,
                                 found[begin] if count == 1 else ""))
                    begin = None
        runs.clear()

    for one in records:
        if one["grid"] != "1" or one["space"] != "global":
            continue
        if one["block"] != block:
            close()
            block = one["block"]
        # Atomics stay apart, one a line of the source: their order is what matters.
        line = one["line"] if one["operation"] == "atomic" else ""
        key = (one["operation"], one["object"], one["bytes"], line)
        runs.setdefault(key, {})[int(one["offset"])] = one["value"]
    close()
    return rows


def mergepath_rows(records: Iterable[Record]) -> list[tuple[object, ...]]:
    """Of the first threads of the first merge each access, thread by thread; places count keys."""
    found: dict[int, list[tuple[object, ...]]] = {thread: [] for thread in range(MERGEPATH_THREADS)}
    for one in records:
        thread = 32 * int(one["warp"]) + int(one["lane"])
        if (one["grid"], one["block"]) == ("2", "0") and thread in found:
            found[thread].append((thread, one["operation"], one["object"], int(one["offset"]) // 4, one["value"]))
    return [row for rows in found.values() for row in rows]


def single(text: str) -> str:
    """A float32 as the kernel had it: the trace writes its bits. Nine digits tell all of them apart."""
    return f"{struct.unpack('f', struct.pack('I', int(text)))[0]:.9g}"


def layers_rows(records: Iterable[Record]) -> list[tuple[object, ...]]:
    """A wave begins with the copy of the layer, which is what the particles made of it. Relaxed are all cells but
    the ends. The peaks are stored as a list, which the reduction folds: its first place is the maximum's at last."""
    waves: dict[str, dict[str, dict[int, str]]] = {}  # by the copy's launch
    for one in records:
        kernel, cell, wide = one["kernel"], int(one["offset"]) // int(one["bytes"]), one["bytes"] == "8"
        if one["operation"] != "store" or kernel in ("clear_layer_kernel", "update_layer_kernel"):
            continue
        if kernel == "copy_layer_kernel":
            found = waves.setdefault(one["grid"], {name: {} for name in ("updated", "relaxed", "peak", "place")})
            found["updated"][cell] = single(one["value"])
        elif kernel == "relax_layer_kernel":
            found["relaxed"][cell] = single(one["value"])
        elif wide and cell == 0:
            found["place"][0] = one["value"]
        elif not wide and kernel == "find_peaks_kernel" and one["value"] != "0":
            found["peak"][cell] = single(one["value"])
    rows: list[tuple[object, ...]] = []
    for number, found in enumerate(waves.values(), 1):
        for cell, updated in sorted(found["updated"].items()):
            mark = "" if cell not in found["peak"] else "maximum" if str(cell) == found["place"][0] else "peak"
            rows.append((number, cell, updated, found["relaxed"].get(cell, updated), mark))
    return rows


@dataclass(frozen=True)
class Trace:
    """A run, and what is kept of it."""

    name: str
    stage: str
    arguments: tuple[str, ...]
    columns: tuple[str, ...]
    keep: Callable[[Iterable[Record]], list[tuple[object, ...]]]
    environment: dict[str, str] = field(default_factory=dict)
    skip: str = ""  # lines that begin so are millions, and not looked at


TRACES = (
    Trace("network", "quicksort/02_bitonic_shared", ("--n", "16"), NETWORK_COLUMNS, network_rows),
    Trace("partition", "quicksort/10_big", ("--n", "8105"), PARTITION_COLUMNS, partition_rows,
          {"EMULATOR_DEVICE": "gtx980", "EMULATOR_SCHEDULE": "shuffled:2"}),
    Trace("mergepath", "mergesort/05_merge_path", ("--n", "1024", "--no-races"), MERGEPATH_COLUMNS, mergepath_rows,
          skip="1,"),  # the selection sort before the merge
    Trace("storms", "storms/04_max_reduction", ("--n", "200", "--particles", "8", "--waves", "3"), LAYERS_COLUMNS,
          layers_rows),
)


@dataclass(frozen=True)
class Clustering:
    """A run of k-means that goes on until no centroid moves, of which the answer is kept."""

    name: str
    title: str
    arguments: tuple[str, ...]
    stage: str = "kmeans/05_device_loop"


def clustering(input_name: str, k: int) -> Clustering:
    # As many points as an SVG of less than 200 kB holds.
    return Clustering(f"kmeans_{input_name}", f"{input_name}, k = {k}",
                      ("--input", input_name, "--k", str(k), "--init", "plusplus", "--n", "1800", "--max-iterations", "1000"))


CLUSTERINGS = (clustering("gaussians", 9), clustering("rings", 6), clustering("uniform", 16))


@dataclass(frozen=True)
class Meshing:
    """A run of distmesh until no point moves, of which the answer is kept."""

    name: str
    title: str
    arguments: tuple[str, ...]
    stage: str = "distmesh/04_resident"


# As many triangles as an SVG of less than 200 kB holds.
MESHES = (
    Meshing("distmesh_circle", "circle", ("--n", "100")),
    Meshing("distmesh_square_hole", "square with hole, graded", ("--domain", "square-hole", "--n", "170")),
    Meshing("distmesh_ring", "ring", ("--domain", "ring", "--n", "100")),
    Meshing("distmesh_ellipse_wing", "ellipse minus wing, graded",
            ("--domain", "ellipse", "--minus", "wing:0,0,2", "--grading", "4", "--n", "200")),
    Meshing("distmesh_wing", "wing", ("--domain", "wing", "--n", "90")),
)


def executable(stages: list[dict], stage: str, engine: str = "count") -> Path:
    for one in stages:
        if one["stage"] == stage and engine in one["executables"]:
            program = stages_file().parent / one["executables"][engine]
            if not program.exists():
                raise DataError(f"{program}: not built yet: make build{'-counters' if engine == 'count' else ''} makes it")
            return program
    raise DataError(f"{stages_file()}: {stage} is not built with {'counters' if engine == 'count' else engine}")


def start(program: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    result = subprocess.run([str(program), "--check", "--quiet", *arguments], env=os.environ | environment,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        raise DataError(f"{program}: {result.stderr.strip()}")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def run(trace: Trace, program: Path) -> str:
    """The trace's table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.csv"
        start(program, ["--trace", str(path), *trace.arguments], trace.environment)
        with path.open(encoding="utf-8", newline="") as file:
            lines = (line for line in file if not trace.skip or not line.startswith(trace.skip))
            return table(trace.columns, trace.keep(csv.DictReader(lines)))


def clusters_rows(points: Iterable[Record], centroids: Iterable[Record]) -> list[tuple[object, ...]]:
    """The centroids as they are, then the points, rounded to CLUSTERS_UNIT."""
    rows: list[tuple[object, ...]] = [(one["x"], one["y"], label, one["size"]) for label, one in enumerate(centroids)]
    return rows + [(round(int(one["x"]) / CLUSTERS_UNIT), round(int(one["y"]) / CLUSTERS_UNIT), one["label"], "")
                   for one in points]


def run_clustering(one: Clustering, program: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        points, centroids = Path(folder) / "points.csv", Path(folder) / "centroids.csv"
        start(program, [*one.arguments, "--output", str(points), "--centroids", str(centroids)], {})
        with points.open(encoding="utf-8", newline="") as first, centroids.open(encoding="utf-8", newline="") as second:
            return table(CLUSTERS_COLUMNS, clusters_rows(csv.DictReader(first), csv.DictReader(second)))


def mesh_rows(triangles: Iterable[Record]) -> list[tuple[object, ...]]:
    return [tuple(round(float(one[name]), MESH_DIGITS) for name in MESH_COLUMNS) for one in triangles]


def run_meshing(one: Meshing, program: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.csv"
        start(program, [*one.arguments, "--output", str(path)], {})
        with path.open(encoding="utf-8", newline="") as file:
            return table(MESH_COLUMNS, mesh_rows(csv.DictReader(file)))


Recorded = Trace | Clustering | Meshing
RECORDED: tuple[Recorded, ...] = (*TRACES, *CLUSTERINGS, *MESHES)


def made(one: Recorded, stages: list[dict]) -> str:
    """The text that is kept of a run, made anew."""
    if isinstance(one, Trace):
        return run(one, executable(stages, one.stage))
    program = executable(stages, one.stage, "emu")
    return run_clustering(one, program) if isinstance(one, Clustering) else run_meshing(one, program)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Records the traces that drawings are made from.")
    parser.add_argument("--check", action="store_true", help="compare with what is recorded")
    parser.add_argument("--data", type=Path, default=FOLDER, help="folder of the records")
    arguments = parser.parse_args(words)
    status = 0
    try:
        stages = read_stages(stages_file())
        for trace in RECORDED:
            path = arguments.data / f"{trace.name}.csv"
            text = made(trace, stages)
            if not arguments.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                print(path)
            elif text != path.read_text(encoding="utf-8"):
                print(f"{path}: {trace.stage} does otherwise now: run plots/traces.py")
                status = 1
    except (DataError, OSError) as error:
        print(f"traces.py: {error}", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
