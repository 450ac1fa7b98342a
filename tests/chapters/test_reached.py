# SPDX-License-Identifier: MIT
"""What no run with --check reaches is named: kernels, branches, and exceptions that are none.

    test_reached.py STAGES_JSON
"""

import json
import subprocess
import sys
import unittest
from pathlib import Path

from tests.chapters import reached

STAGES_JSON = Path(sys.argv.pop(1))
STAGE = next(
    one["stage"]
    for one in json.loads(STAGES_JSON.read_text(encoding="utf-8"))
    if one["stage"].endswith("_bitonic_two_kernels")
)
SOURCE = """__global__ void __launch_bounds__(threads_of(4), 2)
    add_kernel(int* sum) {
    *sum += 1;
}
__device__ int later(int x);
int on_host() {
    return 1;
}
template <int K>
__device__ int twice(int x) { return K * x; }
"""


class ReachedTest(unittest.TestCase):
    def test_functions_of_the_device(self) -> None:
        numbers, kernels = reached.device_lines(SOURCE.splitlines())
        self.assertEqual((numbers, kernels), ({1, 2, 3, 4, 10}, {"add_kernel"}))

    def test_what_is_listed_must_be_true(self) -> None:
        found = [("a.cu:3", "return;")]
        self.assertEqual(reached.judge("s", found, [("return;", "")]), [])
        (missing,) = reached.judge("s", found, [])
        self.assertEqual(missing, "s: no run with --check reaches a.cu:3: return;")
        (needless,) = reached.judge("s", [], [("return;", "")])
        self.assertIn("lists `return;`, which a run reaches", needless)

    def test_a_small_size_reaches_less(self) -> None:
        stages = json.loads(STAGES_JSON.read_text(encoding="utf-8"))
        stage = next(one for one in stages if one["stage"] == STAGE)
        program = STAGES_JSON.parent / stage["executables"]["count"]
        result = subprocess.run(
            [sys.executable, reached.__file__, STAGE, stage["source"], program, "--check"]
            + ["--n", "1"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("no run with --check reaches", result.stderr)


if __name__ == "__main__":
    unittest.main()
