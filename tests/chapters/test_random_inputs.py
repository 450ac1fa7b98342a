# SPDX-License-Identifier: MIT
"""Random inputs at the edge of what a chapter can compute, for the serial stages, which are right.

    test_random_inputs.py [--count N] [--seed S] STAGES_JSON

Each run must end with a right result or with a refusal in one line. Status 1, a wrong result, would
accuse a stage that is right.
"""

import math
import random
import sys
import tempfile
import unittest
from pathlib import Path

from tests.chapters.stage_programs import execute, load_programs
from tests.common.fuzz.rounds import cases

STAGES_JSON = Path(sys.argv.pop())
SYSTEMS = 300
DOMAINS = 150


def random_bodies(source: random.Random) -> str:
    mass = source.choice([0, 1e-30, 1, 1e3, 1e15])
    size = source.choice([0, 1e-8, 1e-3, 1, 1e3, 5e5])
    speed = source.choice([0, 1e-20, 1, 1e3, 1e10])
    lines: list[str] = []
    for _ in range(source.choice([1, 2, 3, 5, 17])):
        if lines and source.random() < 0.3:  # a coincident body
            lines.append(lines[-1])
            continue
        numbers = [source.random() * mass]
        numbers += [source.uniform(-size, size) for _ in range(3)]
        numbers += [source.uniform(-speed, speed) for _ in range(3)]
        lines.append(" ".join(map(repr, numbers)))
    return "\n".join(lines) + "\n"


def random_polygon(source: random.Random) -> str:
    kind = source.choice(["regular", "star", "spike"])
    corners = source.choice([3, 4, 5, 6, 9])
    if kind == "spike":
        half, length = 10 ** source.uniform(-6, -0.6), source.uniform(0.2, 3)
        points = [(0, 0), (1, 0), (1, 0.5 - half), (1 + length, 0.5), (1, 0.5 + half)]
        points += [(1, 1), (0, 1)]
    else:
        turn = source.random()
        points = []
        for i in range(corners):
            radius = source.uniform(0.3, 1) if kind == "star" else 1
            angle = 2 * math.pi * i / corners + turn
            points.append((radius * math.cos(angle), radius * math.sin(angle)))
    return "".join(f"{x!r} {y!r}\n" for x, y in [*points, points[0]])


def random_shape(source: random.Random) -> str:
    x, y, scale = source.uniform(-1, 1), source.uniform(-1, 1), source.uniform(0.05, 0.7)
    name = source.choice(["circle", "square", "ellipse", "wing"])
    return f"{name}:{x:.3f},{y:.3f},{scale:.3f}"


class RandomInputTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "input"

    def run_all(self, chapter: str, runs: list[tuple[str, list[str]]]) -> None:
        program = load_programs(STAGES_JSON, "emu", chapter)["00_cpu"]
        right = 0
        for content, arguments in runs:
            self.file.write_text(content, encoding="utf-8")
            if content:
                arguments = ["--input", str(self.file), *arguments]
            result = execute(program, "--check", *arguments)
            told = f"{arguments}\n{content}{result.stderr}"
            self.assertIn(result.returncode, (0, 2), told)
            self.assertEqual(result.stderr.count("\n"), result.returncode // 2, told)
            right += result.returncode == 0
        self.assertGreater(right, len(runs) // 4)

    def test_systems_of_bodies(self) -> None:
        runs = []
        for _, source in cases("systems of bodies", SYSTEMS):
            arguments = ["--steps", source.choice(["0", "1", "2", "10", "100"])]
            if source.random() < 0.5:
                softenings = ["5e-7", "1e-3", "1", "1e5", "1e6", "1e9", "1e308"]
                arguments += ["--softening", source.choice(softenings)]
            if source.random() < 0.5:
                steps = ["1e-45", "1e-30", "1e-9", "1e-3", "1", "1e5", "1e30", "1e308"]
                arguments += ["--dt", source.choice(steps)]
            runs.append((random_bodies(source), arguments))
        self.run_all("nbody", runs)

    def test_domains(self) -> None:
        runs = []
        for _, source in cases("domains", DOMAINS):
            points = source.choice([source.randint(3, 30), source.randint(30, 300)])
            arguments = ["--n", str(points), "--max-iterations", "1000"]
            if source.random() < 0.5:
                runs.append((random_polygon(source), arguments))
                continue
            names = ["circle", "ellipse", "square-hole", "ring", "wing"]
            arguments += ["--domain", source.choice(names)]
            for flag in ("--minus", "--plus"):
                if source.random() < 0.5:
                    arguments += [flag, random_shape(source)]
            runs.append(("", arguments))
        self.run_all("distmesh", runs)


if __name__ == "__main__":
    unittest.main()
