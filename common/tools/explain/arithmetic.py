# SPDX-License-Identifier: MIT
"""Arithmetic that costs more than it has to, as far as the source's text shows it."""

from __future__ import annotations

import re
import struct
from collections import defaultdict

from common.tools.explain.context import Context
from common.tools.explain.finding import Finding
from common.tools.explain.launches import place_of

PART_OF_KERNEL = 0.1  # of the executions of its basic blocks
PER_WARP = 4  # a loop: a division per thread is not worth a word

LITERAL = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")
OPERATOR = re.compile(r"(?<![+\-*/<>=&|(,\s])\s*[-+*/](?![-+=/*])|[-+*/]=")
DIVISION = re.compile(r"([%/])=?\s*(\(|[A-Za-z_]\w*)")
CONSTANT = re.compile(
    r"\bconstexpr\b[^=;]*?(\w+)\s*=|\bconst\s+\w+\s+(\w+)\s*=\s*[\d(][^;a-z]*;"
    r"|#define\s+(\w+)\s|\btemplate\s*<[^>]*?\b(?:int|unsigned)\s+(\w+)"
)
INTEGER = (
    r"\b(?:int|unsigned|long|short|size_t|u?int\d+_t|std::size_t)\s+(?:\w+[^;(){{}}]*,\s*)?{}\b"
)


def code_of(text: str) -> str:
    """Without comments and strings."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', "", text).partition("//")[0]


def executions(context: Context) -> dict[tuple[str, int], int]:
    """How often warps executed a basic block of each line of the program."""
    found: dict[tuple[str, int], int] = defaultdict(int)
    for line in context.kernel.lines:
        if line["operation"] == "block" and line["file"] in context.texts:
            place = (line["file"], line["line"])
            found[place] = max(found[place], line["requests"])
    return found


def hot_lines(context: Context) -> list[tuple[str, int, str, float]]:
    """File, number, text and share of the lines that a warp executes several times."""
    runs = executions(context)
    total = context.kernel.count("basic_blocks")
    warps = context.kernel.count("warps")
    found = []
    for (file, number), count in runs.items():
        lines = context.texts[file]
        if not 0 < number <= len(lines) or count < PER_WARP * warps:
            continue
        if count >= PART_OF_KERNEL * total:
            found.append((file, number, code_of(lines[number - 1]), count / total))
    return found


def uses_double(context: Context) -> bool:
    """Whether the kernel is about doubles: by its accesses, and by its text."""
    accesses = [line for line in context.kernel.lines if line["space"] in ("global", "shared")]
    if any(line["bytes"] == 8 for line in accesses):
        return True
    file, first = place_of(context)
    last = max((number for name, number in executions(context) if name == file), default=first)
    return any(
        re.search(r"\bdouble\b", code_of(text)) for text in context.texts[file][first - 1 : last]
    )


def is_exact(literal: str) -> bool:
    """Whether a float holds the number: then the compiler may compute in float."""
    number = float(literal)
    return bool(struct.unpack("f", struct.pack("f", number))[0] == number)


def double_literals(context: Context) -> list[Finding]:
    found = []
    for file, number, text, share in hot_lines(context):
        literals = list(dict.fromkeys(LITERAL.findall(text)))
        operators = len(OPERATOR.findall(text))
        if not literals or not operators or operators == 1 and all(map(is_exact, literals)):
            continue
        if uses_double(context):
            return []
        single = len(literals) == 1
        are, them = ("is a double", "it") if single else ("are doubles", "them")
        found.append(
            context.finding(
                "double_literal",
                {"file": file, "line": number},
                f"{', '.join(literals)} {are}, and so is arithmetic with {them}: "
                "a GPU has 2 to 64 times fewer units for double than for float",
                f"write {', '.join(f'{literal}f' for literal in literals)}",
                share,
            )
        )
    return found


def constants_of(context: Context) -> set[str]:
    """The names whose value the compiler knows."""
    return {
        name
        for lines in context.texts.values()
        for text in lines
        for groups in CONSTANT.findall(code_of(text))
        for name in groups
        if name
    }


def is_integer(context: Context, name: str) -> bool:
    pattern = re.compile(INTEGER.format(re.escape(name)))
    floating = re.compile(
        rf"\b(?:float|double|half)\d?\s+(?:\w+[^;(){{}}]*,\s*)?{re.escape(name)}\b"
    )
    texts = [code_of(text) for lines in context.texts.values() for text in lines]
    return any(map(pattern.search, texts)) and not any(map(floating.search, texts))


def divisions(context: Context) -> list[Finding]:
    known = constants_of(context)
    found = []
    for file, number, text, share in hot_lines(context):
        for match in DIVISION.finditer(text):
            operator, divisor = match[1], match[2]
            names = [divisor]
            if divisor == "(":
                inside = text[match.end() :].partition(")")[0]
                names = re.findall(r"[A-Za-z_]\w*", inside)
            if all(name in known for name in names):
                continue
            before = re.search(r"(\w+)\s*$", text[: match.start()])
            left = before[1] if before else ""
            if operator == "/" and not all(is_integer(context, one) for one in (left, *names)):
                continue
            found.append(
                context.finding(
                    "division",
                    {"file": file, "line": number},
                    f"`{operator}` by an integer that the compiler does not know takes some 20 "
                    "instructions",
                    "make the divisor a constant, or use & and >> if it is a power of 2, or count "
                    "along without dividing",
                    share / 4,
                )
            )
            break
    return found
