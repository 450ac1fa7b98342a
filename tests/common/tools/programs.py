# SPDX-License-Identifier: MIT
"""The stages' executables, and shared parts of the tests of their command lines."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.gpus import has_gpu
from tests.chapters.stage_programs import is_tested
from tests.common.tools.course_tools import BUILD


@dataclass(frozen=True)
class Program:
    stage: str
    chapter: str
    engine: str
    path: Path
    has_libraries: bool  # its kernels may all be a library's

    def __str__(self) -> str:
        return f"{self.stage} {self.engine}"


def programs() -> list[Program]:
    """The executables that can run on this machine."""
    return [program for program in all_programs() if program.engine != "gpu" or has_gpu()]


def all_programs() -> list[Program]:
    records = json.loads((BUILD / "stages.json").read_text(encoding="utf-8"))
    return [
        Program(record["stage"], record["chapter"], engine, BUILD / path, bool(record["libraries"]))
        for record in records
        for engine, path in record["executables"].items()
        if is_tested(record, engine)
    ]


def one_per_chapter_and_engine(chapter: str = "") -> list[Program]:
    """Of each chapter the last stage with kernels of its own."""
    chosen: dict[tuple[str, str], Program] = {}
    for program in programs():
        if chapter in ("", program.chapter) and not program.has_libraries:
            chosen[program.chapter, program.engine] = program
    return list(chosen.values())


@dataclass(frozen=True)
class Refusal:
    """A run that must fail with this status and one line on stderr that matches all the parts."""

    program: Program
    status: int
    arguments: list[str]
    parts: tuple[str, ...]


class ProgramTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_program(self, program: Program, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(program.path), *arguments],
            cwd=self.folder,
            text=True,
            capture_output=True,
            check=False,
            timeout=100,
        )

    def assert_all_refused(self, refusals: list[Refusal]) -> None:
        """Runs several at the same time, since most of a short run on a GPU is its start. No run
        may leave a file behind."""
        before = sorted(self.folder.rglob("*"))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda one: self.run_program(one.program, *one.arguments), refusals)
            for refusal, result in zip(refusals, results, strict=True):
                with self.subTest(f"{refusal.program} {' '.join(refusal.arguments)}"):
                    self.assertEqual(
                        result.returncode, refusal.status, result.stdout + result.stderr
                    )
                    self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                    self.assertEqual(result.stdout, "")
                    for part in refusal.parts:
                        self.assertRegex(result.stderr, part)
        self.assertEqual(sorted(self.folder.rglob("*")), before, "a file was left behind")

    def assert_refused(
        self, program: Program, status: int, arguments: list[str], *parts: str
    ) -> None:
        self.assert_all_refused([Refusal(program, status, arguments, parts)])

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name
