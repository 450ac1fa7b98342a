# SPDX-License-Identifier: MIT
"""The differences of two stages: in their sources and in their own compiler flags."""

import difflib
from collections.abc import Sequence

from common.tools.lib.files import read_text
from common.tools.lib.stages import ROOT, Stage

CONTEXT = 3  # lines around a change that are shown


def source_lines(stage: Stage) -> list[str]:
    """The lines of a stage's source. OpenCL kernels come first, as kernels do in CUDA files."""
    path = ROOT / stage.source
    files = [path.with_suffix(".cl"), path] if stage.opencl else [path]
    return [line for file in files for line in read_text(file).splitlines()]


def moved_sign(before: str, after: str) -> str:
    """The sign of a line that is in both sources: a blank, or whether it moved to the left or to
    the right."""
    if before == after:
        return " "
    return ">" if len(after.expandtabs()) >= len(before.expandtabs()) else "<"


def changed_lines(codes: Sequence[tuple[str, int, int, int, int]]) -> int:
    return sum(a2 - a1 + b2 - b1 for kind, a1, a2, b1, b2 in codes if kind != "equal")


def line_range(begin: int, end: int) -> str:
    """The lines of a hunk as unified diffs write them: the first one counts from 1."""
    length = end - begin
    first = begin + 1 if length else begin
    return str(first) if length == 1 else f"{first},{length}"


def text_diff(a: Sequence[str], b: Sequence[str], name_a: str, name_b: str) -> list[str]:
    """A unified diff with two more signs: `>` or `<` in front of a line that only moved to the
    right or to the left, and is no change of the program. Empty if the texts are equal."""
    if list(a) == list(b):
        return []
    # Without their indentation other lines may match, and then more lines differ.
    by_text = difflib.SequenceMatcher(None, list(map(str.strip, a)), list(map(str.strip, b)), False)
    as_they_are = difflib.SequenceMatcher(None, a, b, False)
    codes = min(by_text.get_opcodes(), as_they_are.get_opcodes(), key=changed_lines)
    signed: list[tuple[str, str, int, int]] = []  # with the numbers of lines of both before it
    for kind, a1, a2, b1, b2 in codes:
        if kind == "equal":
            for i, j in zip(range(a1, a2), range(b1, b2)):
                signed.append((moved_sign(a[i], b[j]), b[j], i, j))
            continue
        signed += [("-", a[i], i, b1) for i in range(a1, a2)]
        signed += [("+", b[j], a2, j) for j in range(b1, b2)]
    lines = [f"--- {name_a}", f"+++ {name_b}"]
    changed = [i for i, one in enumerate(signed) if one[0] != " "]
    ends = (len(signed), len(a), len(b))
    for begin, end in hunks(changed, len(signed)):
        _, _, a1, b1 = signed[begin]
        a2, b2 = signed[end][2:] if end < ends[0] else ends[1:]
        lines.append(f"@@ -{line_range(a1, a2)} +{line_range(b1, b2)} @@")
        lines += [sign + text for sign, text, _, _ in signed[begin:end]]
    return lines


def hunks(changed: Sequence[int], count: int) -> list[tuple[int, int]]:
    """The parts of `count` lines that show these changes with lines around them."""
    parts: list[tuple[int, int]] = []
    for i in changed:
        begin, end = max(0, i - CONTEXT), min(count, i + CONTEXT + 1)
        if parts and begin <= parts[-1][1]:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((begin, end))
    return parts


def source_diff(a: Stage, b: Stage) -> list[str]:
    return text_diff(source_lines(a), source_lines(b), a.source, b.source)


def flags_diff(a: Stage, b: Stage) -> list[str]:
    lines = []
    for compiler, before, after in (
        ("nvcc", a.cuda_args, b.cuda_args),
        ("g++ for the CPU engine", a.emu_args, b.emu_args),
    ):
        removed = [flag for flag in before if flag not in after]
        added = [flag for flag in after if flag not in before]
        if removed or added:
            lines.append(f"flags of {compiler}:")
            lines += [f"-{flag}" for flag in removed] + [f"+{flag}" for flag in added]
    return lines
