# SPDX-License-Identifier: MIT
"""What the toolkit's headers bring of the standard library, a program gets from the engine's, too:
some use std::chrono and include only cub/cub.cuh.

usage: test_brought_headers.py CXX -I DIR…
"""

import subprocess
import sys
import unittest

COMPILER = []

# A use of each header of the standard library, by nvcc 13.0's list of what a header of CUDA reads.
USES = {
    "cassert": "assert(true);",
    "cfloat": "double a = DBL_MAX; (void)a;",
    "chrono": "auto b = std::chrono::steady_clock::now(); (void)b;",
    "climits": "int c = INT_MAX; (void)c;",
    "cstdio": 'std::printf("");',
    "cstring": "std::memset(nullptr, 0, 0);",
    "stdexcept": 'std::runtime_error d("");',
    "string": 'std::string e = std::to_string(1) + "";',
    "array": "std::array<int, 2> f{};  (void)f;",
    "atomic": "std::atomic<int> g{0};",
    "iostream": 'std::cout << "" << std::endl;',
    "map": "std::map<int, int> h;",
    "memory": "auto i = std::make_unique<int>(1);",
    "mutex": "std::mutex j; std::lock_guard<std::mutex> k(j);",
    "optional": "std::optional<int> l;",
    "set": "std::set<int> m;",
    "tuple": "std::tuple<int, int> n(1, 2);",
}
COMMON = ("cassert", "cfloat", "chrono", "climits", "cstdio", "cstring", "stdexcept", "string")
BROUGHT = {
    "cub/cub.cuh": tuple(USES),
    "cooperative_groups.h": COMMON,
    "cuda/barrier": COMMON,
    "cuda/std/array": ("array", "cstring", "string"),
}


class BroughtHeadersTest(unittest.TestCase):
    def test_each_header_brings_what_the_toolkits_brings(self):
        for header, brought in BROUGHT.items():
            with self.subTest(header):
                body = "\n".join(USES[name] for name in brought)
                result = subprocess.run(
                    [*COMPILER, "-std=c++20", "-fsyntax-only", "-w", "-x", "c++", "-"],
                    input=f"#include <{header}>\nint main() {{\n{body}\n}}\n",
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    COMPILER = sys.argv[1:]
    sys.argv[1:] = ["--verbose"]
    unittest.main()
