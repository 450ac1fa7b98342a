# SPDX-License-Identifier: MIT
"""make counters: tables, the sentences of the lesson, JSON, and refusals."""

import contextlib
import io
import json
import os
import subprocess
import sys
import unittest
from typing import Any
from unittest import mock

from common.tools import counters as counters_command
from common.tools.lib import hardware
from tests.common.tools.course_tools import ToolTest, run_tool

# Copies the counters from the file beside it, and prints the message that a test wants.
STAND_IN = r"""#!{python}
import os, shutil, sys
words = sys.argv[1:]
if "--fail" in words:
    print("stand-in: no such flag", file=sys.stderr)
    sys.exit(2)
with open(__file__ + ".log", "w") as log:
    log.write(" ".join(words[3:]))
assert words[:2] == ["--quiet", "--counters"], words
shutil.copy(__file__ + ".json", words[2])
if "--find" in words:
    print("emulator: race: kernel pull_kernel", file=sys.stderr)
    sys.exit(1)
"""


def totals(**counted: Any) -> dict[str, Any]:
    nothing = {
        "global_load": ("requests", "lanes", "sectors", "ideal_sectors"),
        "global_store": ("requests", "lanes", "sectors", "ideal_sectors"),
        "global_atomic": ("requests", "lanes", "sectors", "ideal_sectors", "depth"),
        "shared_load": ("requests", "lanes", "wavefronts", "ideal_wavefronts"),
        "shared_store": ("requests", "lanes", "wavefronts", "ideal_wavefronts"),
        "shared_atomic": ("requests", "lanes", "wavefronts", "ideal_wavefronts", "depth"),
        "constant_load": ("requests", "lanes"),
    }
    made: dict[str, Any] = {name: dict.fromkeys(parts, 0) for name, parts in nothing.items()}
    made |= dict.fromkeys(
        ("barriers", "collectives", "basic_blocks", "basic_block_lanes", "alive_lanes"), 0
    )
    for name, value in counted.items():
        made[name] = made[name] | value if isinstance(value, dict) else value
    return made


def line(
    number: int,
    operation: str,
    requests: int,
    instructions: int = 1,
    space: str = "",
    size: int = 0,
    **more: int,
) -> dict[str, Any]:
    parts = dict.fromkeys(
        (
            "lanes",
            "alive_lanes",
            "sectors",
            "ideal_sectors",
            "wavefronts",
            "ideal_wavefronts",
            "depth",
        ),
        0,
    )
    return (
        {
            "file": "sums_kernel.cu",
            "line": number,
            "operation": operation,
            "space": space,
            "bytes": size,
            "requests": requests,
            "instructions": instructions,
        }
        | parts
        | more
    )


def document(
    kernels: list[dict[str, Any]], findings: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    none = {"calls": 0, "bytes": 0}
    return {
        "schema": 1,
        "program": "stand-in",
        "device": "h200",
        "transfers": {
            "host_to_device": {"calls": 1, "bytes": 4096},
            "device_to_host": none,
            "device_to_device": none,
            "set": none,
        },
        "kernels": kernels,
        "findings": findings or [],
    }


def pull_kernel(loads: int, size: int) -> dict[str, Any]:
    """Two warps read 100 elements by `loads` requests of one sector each, and store once."""
    walked, stored = {"sectors": 200 * loads, "ideal_sectors": 200 * loads}, {
        "sectors": 8,
        "ideal_sectors": 8,
    }
    return {
        "name": "pull_kernel",
        "launches": 1,
        "blocks": 1,
        "threads": 64,
        "warps": 2,
        "totals": totals(
            global_load={"requests": 200 * loads, "lanes": 6400 * loads} | walked,
            global_store={"requests": 2, "lanes": 64} | stored,
            basic_blocks=206,
            basic_block_lanes=206 * 32,
            alive_lanes=6464,
        ),
        "lines": [
            line(1, "block", 2),
            line(2, "load", 200 * loads, loads, "global", size, **walked),
            line(2, "block", 200),
            line(3, "store", 2, 1, "global", 4, **stored),
        ],
    }


def tile_kernel() -> dict[str, Any]:
    return {
        "name": "tile_kernel<64>",
        "launches": 1,
        "blocks": 1,
        "threads": 64,
        "warps": 2,
        "totals": totals(
            shared_load={"requests": 2, "lanes": 64, "wavefronts": 8, "ideal_wavefronts": 2},
            shared_atomic={
                "requests": 2,
                "lanes": 64,
                "wavefronts": 64,
                "ideal_wavefronts": 2,
                "depth": 32,
            },
            barriers=4,
            basic_blocks=2,
            basic_block_lanes=64,
        ),
        "lines": [
            line(1, "load", 2, 1, "shared", 4, wavefronts=8, ideal_wavefronts=2),
            line(2, "barrier", 4),
        ],
    }


class CountersTest(ToolTest):
    def setUp(self) -> None:
        super().setUp()
        path = self.build / "stages.json"
        self.records = json.loads(path.read_text(encoding="utf-8"))
        self.add("01_plain", [pull_kernel(4, 4), tile_kernel()])
        self.add("02_flags", [pull_kernel(1, 16)])
        path.write_text(json.dumps(self.records), encoding="utf-8")

    def add(self, name: str, kernels: list[dict[str, Any]]) -> None:
        record = next(one for one in self.records if one["name"] == name)
        program = self.build / "chapters" / "sums" / f"sums_{name}.count"
        program.write_text(STAND_IN.replace("{python}", sys.executable), encoding="utf-8")
        program.chmod(0o755)
        self.add_counters(name, kernels)
        source = self.folder / name / "sums_kernel.cu"
        source.parent.mkdir()
        source.write_text(
            f"for (...) {{\nelement = list[j];  // {name}\nsums[i] = sum;\n", encoding="utf-8"
        )
        record |= {"source": str(source), "counter_args": ["--n", "64", "--steps", "1"]}
        record["executables"]["count"] = str(program.relative_to(self.build))

    def add_counters(self, name: str, kernels: list[dict[str, Any]]) -> None:
        path = self.build / "chapters" / "sums" / f"sums_{name}.count.json"
        path.write_text(json.dumps(document(kernels)), encoding="utf-8")

    def counters(self, **variables: str):
        return run_tool("counters", self.build, **variables)

    def log(self, name: str) -> str:
        return (self.build / "chapters" / "sums" / f"sums_{name}.count.log").read_text(
            encoding="utf-8"
        )

    def test_two_stages(self) -> None:
        result = self.counters(A="sums/01_plain", B="sums/02_flags")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for pattern in (
            r"^sums/01_plain -> sums/02_flags, --n 64 --steps 1$",
            r"^pull_kernel +01_plain +02_flags$",
            r"^  global load requests +800 +200 +x0\.25$",
            r"^    sectors per request +1 +1$",
            r"^  inner loop, iterations \(one number\) +200 +200$",
            r"^    global load requests per number +4 +1 +x0\.25$",
            r"^  inner loop: 4 -> 1 global load requests per number$",
            r"^  global loads of 4 B -> 16 B per lane$",
            r"^  - sums_kernel.cu:2 +global load 4 B +element = list\[j\];  // 01_plain +800 +800$",
            r"^  \+ sums_kernel.cu:2 +global load 16 B +element = list\[j\];  // 02_flags +200 +200",
            r"^    bank conflicts +6 +-$",
            r"^    lanes on one word +16 +-$",
            r"^  only in sums/01_plain$",
        ):
            self.assertRegex(result.stdout, f"(?m){pattern}")
        # Rows that are equal in both stages or 0 in both are left out.
        self.assertNotRegex(result.stdout, "sums_kernel.cu:3|constant load")
        self.assertEqual(result.stdout, self.counters(A="sums/01_plain", B="sums/02_flags").stdout)

    def test_a_kernel_that_became_a_template_is_the_same(self) -> None:
        one = pull_kernel(1, 16)
        self.add_counters(
            "02_flags",
            [one | {"name": "sums::pull_kernel<int>"}, tile_kernel() | {"name": "other_kernel"}],
        )
        result = self.counters(A="sums/01_plain", B="sums/02_flags")
        self.assertRegex(
            result.stdout, r"(?m)^pull_kernel -> sums::pull_kernel<int> +01_plain +02_flags$"
        )
        self.assertRegex(
            result.stdout, r"(?m)^  inner loop: 4 -> 1 global load requests per number$"
        )
        self.assertEqual(result.stdout.count("only in"), 2)  # the tile and the other one
        self.assertEqual(result.stdout.count("pull_kernel"), 2)  # in one heading
        # If two kernels match equally well, neither is chosen.
        self.add_counters(
            "02_flags", [one | {"name": "pull_kernel<int>"}, one | {"name": "pull_kernel<long>"}]
        )
        self.assertEqual(
            self.counters(A="sums/01_plain", B="sums/02_flags").stdout.count("only in"), 4
        )

    def test_one_stage(self) -> None:
        result = self.counters(A="sums/01_plain")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^  global load requests +800$")
        self.assertRegex(
            result.stdout, r"(?m)^  sums_kernel.cu:3 +global store 4 B +sums\[i\] = sum; +2 +8$"
        )
        self.assertNotIn("->", result.stdout)

    def test_a_counter_that_is_new_is_shown_by_its_name(self) -> None:
        one = pull_kernel(1, 16)
        one["totals"]["global_load"]["cached_sectors"] = 150
        one["totals"]["tensor_products"] = 12
        self.add_counters("02_flags", [one])
        result = self.counters(A="sums/02_flags")
        self.assertRegex(result.stdout, r"(?m)^  global load cached sectors +150$")
        self.assertRegex(result.stdout, r"(?m)^  tensor products +12$")

    def test_a_stage_against_itself(self) -> None:
        result = self.counters(A="sums/01_plain", B="sums/01_plain")
        self.assertEqual(result.stdout.count("no counter differs"), 2)

    def test_json(self) -> None:
        result = self.counters(A="sums/01_plain", B="sums/02_flags", JSON="-")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        made = json.loads(result.stdout)
        pull, tile = made["kernels"]
        self.assertEqual(made["stages"], ["sums/01_plain", "sums/02_flags"])
        self.assertEqual(pull["a"]["counters"]["global_load.requests"], 800)
        self.assertEqual(pull["a"]["per_number"]["global_load.requests"], 4)
        self.assertEqual(pull["ratio"]["global_load.requests"], 0.25)
        self.assertIsNone(tile["b"])
        path = self.folder / "out.json"
        self.assertIn("pull_kernel", self.counters(A="sums/01_plain", JSON=str(path)).stdout)
        self.assertEqual(json.loads(path.read_text(encoding="utf-8"))["stages"], ["sums/01_plain"])

    def test_what_depends_on_the_compiler_is_marked(self) -> None:
        """Loads differ in this run, sectors of stores in another one, and loads' sectors only
        there: this run decides. An own number within the bar is not marked."""
        path = self.folder / "recorded" / "nvidia-h200" / "counters.csv"
        path.parent.mkdir(parents=True)
        rows = [
            ("--n 64 --steps 1", "load requests", 800, 400),
            ("--n 64 --steps 1", "load sectors", 800, 790),
            ("--n 9", "load sectors", 80, 20),
            ("--n 9", "store sectors", 8, 2),
            ("--n 9", "store requests", 2, 2),
        ]
        path.write_text(
            ",".join(hardware.PROOF_COLUMNS)
            + "".join(
                f"\n2026-01-01,sums/01_plain,{run},sums::pull_kernel,1,{name},{a},{b},{a / b}"
                for run, name, a, b in rows
            )
        )
        chosen = {"COURSE_BUILD": str(self.build), "A": "sums/01_plain", "ARGS": ""}
        said = io.StringIO()
        with (
            mock.patch.dict(os.environ, chosen),
            mock.patch.object(hardware, "RECORDED", self.folder / "recorded"),
            contextlib.redirect_stdout(said),
        ):
            self.assertEqual(counters_command.main(), 0)
        for pattern in (
            r"  global load requests +800 ~$",
            r"    sectors per request +1$",
            r"    sectors per request +4 ~$",
            r"    global load requests per number +4 ~$",
            r"  sums_kernel.cu:2 +global load 4 B .* 800 ~ +800$",
            r"  sums_kernel.cu:3 +global store 4 B .* 2 +8 ~$",
            r"  ~ a GPU counts otherwise, mostly because nvcc ",
            r"    global load requests: GPU: 400$",
            r"    global store sectors: GPU: 0\.25 times as many \(with --n 9\)$",
        ):
            self.assertRegex(said.getvalue(), f"(?m)^{pattern}")
        self.assertEqual(said.getvalue().count(" GPU"), 3)

    def test_arguments_replace_the_chapter_s(self) -> None:
        self.counters(A="sums/01_plain", ARGS="--n=7 --seed 2")
        self.assertEqual(self.log("01_plain"), "--steps 1 --n=7 --seed 2")

    def test_a_finding_is_shown_and_fails(self) -> None:
        path = self.build / "chapters" / "sums" / "sums_01_plain.count.json"
        path.write_text(
            json.dumps(document([tile_kernel()], [{"kind": "race_in_block"}])), encoding="utf-8"
        )
        result = self.counters(A="sums/01_plain", ARGS="--find")
        self.assertEqual(result.returncode, 1)
        self.assertIn("race: kernel pull_kernel", result.stderr)
        self.assertIn("tile_kernel<64>", result.stdout)

    def record(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                sys.executable,
                "-m",
                "plots.maintain.record_counters",
                "--data",
                str(self.folder / "data"),
                *words,
            ],
            env=os.environ | {"COURSE_BUILD": str(self.build)},
            text=True,
            capture_output=True,
            check=False,
            timeout=60,
        )

    def test_recorded_counters_are_compared_with_counted_ones(self) -> None:
        result = self.record("sums")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = (self.folder / "data" / "sums.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], "stage,arguments,kernel,counter,value")
        self.assertIn("01_plain,--n 64 --steps 1,pull_kernel,loop.global_load.requests,800", lines)
        self.assertIn("02_flags,--n 64 --steps 1,,host_to_device.bytes,4096", lines)
        lines = (self.folder / "lines" / "sums.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0].split(",")[:6], "stage file line text requests lanes".split())
        self.assertIn("01_plain,sums_kernel.cu,3,sums[i] = sum;,2,0,8,8,0,0,2,0,0,0", lines)
        self.assertEqual(self.record("--check", "sums/01_plain", "sums/02_flags").returncode, 0)
        self.add_counters("02_flags", [pull_kernel(2, 8)])
        result = self.record("--check", "sums/01_plain", "sums/02_flags")
        self.assertEqual(result.returncode, 1)
        self.assertIn(
            "sums/02_flags, pull_kernel: global_load.requests is 400, recorded 200", result.stdout
        )
        self.assertNotIn("01_plain", result.stdout)

    def test_a_page_may_name_another_run(self) -> None:
        """Then its stage and the one before are counted with that one's flags, too."""
        path = self.build / "stages.json"
        for record in self.records:
            if record["name"] == "02_flags":
                record["compared_with"] = "01_plain"
        path.write_text(json.dumps(self.records), encoding="utf-8")
        page = self.folder / "02_flags" / "README.md"
        mark = "<!-- counters:all `--n 7 --steps 2` barriers -->\n<!-- end -->\n"
        page.write_text(f"# P\n\n{mark}{mark}", encoding="utf-8")
        self.assertEqual(self.record("sums").returncode, 0)
        lines = (self.folder / "data" / "sums.csv").read_text(encoding="utf-8").splitlines()
        for name, requests in (("01_plain", 800), ("02_flags", 200)):
            runs = [line.split(",")[1] for line in lines if line.startswith(f"{name},")]
            self.assertEqual(
                list(dict.fromkeys(runs)), ["--n 64 --steps 1", "--n 7 --steps 2"], name
            )
            self.assertEqual(runs.count("--n 64 --steps 1"), runs.count("--n 7 --steps 2"))
            self.assertIn(
                f"{name},--n 7 --steps 2,pull_kernel,loop.global_load.requests,{requests}", lines
            )
        self.assertEqual(self.record("--check", "sums/01_plain").returncode, 0)
        page.write_text(f"# P\n\n{mark.replace('--n 7', '--n 8')}", encoding="utf-8")
        self.assertEqual(self.record("--check", "sums/01_plain").returncode, 1)

    def test_refusals(self) -> None:
        for status, part, variables in (
            (2, "A is missing", {}),
            (2, "B=sums/09_none", {"A": "sums/01_plain", "B": "sums/09_none"}),
            (2, "has no kernels", {"A": "sums/00_cpu"}),
            (2, "different chapters", {"A": "sums/01_plain", "B": "other/01_alone"}),
            (77, "was not built", {"A": "other/01_alone"}),
            (2, "stand-in: no such flag", {"A": "sums/01_plain", "ARGS": "--fail"}),
            (1, "JSON=/none/x", {"A": "sums/01_plain", "JSON": "/none/x"}),
        ):
            with self.subTest(part):
                self.assert_refused(self.counters(**variables), status, part)


if __name__ == "__main__":
    unittest.main()
