# SPDX-License-Identifier: MIT
"""Shared by the tests of the tools: running a tool, a build folder of stand-in stages,
and recording them."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from plots.maintain import record
from common.tools.lib import stages
from plots.records import sweeps

ROOT = Path(__file__).resolve().parents[3]
TOOLS = ROOT / "common" / "tools"
BUILD = Path(os.environ.get("COURSE_BUILD", ROOT / "build"))

sys.dont_write_bytecode = True

# Behaves like a stage's executable: it writes rows and JSON, its default n depends on the engine,
# its time grows with n, and an error is one line.
STAND_IN = r"""#!{python}
import json, os, sys, time
flags = dict(zip(sys.argv[1::1], sys.argv[2::1]))
if os.environ.get("STAND_IN_ECHO"):
    print(" ".join(sys.argv[1:]))
n = int(flags.get("--n", 3000 if "{engine}" in ("cpu", "opencl") else 1000))
seed, repeats = flags.get("--seed", "1"), int(flags.get("--repeats", 5))
with open(os.environ.get("STAND_IN_LOG", os.devnull), "a") as log:
    log.write(f"{stage} n={{n}} repeats={{repeats}} warmup={{flags.get('--warmup')}}\n")
if n >= int(os.environ.get("STAND_IN_TOO_LARGE", n + 1)):
    print(f"stand-in: --n {{n}} needs 5.1 GB of device memory, 3.6 GB are free", file=sys.stderr)
    sys.exit(2)
if n == int(os.environ.get("STAND_IN_FAILS_AT", -1)):
    print("stand-in: wrong result", file=sys.stderr)
    sys.exit(1)
time.sleep(float(os.environ.get("STAND_IN_SECONDS", 0)))
chapter, _, name = "{stage}".partition("/")
if name == os.environ.get("STAND_IN_WITHOUT_DEVICE"):
    print("stand-in: no usable OpenCL device", file=sys.stderr)
    sys.exit(77)
if name == os.environ.get("STAND_IN_REFUSES"):
    print(f"stand-in: --n {{n}}: this stage sorts at most 500", file=sys.stderr)
    sys.exit(2)
ms = n * {factor}
values = {{flag.strip("-").replace("-", "_"): value for flag, value in flags.items()}}
parameters = os.environ.get("STAND_IN_PARAMETERS", "steps=0").format(**values)
columns = dict(date="2026-01-01T00:00:00Z", version="1", chapter=chapter, stage=name,
    engine="{engine}", device="Stand-In 1", n=n, parameters=parameters,
    grid="", input="plummer", seed=int(seed), repeat=1, setup_ms=0.5, copy_in_ms=0.5,
    kernels_ms=ms, copy_out_ms=0.5, total_ms=ms + 1.5, bytes=1.0,
    operations=1.0, verified="true")
if "--csv" in flags:
    with open(flags["--csv"], "w") as out:
        out.write(",".join(columns) + "\n")
        for repeat in range(1, repeats + 1):
            out.write(",".join(map(str, dict(columns, repeat=repeat).values())) + "\n")
if "--json" in flags:
    statistics = ("median", "lower_quartile", "upper_quartile")
    summary = {{phase: dict.fromkeys(statistics, columns[phase])
               for phase in ("kernels_ms", "total_ms")}}
    with open(flags["--json"], "w") as out:
        json.dump(dict(rows=[columns], summary=summary, limit=dict(kind="memory", share=0.5),
                       report=dict(estimate="3.14"), verdict="equal", verified=True,
                       device_limits=json.loads(os.environ.get("STAND_IN_LIMITS", "{{}}"))), out)
"""


SWEEP = """
[[sweep]]
name = "small"
scope = "here"
engine = "emu"
figures = ["sums"]
stages = ["plain..flags"]
n = [10, 20, 40]
match = { input = "plummer", steps = 0 }
repeats = 3
"""


def run_tool(name: str, build: Path = BUILD, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs this module of common.tools, or of plots. Keywords in upper case are variables of make or of the environment."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if key
        not in (
            "STAGE",
            "CHAPTER",
            "ENGINE",
            "ARGS",
            "FILE",
            "A",
            "B",
            "DATA",
            "JSON",
            "SWEEPS",
            "FROM",
            "NAME",
            "DEVICE",
            "LAB",
            "SEED",
            "DIR",
            "PLAN",
            "BUDGET",
        )
    }
    environment |= {
        "COURSE_BUILD": str(build),
        "PYTHONPATH": str(ROOT),
    } | variables
    return subprocess.run(
        [sys.executable, "-m", name if name.startswith("plots.") else f"common.tools.{name}"],
        env=environment,
        text=True,
        capture_output=True,
        check=False,
        timeout=120,
    )


class ToolTest(unittest.TestCase):
    """A test with `build`, a build folder whose stages are stand-ins."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.build = self.folder / "build"
        records = [
            self.stand_in("sums", "00_cpu", "cpu", 0.04),
            self.stand_in("sums", "01_plain", "emu", 0.02, source_text="a\nb\n"),
            self.stand_in(
                "sums", "02_flags", "emu", 0.01, source_text="a\nb\n", cuda_args=["-ftz=true"]
            ),
            self.stand_in("other", "01_alone", "emu", 0.01, source_text="a\nc\n"),
        ]
        (self.build / "stages.json").write_text(json.dumps(records), encoding="utf-8")

    def stand_in(
        self,
        chapter: str,
        name: str,
        engine: str,
        factor: float,
        source_text: str = "",
        cuda_args: list[str] | None = None,
    ) -> dict[str, object]:
        program = self.build / "chapters" / chapter / f"{chapter}_{name}"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(
            STAND_IN.format(
                python=sys.executable, stage=f"{chapter}/{name}", engine=engine, factor=factor
            ),
            encoding="utf-8",
        )
        program.chmod(0o755)
        # In a folder of its own, below its chapter's: the course looks for headers in that one.
        ending = ".cpp" if engine == "cpu" else ".cu"
        source = self.folder / chapter / name / f"{chapter}_{name}{ending}"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(source_text, encoding="utf-8")
        return {
            "stage": f"{chapter}/{name}",
            "chapter": chapter,
            "name": name,
            "source": str(source),
            "technique": f"technique of {name}",
            "compared_with": "",
            "cuda_args": cuda_args or [],
            "emu_args": [],
            "more_checks": [],
            "counter_args": [],
            "counter_unit": "number",
            "executables": {engine: str(program.relative_to(self.build))},
        }

    def assert_refused(
        self, result: subprocess.CompletedProcess[str], status: int, *parts: str
    ) -> None:
        """The run must fail with this status and one line on stderr that has all the parts."""
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)


class RecorderTest(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.folder / "data"
        self.log = self.folder / "log"
        self.sweep_file = self.folder / "sums" / "sweep.toml"
        self.sweep_file.parent.mkdir(exist_ok=True)
        self.set_environment("COURSE_BUILD", str(self.build))
        self.set_environment("STAND_IN_LOG", str(self.log))

    def set_environment(self, name: str, value: str) -> None:
        before = os.environ.get(name)
        os.environ[name] = value
        self.addCleanup(
            lambda: os.environ.pop(name, None)
            if before is None
            else os.environ.__setitem__(name, before)
        )

    def record(self, text: str = SWEEP) -> record.Recorder:
        self.sweep_file.write_text(text, encoding="utf-8")
        recorder = record.Recorder(stages.load_stages(), self.data)
        with contextlib.redirect_stdout(io.StringIO()):
            recorder.record_all(sweeps.read_sweeps(self.sweep_file, "here", {"emu"}))
        return recorder

    def keys(self, name: str = "sums") -> list[tuple[str, str, str]]:
        table = record.Table(self.data / f"{name}.csv", record.ROW_COLUMNS)
        return [(row["stage"], row["n"], row["repeat"]) for row in table.rows]
