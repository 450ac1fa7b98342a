#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A copy of a whole vector is one memory access where accesses are counted.

usage: test_vector_accesses.py CXX -I DIR…

The counting build instruments loads and stores with g++ -fsanitize=thread: each call to
__tsan_readN or __tsan_writeN in the assembly is one access of N bytes.
"""

import re
import subprocess
import sys
import unittest

COMPILER = []


def accesses(body):
    """The instrumented accesses of a function, in order, as "read16" and the like."""
    program = f'#include <vector_functions.h>\nextern "C" {body}\n'
    result = subprocess.run(
        [*COMPILER, "-std=c++20", "-O1", "-fsanitize=thread", "-x", "c++", "-S", "-o", "-", "-"],
        input=program,
        capture_output=True,
        text=True,
        check=True,
    )
    return re.findall(r"__tsan_((?:read|write)\d+)", result.stdout)


class VectorAccessTest(unittest.TestCase):
    def test_a_copy_into_a_local_is_one_load(self):
        for vector, size in (
            ("float4", 16),
            ("int2", 8),
            ("double2", 16),
            ("uchar4", 4),
            ("short2", 4),
            ("longlong2", 16),
        ):
            with self.subTest(vector):
                self.assertEqual(
                    accesses(
                        f"double f(const {vector}* p, int i) {{ {vector} v = p[i]; "
                        "return static_cast<double>(v.x) * v.y; }"
                    ),
                    [f"read{size}"],
                )

    def test_a_stored_vector_is_one_store(self):
        self.assertEqual(
            accesses("void f(float4* p, float x) { *p = make_float4(x, x + 1, x + 2, x + 3); }"),
            ["write16"],
        )
        self.assertEqual(accesses("void f(int2* p, int x) { *p = {x, x + 1}; }"), ["write8"])

    def test_a_copy_in_memory_is_one_load_and_one_store(self):
        self.assertEqual(accesses("void f(float4* p) { p[0] = p[1]; }"), ["read16", "write16"])

    def test_32_bytes_are_two_accesses(self):
        self.assertEqual(accesses("void f(double4* p) { p[0] = p[1]; }"), ["read16", "write16"] * 2)

    def test_a_component_is_an_access_of_its_own(self):
        self.assertEqual(
            accesses("float f(const float4* p) { return p->x + p->w; }"), ["read4", "read4"]
        )
        self.assertEqual(
            accesses("float f(const float3* p) { float3 v = *p; " "return v.x + v.y + v.z; }"),
            ["read4"] * 3,
        )


if __name__ == "__main__":
    COMPILER = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
