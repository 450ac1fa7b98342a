# SPDX-License-Identifier: MIT
"""The check of directions and circles in make lint: it names what is planted, with its place, and
accepts code without faults."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKER = Path(__file__).with_name("directions.py")

CPP_TREE = {
    "common/low/number.hpp": "#pragma once\n#include <vector>\n",
    "common/high/sum.hpp": '#include "common/low/number.hpp"\n',
    "common/high/sum.cpp": '#include "common/high/sum.hpp"\n  #  include "common/low/number.hpp"\n',
    "chapters/sums/problem/sums.hpp": '#include "common/high/sum.hpp"\n',
    "chapters/sums/01_plain/sums.cu": '#include "problem/sums.hpp"\n',
}
PYTHON_TREE = {
    "common/tools/lib/stages.py": "import json\n",
    "common/tools/list_stages.py": "from common.tools.lib import stages\n",
    "plots/page/page.py": "from common.tools.lib.stages import find\n",
}


class DirectionsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        subprocess.run(["git", "init", "--quiet", str(self.root)], check=True)

    def check(self, files: dict[str, str]) -> tuple[int, str]:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        result = subprocess.run(
            [sys.executable, str(CHECKER), str(self.root)],
            env={**os.environ, "PYTHONPATH": str(CHECKER.parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(result.stderr, "")
        return result.returncode, result.stdout

    def test_code_without_circles_passes(self) -> None:
        self.assertEqual(self.check(CPP_TREE | PYTHON_TREE), (0, ""))

    def test_each_need_against_the_direction_is_named(self) -> None:
        engine = "common/emulator/"
        cases = {
            ("common/tools/run.py", "plots/records/rows.py"): False,
            ("plots/records/rows.py", "common/tools/run.py"): True,
            ("plots/records/rows.py", "plots/drawing/figure.py"): False,
            ("plots/drawing/figure.py", "plots/sums/figures.py"): False,
            ("plots/sums/figures.py", "plots/drawing/figure.py"): True,
            ("plots/sums/figures.py", "plots/trees/figures.py"): False,
            ("plots/page/site.py", "plots/sums/figures.py"): True,
            ("plots/page/site.py", "plots/maintain/record.py"): False,
            ("plots/commands/figures.py", "plots/maintain/record.py"): True,
            ("plots/commands/figures.py", "tests/sums/data.py"): False,
            ("tests/sums/data.py", "plots/commands/figures.py"): True,
            ("common/base/number.hpp", "chapters/sums/problem/sums.hpp"): False,
            ("chapters/sums/01/sums.cu", "common/base/number.hpp"): True,
            ("chapters/sums/01/sums.cu", "chapters/trees/problem/tree.hpp"): False,
            ("chapters/sums/01/sums.cu", "tests/sums/data.hpp"): False,
            ("chapters/sums/label.py", "plots/sums/figures.py"): False,
            (engine + "engine/grid.cpp", engine + "libraries/pools/pool.hpp"): False,
            (engine + "libraries/pools/pool.cpp", engine + "engine/grid.hpp"): True,
            (engine + "include/cuda_runtime.h", engine + "libraries/pools/pool.hpp"): True,
        }
        for (source, target), allowed in cases.items():
            with self.subTest(source=source, target=target):
                python = source.endswith(".py")
                dotted = target.removesuffix(".py").replace("/", ".")
                need = f"import {dotted}" if python else f'#include "{target}"'
                status, text = self.check({source: f"\n\n{need}\n", target: ""})
                verb = "imports" if python else "includes"
                said = f"against the direction: {source}:3 {verb} {target}\n"
                self.assertEqual((status, text), (0, "") if allowed else (1, said))
                for name in (source, target):
                    (self.root / name).unlink()

    def test_a_header_and_its_source_are_one_module(self) -> None:
        status, text = self.check(
            {
                "common/low/a.hpp": "",
                "common/low/b.hpp": "",
                "common/low/a.cpp": '#include "common/low/a.hpp"\n#include "common/low/b.hpp"\n',
                "common/low/b.cpp": '\n#include "common/low/a.hpp"\n',
            }
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            text,
            "circle of C++ modules: common/low/a -> common/low/b -> common/low/a\n"
            "    common/low/a.cpp:2 includes common/low/b.hpp\n"
            "    common/low/b.cpp:2 includes common/low/a.hpp\n",
        )

    def test_a_circle_of_folders_without_one_of_modules(self) -> None:
        status, text = self.check(
            CPP_TREE
            | {
                "common/high/error.hpp": "",
                "common/low/number.cpp": '#include "number.hpp"\n'
                '#include "common/high/error.hpp"\n',
            }
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            text,
            "circle of C++ folders: common/high -> common/low -> common/high\n"
            "    common/high/sum.cpp:2 includes common/low/number.hpp\n"
            "    common/low/number.cpp:2 includes common/high/error.hpp\n",
        )

    def test_includes_within_a_chapter_and_beside_the_file(self) -> None:
        status, text = self.check(
            CPP_TREE
            | {
                "chapters/sums/problem/sums.cpp": '#include "problem/oracle.hpp"\n',
                "chapters/sums/problem/oracle.hpp": '#include "../device/kernels.cuh"\n',
                "chapters/sums/device/kernels.cuh": '#include "problem/sums.hpp"\n',
            }
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            text.splitlines()[0],
            "circle of C++ modules: chapters/sums/device/kernels -> "
            "chapters/sums/problem/sums -> chapters/sums/problem/oracle -> "
            "chapters/sums/device/kernels",
        )

    def test_headers_that_replace_the_toolkit_s(self) -> None:
        status, text = self.check(
            {
                "common/emulator/include/cuda_runtime.h": "#include <emulator/launch.hpp>\n",
                "common/emulator/include/emulator/launch.hpp": "#include <cuda_runtime.h>\n",
            }
        )
        self.assertEqual(status, 1)
        self.assertIn(
            "C++ modules: common/emulator/include/cuda_runtime -> "
            "common/emulator/include/emulator/launch -> ",
            text,
        )

    def test_each_circle_is_named(self) -> None:
        status, text = self.check(
            {
                "common/a/a.hpp": '#include "b.hpp"\n',
                "common/a/b.hpp": '#include "a.hpp"\n',
                "common/c/c.hpp": '#include "d.hpp"\n',
                "common/c/d.hpp": '#include "c.hpp"\n',
            }
        )
        self.assertEqual(status, 1)
        self.assertEqual(text.count("circle of C++ modules"), 2)

    def test_a_longer_circle_over_the_same_edge_is_not_named(self) -> None:
        status, text = self.check(
            {
                "common/a/a.hpp": '#include "b.hpp"\n',
                "common/a/b.hpp": '#include "c.hpp"\n',
                "common/a/c.hpp": '#include "b.hpp"\n#include "a.hpp"\n',
            }
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            [line for line in text.splitlines() if line.startswith("circle")],
            ["circle of C++ modules: common/a/b -> common/a/c -> common/a/b"],
        )

    def test_python_modules(self) -> None:
        status, text = self.check(
            PYTHON_TREE
            | {
                "plots/page/tables.py": "def draw():\n    import plots.page.figures\n",
                "plots/page/figures.py": "from plots.page import tables\n",
            }
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            text,
            "circle of Python modules: plots/page/figures -> plots/page/tables"
            " -> plots/page/figures\n"
            "    plots/page/figures.py:1 imports plots/page/tables.py\n"
            "    plots/page/tables.py:2 imports plots/page/figures.py\n",
        )

    def test_python_folders_and_relative_imports(self) -> None:
        status, text = self.check(
            PYTHON_TREE
            | {
                "plots/page/names.py": "",
                "plots/page/index.py": "from ..records import rows\n",
                "plots/records/rows.py": "from plots.page.names import NAME\n",
            }
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            text.splitlines()[1],
            "circle of Python folders: plots/page -> plots/records -> plots/page",
        )


if __name__ == "__main__":
    unittest.main()
