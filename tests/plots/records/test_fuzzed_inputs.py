#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damaged inputs of every other reader in Python: the list of stages, READMEs, proofs, verdicts,
counters, and the table that the recorder continues.

    test_fuzzed_inputs.py [--count N] [--seed S]

Each reads them or raises a ToolError of one line that names the file, as in
test_fuzzed_records.py. Documents in JSON are damaged also in their values, so that most of them are
still JSON.
"""

import contextlib
import io
import json
import os
import random
import shutil
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

# pylint: disable=wrong-import-position
from common.emulator.translator.source import read_source
from common.tools import list_stages
from plots.maintain import record_counters
from plots.maintain.prove import kernels as proof_kernels
from plots.records import proof_rows
from plots.maintain.prove import verdict_rows
from common.tools.lib.columns import REPORT_COLUMNS, ROW_COLUMNS
from common.tools.lib.counting import read_counted
from common.tools.lib.csv_tables import read_records
from common.tools.lib.files import read_text
from common.tools.lib.marks import fill
from common.tools.lib.measuring import device_of
from tests.common.tools.made_up_stages import made_up_stage
from common.tools.lib.stages import ToolError, find_stage, load_stages, pick_engine
from common.tools.programs.own_program import checked_file
from plots.distmesh import meshes
from plots.distmesh.animation import read_report
from plots.drawing.figure import Figure
from plots.nbody.animation import read_trajectory
from plots.page.chapters import all_chapters
from plots.page.readme import first_sentence, read_document
from plots.page.stage_head import read_head
from plots.records.folders import COUNTERS, LINES, TRACES
from plots.records.lines import read_lines
from plots.records.shared_table import Table
from plots.records.source import Source
from tests.common.fuzz.rounds import cases
from tests.plots.records import test_fuzzed_records as records

VALUES = (None, True, 0, -1, 1e308, "", "\0", "\ud800", [], {}, [1], "x" * 5000, {"emu": 3}, [[]])
USUAL_TRACES = 10  # cases of each trace: to prepare a figure takes a while
COUNTED = {
    "schema": 1,
    "device": "H200",
    "transfers": {
        way: {"calls": 1, "bytes": 4}
        for way in ("host_to_device", "device_to_host", "device_to_device", "set")
    },
    "findings": [],
    "kernels": [
        {
            "name": "sum_kernel",
            **dict.fromkeys(("launches", "blocks", "threads", "warps"), 2),
            "totals": {"barriers": 2, "global_load": {"requests": 8, "sectors": 32}},
            "lines": [
                {
                    **{"file": "sum.cu", "line": 3, "operation": operation, "space": space},
                    **{"bytes": 4, "instructions": 1, "requests": 8, "lanes": 256, "depth": 1},
                    **{"sectors": 32, "ideal_sectors": 32, "wavefronts": 8, "ideal_wavefronts": 8},
                }
                for operation, space in (("block", ""), ("load", "global"))
            ],
        }
    ],
}


def damaged_document(value: Any, draw: random.Random) -> Any:
    """The document with one value replaced, or one key dropped or renamed."""
    if not isinstance(value, (dict, list)) or not value or draw.random() < 0.1:
        return draw.choice(VALUES)
    value = value.copy()
    key = draw.choice(list(value)) if isinstance(value, dict) else draw.randrange(len(value))
    kind = draw.randrange(6)
    if kind == 0:
        del value[key]
    elif kind == 1 and isinstance(value, dict):
        value[key + "s"] = value.pop(key)
    else:
        value[key] = damaged_document(value[key], draw)
    return value


def read_stage_list(path: Path) -> None:
    """What `make list` and the choice of a stage do with it."""
    before = os.environ.get("COURSE_BUILD")
    os.environ["COURSE_BUILD"] = str(path.parent)
    try:
        for stage in load_stages():
            find_stage([stage], stage.stage)
            with contextlib.suppress(ToolError):
                pick_engine(stage, "emu")
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")):
            list_stages.main()
            sys.stdout.flush()
    finally:
        if before is None:
            del os.environ["COURSE_BUILD"]
        else:
            os.environ["COURSE_BUILD"] = before


def read_readme(path: Path) -> None:
    document = read_document(path)
    for text in document.sections.values():
        first_sentence(text)
    document.idea()
    fill(path.read_text(encoding="utf-8"), "path", ["| a |"], path)


def read_counters(path: Path) -> None:
    """A document of the engine's counters, as the proofs read it."""
    proof_kernels.read_emulated(path)


class DamagedInputs(unittest.TestCase):
    def check(
        self, read: Callable[[Path], object], source: Path, largest: int = records.LARGEST_BYTES
    ) -> None:
        whole = source.read_bytes()[:largest]
        whole = whole[: whole.rfind(b"\n") + 1]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, source.name)
            path.write_bytes(whole)
            self.check_one(read, path, "the sound file")
            for name, draw in cases(f"{read.__name__} {source.name}", records.ROUNDS):
                path.write_bytes(records.damaged(whole, draw))
                self.check_one(read, path, name)

    def check_document(self, read: Callable[[Path], object], name: str, document: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            for case, draw in cases(f"{read.__name__} {name}", 3 * records.ROUNDS):
                path.write_text(json.dumps(damaged_document(document, draw)), encoding="utf-8")
                self.check_one(read, path, case)

    def check_one(self, read: Callable[[Path], object], path: Path, what: str) -> None:
        try:
            read(path)
        except ToolError as error:
            said = str(error)
            self.assertNotEqual(what, "the sound file", said)
            self.assertIn(path.name, said)
            self.assertEqual(len(said.splitlines()), 1, repr(said))
            self.assertLess(len(said), 1000, said[:200])
        except Exception as error:  # pylint: disable=broad-exception-caught
            kept = Path(tempfile.gettempdir(), f"damaged-{path.name}")
            kept.write_bytes(path.read_bytes())
            raise AssertionError(f"{what}, kept as {kept}: {error!r}") from error

    def test_texts_without_an_end(self) -> None:
        for read in (read_text, read_trajectory, checked_source, read_source):
            with self.assertRaisesRegex(Exception, r"\A/dev/zero:.* is longer than 64 MiB.*\Z"):
                read(Path("/dev/zero"))

    def test_list_of_stages(self) -> None:
        build = Path(os.environ.get("COURSE_BUILD", ROOT / "build"))
        source = build / "stages.json"
        self.check(read_stage_list, source, 1 << 20)
        self.check_document(
            read_stage_list, "stages.json", json.loads(source.read_text(encoding="utf-8"))[:4]
        )

    def test_readmes(self) -> None:
        self.check(read_readme, ROOT / "chapters" / "nbody" / "README.md", 1 << 20)

    def test_tables_that_are_continued(self) -> None:
        for name, columns in (("nbody", ROW_COLUMNS), ("kmeans_report", REPORT_COLUMNS)):

            def continued(path: Path) -> None:
                table = Table(path, columns)
                table.append([dict.fromkeys(columns, "1")])
                self.assertEqual(len(Table(path, columns).rows), len(table.rows))

            self.check(continued, records.RECORDED / f"{name}.csv")

    def test_proofs_and_verdicts(self) -> None:
        for kind, name in ((proof_rows.Row, "counters"), (verdict_rows.Row, "verdicts")):

            def read(path: Path, kind: type[proof_rows.ProofRow] = kind) -> object:
                return proof_rows.read_rows(path, kind)

            self.check(read, records.RECORDED / f"{name}.csv")
        self.check(record_counters.read_rows, ROOT / "plots" / "data" / "counters" / "nbody.csv")
        self.check(read_lines, LINES / "nbody.csv")

    def test_counters(self) -> None:
        self.check_document(read_counters, "counters.json", COUNTED)

    def test_counters_of_a_stage(self) -> None:
        """The program that wrote them is the engine, so only its own errors may occur here."""
        read_counted(COUNTED, made_up_stage("sums", "01"), [])

    def test_heads_of_stages(self) -> None:
        self.check(read_head, ROOT / "chapters" / "nbody" / "01_float3" / "nbody.cu")

    def test_reports_and_meshes_of_an_animation(self) -> None:
        report = {"report": {"h0": "0.1", "iterations": "3", "converged": "not converged"}}
        self.check_document(read_report, "mesh.json", report)

        def read_mesh(path: Path) -> None:
            meshes.triangles_of(read_records(path, meshes.COLUMNS), path)

        self.check(read_mesh, records.ROOT / "plots" / "data" / "traces" / "distmesh_ring.csv")

    def test_traces_of_figures(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shutil.copytree(TRACES, folder / TRACES.name)
            source = Source("recorded", folder, None, (), folder / COUNTERS.name)
            figures = [figure for chapter in all_chapters() for figure in chapter.figures]
            for figure in figures:
                own = source.afresh()
                with contextlib.suppress(ToolError):  # a figure that has no trace
                    figure.drawing(own)
                for path in [one for one in own.read if one.parent.name == TRACES.name]:
                    whole = path.read_bytes()

                    def draw(_: Path, figure: Figure = figure) -> None:
                        figure.drawing(source.afresh())

                    for case, random_numbers in cases(f"{figure.name} {path.name}", USUAL_TRACES):
                        path.write_bytes(records.damaged(whole, random_numbers))
                        self.check_one(draw, path, case)
                    path.write_bytes(whole)

    def test_devices_of_runs(self) -> None:
        def read_device(path: Path) -> None:
            self.assertIsInstance(device_of(path.read_text(encoding="utf-8"), path.name), str)

        self.check_document(read_device, "run.json", {"rows": [{"device": "H200", "n": 3}]})

    def test_trajectories(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.csv")
            path.write_text(
                "step,body,x,y,z,vx,vy,vz\n"
                + "".join(f"{step},{body},0.5,1,0,0,0,0\n" for step in (0, 5) for body in (0, 1)),
                encoding="utf-8",
            )
            self.check(read_trajectory, path)


def checked_source(path: Path) -> Path:
    return checked_file(str(path))


if __name__ == "__main__":
    unittest.main()
