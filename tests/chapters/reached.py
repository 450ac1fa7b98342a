#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a stage with --check and counters, as `make run` does, and then demands that each of its
kernels and each branch of its device code has run: what no run reaches, no run checks.

    reached.py STAGE SOURCE PROGRAM FLAGS…

A kernel is one with its template arguments, since the host chooses among these. A branch is a basic
block of the program. unreached.toml lists the lines that no run reaches, each with its reason.
"""

import bisect
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.tools.lib.counting import bare, kernel_key
from common.tools.lib.files import parse_toml, read_text
from common.tools.lib.stages import ROOT

DATA = Path(__file__).with_name("unreached.toml")
# Where a function begins, a jump, and a call that matters.
INSTRUCTION = re.compile(r">:$|^ *([0-9a-f]+):\t(?:(j\w+|ret)\b|call)(.*)$", re.MULTILINE)
OF_DEVICE = re.compile(r"\s{0,4}(?!//)\S.*__(global|device)__|\s{0,4}__(global|device)__")
LAUNCH_BOUNDS = re.compile(r"__launch_bounds__\((?:[^()]|\([^()]*\))*\)")
Place = tuple[str, int]  # a file's name, and a line


@dataclass
class Segment:
    """Instructions up to the next jump. The compiler begins each basic block with a call."""

    end: int = 0  # the address of the last one
    blocks: list[int] = field(default_factory=list)  # the addresses of these calls
    to: int = 0  # where the jump goes, if it always does
    throws: bool = False


def device_lines(lines: list[str]) -> tuple[set[int], set[str]]:
    """The lines of functions that run on the device, and the names of kernels among these."""
    numbers: set[int] = set()
    kernels: set[str] = set()
    at = 0
    while at < len(lines):
        if not OF_DEVICE.match(lines[at]):
            at += 1
            continue
        begin, depth, is_open = at, 0, False
        while at < len(lines):
            code = lines[at].partition("//")[0]
            is_open = is_open or "{" in code
            depth += code.count("{") - code.count("}")
            at += 1
            if (is_open and depth == 0) or (not is_open and code.rstrip().endswith(";")):
                break
        if is_open:
            numbers |= set(range(begin + 1, at + 1))
            head = LAUNCH_BOUNDS.sub("", " ".join(lines[begin:at]))
            if "__global__" in lines[begin] and (name := re.search(r"\b(?!__)(\w+)\(", head)):
                kernels.add(name[1])
    return numbers, kernels


def said_by(*command: str, given: str = "") -> list[str]:
    result = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def blocks_of(program: Path) -> set[Place]:
    """The lines at which a basic block begins. Left out are the first block of a function, since
    one that is inlined wherever it is called has a copy that nobody calls, and blocks that go on
    with an exception."""
    segments = [Segment()]
    is_first = False
    code = "\n".join(said_by("objdump", "-d", "--no-show-raw-insn", str(program)))
    for match in INSTRUCTION.finditer(code):
        if not match[1]:
            is_first = True
            continue
        last = segments[-1]
        last.end = int(match[1], 16)
        if "<__sanitizer_cov_trace_pc" in match[3]:
            last.blocks += [] if is_first else [last.end]
            is_first = False
        last.throws = last.throws or "<_Unwind_Resume" in match[3]
        if match[2] == "jmp" and (to := re.match(r"\s*([0-9a-f]+) ", match[3])):
            last.to = int(to[1], 16)
        if match[2]:
            segments.append(Segment())
    segments = [one for one in segments if one.end]
    ends = [one.end for one in segments]
    for one in reversed(segments * 2):
        at = bisect.bisect_left(ends, one.to) if one.to else len(ends)
        one.throws = one.throws or (at < len(ends) and segments[at].throws)
    blocks = [f"{place:#x}\n" for one in segments if not one.throws for place in one.blocks]
    found = said_by("addr2line", "-e", str(program), given="".join(blocks))
    places = [line.partition(" (disc")[0].rpartition(":") for line in found]
    return {(Path(file).name, int(line)) for file, _, line in places if line.isdigit()}


def without_scopes(name: str) -> str:
    return re.sub(r"\w+::", "", kernel_key(name))


def instances_of(program: Path, kernels: Iterable[str]) -> set[str]:
    """The kernels in a program, with their template arguments."""
    known = set(kernels)
    symbols = [line.split(" ", 2)[2:] for line in said_by("nm", "-C", str(program))]
    names = {without_scopes(rest[0]) for rest in symbols if rest and "[clone" not in rest[0]}
    return {name for name in names if bare(name) in known or name in known}


def never_ran(source: Path, program: Path, document: dict[str, Any]) -> list[tuple[str, str]]:
    """What no run reached: a place or a kernel's name, and the text of the line."""
    room = source.parent
    files = {path.name: read_text(path).splitlines() for path in room.iterdir()
             if path.suffix in (".cu", ".cuh")}  # fmt: skip
    device = {name: device_lines(lines) for name, lines in files.items()}
    ran = {
        (Path(line["file"]).name, line["line"])
        for kernel in document["kernels"]
        for line in kernel["lines"]
    }
    blocks = {(name, n) for name, n in blocks_of(program) if n in device.get(name, ((), ()))[0]}
    found = [(f"{name}:{n}", files[name][n - 1].strip()) for name, n in sorted(blocks - ran)]
    found = [one for one in found if re.search(r"\w", one[1])]  # a brace is no branch
    started = {without_scopes(kernel["name"]) for kernel in document["kernels"]}
    kernels = {name for _, names in device.values() for name in names}
    return found + [(name, name) for name in sorted(instances_of(program, kernels) - started)]


def excused(stage: str) -> list[tuple[str, str]]:
    """The texts of lines that no run of a stage reaches, and the reasons."""
    listed = parse_toml(read_text(DATA), DATA).get("line", [])
    return [
        (one["code"], one["reason"])
        for one in listed
        if any(fnmatch.fnmatchcase(stage, pattern) for pattern in one["stage"].split())
    ]


def judge(stage: str, found: list[tuple[str, str]], listed: list[tuple[str, str]]) -> list[str]:
    wrong = [
        f"{stage}: no run with --check reaches {place}: {code}"
        for place, code in found
        if not any(text in code for text, _ in listed)
    ]
    return wrong + [
        f"{stage}: {DATA.name} lists `{text}`, which a run reaches"
        for text, _ in listed
        if not any(text in code for _, code in found)
    ]


def main() -> int:
    name, source, program, *flags = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        counters = Path(folder) / "counters.json"
        settings = os.environ | {"EMULATOR_COUNTERS": str(counters)}
        status = subprocess.run([program, *flags], env=settings, check=False).returncode
        if status != 0:
            return status
        document = json.loads(read_text(counters))
    found = never_ran(ROOT / source, Path(program), document)
    wrong = judge(name, found, excused(name))
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
