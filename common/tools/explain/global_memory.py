# SPDX-License-Identifier: MIT
"""Needless sectors of global memory: why neighbouring lanes do not share them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from common.tools.explain.context import Context, all_samples, counted, each
from common.tools.explain.finding import Finding
from common.tools.explain.samples import SECTOR, WARP, Instruction, Sample
from common.tools.lib.counting import Line

# A line wastes if it touches so many times the sectors that it needs, and if these are a part of
# the kernel's sectors that a cure would change.
NEEDLESS = 1.2
PART_OF_KERNEL = 0.05
PART_OF_PROGRAM = 0.02
LARGEST_STRUCT = 128  # bytes: a larger distance is a row
# So often a block loads each sector before shared memory is worth a barrier.
REUSE = 4
MEMBER = re.compile(r"(\]|\)|\b[A-Za-z_]\w*)(\.|->)[A-Za-z_]")
SHARED_BY = 4  # lanes that read one element
REPEATS = 4  # so many times in a row a warp uses the same addresses


def sectors_of(context: Context) -> int:
    return sum(line["sectors"] for line in context.kernel.lines if line["space"] == "global")


def of_program(context: Context, part: float) -> float:
    """What part of the sectors of all kernels this is."""
    total = sum(
        line["sectors"]
        for kernel in context.all_kernels
        for line in kernel.lines
        if line["space"] == "global"
    )
    return part / total if total else 0.0


def most_common(strides: Iterable[int | None]) -> int | None:
    """The distance that three quarters of the samples have."""
    counts = Counter(strides)
    stride, count = counts.most_common(1)[0] if counts else (None, 0)
    return stride if count >= 0.75 * counts.total() else None


def is_row_by_row(samples: list[Sample], size: int) -> int:
    """The lanes of a row if a warp covers several rows of a narrow block: so many neighbours lie
    side by side, and the next ones elsewhere. Otherwise 0."""
    runs = set()
    for sample in samples:
        length = 1
        lengths = []
        for step in sample.steps:
            if step == size:
                length += 1
            else:
                lengths.append(length)
                length = 1
        runs.update(lengths)
    return runs.pop() if len(runs) == 1 and max(runs) > 1 else 0


def members_apart(context: Context, samples: list[Sample], stride: int) -> set[int]:
    """The places within an element of `stride` bytes that the kernel's accesses to the same memory
    use. Several are the members of a struct."""
    objects = {owner for sample in samples for owner in sample.objects}
    found = set()
    for one in context.samples.instructions:
        if one.kernel != context.kernel.name or one.space != "global":
            continue
        for sample in one.samples:
            if sample.stride == stride and objects & set(sample.objects):
                found.add(sample.addresses[0] % stride)
    return found


def has_partner(context: Context, line: Line) -> bool:
    """Whether the kernel turns rows into columns: as many requests of the other kind lie side by
    side."""
    other = "store" if line["operation"] == "load" else "load"
    return any(
        one["operation"] == other
        and one["space"] == "global"
        and one["bytes"] == line["bytes"]
        and 0.5 <= one["requests"] / line["requests"] <= 2
        and one["sectors"] < NEEDLESS * one["ideal_sectors"]
        for one in context.kernel.lines
    )


def strided(context: Context, line: Line, samples: list[Sample], stride: int) -> tuple[str, ...]:
    size, distance = line["bytes"], abs(stride)
    text = context.text(line)
    # Without a member's name, the line copies whole structs: it never has another distance.
    instructions = context.samples.of_line(
        context.kernel.name, line["file"], line["line"], line["operation"], line["space"]
    )
    is_struct = MEMBER.search(text) or all(
        one.stride == stride for one in all_samples(instructions)
    )
    if (
        is_struct
        and distance <= LARGEST_STRUCT
        and len(members_apart(context, samples, stride)) > 1
    ):
        return (
            "struct",
            f"neighbouring lanes use one member of structs that are {distance} bytes apart",
            "give each member an array of its own (a struct of arrays)",
        )
    elements = (
        f"{counted(distance // size, 'element')} of {size} bytes"
        if distance % size == 0
        else f"{distance} bytes"
    )
    cause = f"neighbouring lanes are {elements} apart"
    if has_partner(context, line):
        cure = (
            "swapping the indices only moves the waste to the other access: put a tile into shared "
            "memory, and read it there across the rows"
        )
    elif context.block_shape[1] > 1 and distance > LARGEST_STRUCT:
        cure = "swap x and y: threadIdx.x must select the element within a row"
    elif distance > LARGEST_STRUCT:
        cure = (
            "let neighbouring threads use neighbouring elements: swap the two indices, or give a "
            "row to a whole warp"
        )
    else:
        cure = "let neighbouring threads use neighbouring elements, without a gap"
    return "stride", cause, cure


def is_broadcast(sample: Sample) -> bool:
    """Whether several lanes share each element, as in a block that is narrower than a warp: the
    rows that it reads may lie anywhere."""
    return len(set(sample.addresses)) * SHARED_BY <= len(sample.lanes)


def begins_of(instruction: Instruction) -> set[int]:
    """Where in a sector its requests begin."""
    return {(one.base + min(one.addresses)) % SECTOR for one in instruction.samples if one.is_dense}


def misaligned(
    context: Context, line: Line, instructions: list[Instruction], begin: int
) -> tuple[str, ...] | None:
    """Rows that begin anywhere can be padded. A list whose requests all begin at the same place can
    be shifted as a whole, unless the kernel also reads it from elsewhere, as a stencil does."""
    cause = f"a request begins {begin} bytes after the beginning of a sector of {SECTOR} bytes"
    begins = [begins_of(one) for one in instructions]
    if any(len(places) > 1 for places in begins):
        return (
            "misaligned",
            cause,
            f"let each row begin at a multiple of {SECTOR} bytes: pad the rows, or use "
            "cudaMallocPitch()",
        )
    objects = {owner for one in instructions for sample in one.samples for owner in sample.objects}
    everywhere = set().union(
        *(
            begins_of(one)
            for one in context.samples.instructions
            if one.kernel == context.kernel.name
            and one.space == "global"
            and any(objects & set(sample.objects) for sample in one.samples)
        )
    )
    if len(everywhere) > 1:
        return None
    before = (SECTOR - begin) // line["bytes"]
    return (
        "shifted",
        f"{cause}, for the whole list is shifted",
        f"let the list begin {counted(before, 'element')} later in its allocation",
    )


def describe(
    context: Context, line: Line, instructions: list[Instruction], samples: list[Sample]
) -> tuple[str, ...] | None:
    """Kind, cause and cure of a line with needless sectors; None if there is no cure."""
    size = line["bytes"]
    stride = most_common(one.stride for one in samples)
    if stride in (size, -size):
        whole = [one for one in samples if set(one.steps) == {stride}]
        begins = [(one.base + min(one.addresses)) % SECTOR for one in whole]
        begin = next((one for one in begins if one), 0)
        if not begin:
            return (
                "pieces",
                "the elements of a warp lie in several pieces",
                "let a warp work on one piece at a time, or collect the pieces in shared memory "
                "first",
            )
        return misaligned(context, line, instructions, begin)
    if stride:
        return strided(context, line, samples, stride)
    row = is_row_by_row(samples, size)
    if row:
        return (
            "narrow_block",
            f"{row} lanes of a row lie side by side, and the next ones in another row",
            f"make the block {WARP} threads wide",
        )
    return (
        "scattered",
        "the addresses of neighbouring lanes have nothing to do with one another",
        "sort the work so that neighbouring threads need neighbouring elements, or load whole rows "
        "into shared memory first",
    )


def wasted_sectors(context: Context) -> list[Finding]:
    found = []
    total = sectors_of(context)
    for line, instructions in context.accesses("global"):
        if line["operation"] not in ("load", "store"):
            continue
        needless = line["sectors"] - line["ideal_sectors"]
        if line["sectors"] < NEEDLESS * line["ideal_sectors"] or needless < PART_OF_KERNEL * total:
            continue
        if of_program(context, needless) < PART_OF_PROGRAM:
            continue
        samples = [one for one in all_samples(instructions) if one.units > one.ideal]
        in_order = (line["bytes"], -line["bytes"])
        # The elements of missing lanes are gaps between the others: see divergence.py.
        samples = [one for one in samples if one.is_dense or one.stride not in in_order]
        samples = [one for one in samples if not is_broadcast(one)]
        described = describe(context, line, instructions, samples) if samples else None
        if described is None:
            continue
        kind, cause, cure = described
        requests = line["requests"]
        cause += (
            f": a request touches {each(line['sectors'] / requests)} sectors instead of "
            f"{each(line['ideal_sectors'] / requests)}"
        )
        found.append(context.finding(kind, line, cause, cure, needless / total))
    return found


def repeats_addresses(instructions: list[Instruction]) -> bool:
    """Whether warps use the same addresses several times in a row."""
    return bool(instructions) and all(
        len(firsts := [one for one in instruction.samples if one.number <= REPEATS]) == REPEATS
        and len({(one.block, one.warp, one.lanes, one.addresses) for one in firsts}) == 1
        for instruction in instructions
    )


def reused_loads(context: Context) -> list[Finding]:
    """Loads of what a thread or its block has loaded before."""
    found = []
    total = sectors_of(context)
    known = {one.line for one in wasted_sectors(context)}
    for line, instructions in context.accesses("global"):
        if line["operation"] not in ("load", "store") or line["line"] in known:
            continue
        share = line["sectors"] / total
        if share < PART_OF_KERNEL or of_program(context, line["sectors"]) < PART_OF_PROGRAM:
            continue
        if repeats_addresses(instructions):
            found.append(
                context.finding(
                    "repeated_access",
                    line,
                    f"each warp uses the same addresses again in every round: {line['operation']}s "
                    "of global memory that stay within a thread",
                    "keep the value in a local variable, and store it once after the loop",
                    share,
                )
            )
            continue
        sectors = sum(one.block_sectors for one in instructions)
        distinct = sum(one.block_distinct for one in instructions)
        per_warp = line["requests"] / max(1, context.kernel.count("warps"))
        if line["operation"] != "load" or not distinct or sectors < REUSE * distinct:
            continue
        if per_warp < REUSE:  # each warp loads it once: there is no loop over a tile
            continue
        what = "the same sector" if distinct == 1 else f"each of its {distinct} sectors"
        found.append(
            context.finding(
                "reuse",
                line,
                f"a block loads {what} {each(sectors / distinct)} times from global memory",
                "load a tile once per block into shared memory, and let all its threads read it "
                "there",
                share * (1 - distinct / sectors),
            )
        )
    return found


def constants(context: Context) -> list[Finding]:
    """Constant memory serves one address at a time."""
    found = []
    for line, instructions in context.accesses("constant"):
        samples = all_samples(instructions)
        different = [len(set(one.addresses)) for one in samples]
        if not different or sum(different) < 2 * len(different):
            continue
        mean = sum(different) / len(different)
        found.append(
            context.finding(
                "constants",
                line,
                f"the lanes of a warp read {each(mean)} different constants, one after the other",
                "let all lanes of a warp read the same constant, or keep the table in shared "
                "memory",
                1 - 1 / mean,
            )
        )
    return found
