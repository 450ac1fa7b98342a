#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which left sides of assignments the translator marks for the engine with counters."""

import sys
import unittest
from pathlib import Path

from common.emulator.translator.rewrite import rewrite
from common.emulator.translator.source import Source

# The left side is between < and >.
MARKED = (
    "{ <s[i]> = f(i); }",
    "{ <s[i]> = s[i] + g; }",
    "{ <*next++> = f(); <(*p).x> = f(); <p->x[2].y> = f(); <(p + 1)->x> = -a; }",
    "{ <reference> = f(); <::global> = f(); <ns::x> = f(); }",
    "{ <a[i]> = <b[i]> = f(i, j); }",
    "{ if (a) <s[0]> = f(); else <s[1]> = f(); }",
    "{ for (<p[0]> = f(); a; <p[1]> = f()) <p[2]> = f(); }",
    "{ if ((<x[i]> = f()) > 0) g(); }",
    "{ switch (a) { case 1: <x> = f(); break; default: <y> = f(); } }",
    "{ auto set = [&] { <s[i]> = f(); }; }",
    "#define SET(i) do { <s[i]> = f(i); } while (0)\n",
    "{ <m[f(a, b)]> = f(); <at(i)> = f(); }",
    "{\n#ifdef LATE\n    <s[i]> = f();\n#endif\n}",
)
LEFT_ALONE = (
    "{ Two t = f(); Two* p = f(); const Two& r = f(); auto [a, b] = f(); }",
    "{ vector<int> v = f(); int a = f(), b = f(); }",
    "{ s[i] = t[j]; s[i] = x; s[i] = 0; s[i] = p->q.r; s[i] = {f(), g()}; }",
    "{ s[i] += f(); if (s[i] == f(i) || s[i] <= f(i) || s[i] != f()) g(); }",
    "{ auto g = [x = f(), &y = z.f()] { return x; }; Two t{.a = f(), .b = f()}; }",
    "enum class Kind : int { kOne = f(1), kTwo = f(2) };",
    "struct S { S() = default; S(const S&) = delete; S& operator=(S o) = default; int x = f(); };",
    "{ using T = decltype(f()); namespace n = ours; }",
    "template <int N = f()> void g(int a = f(), Two b = Two(1));",
    "int global = f();",
    "#define CHECK(call) do { const cudaError_t error = (call); } while (0)\n",
    "#define SUM(a, b) int sum = (a) + (b)\n",
)


def translate(text: str) -> str:
    source = Source(Path("own.cu"), text)
    rewrite(source, set())
    return source.edited()


class Assignments(unittest.TestCase):
    def test_left_sides_that_may_take_a_struct(self) -> None:
        for text in MARKED:
            with self.subTest(text):
                plain = text.replace("->", "\x01").replace("> 0", "@")
                marked = plain.replace("<", "EMULATOR_LEFT(").replace(">", ")")
                given = plain.replace("<", "").replace(">", "")
                self.assertEqual(
                    translate(given.replace("\x01", "->").replace("@", "> 0")),
                    marked.replace("\x01", "->").replace("@", "> 0"),
                )

    def test_the_others(self) -> None:
        for text in LEFT_ALONE:
            with self.subTest(text):
                self.assertEqual(translate(text), text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
