# SPDX-License-Identifier: MIT
"""Shared memory: extern __shared__ arrays become pointers, and the end of each __shared__ variable
is marked."""

import re

from .source import CLOSING, OPENING, Edit, Source


def skip_alignment(source: Source, index: int) -> int:
    """Index after an alignment specifier at index, or index when there is none."""
    tokens = source.tokens
    if tokens[index].text in ("__align__", "alignas", "__attribute__"):
        depth = 0
        for position in range(index + 1, len(tokens)):
            depth += {"(": 1, ")": -1}.get(tokens[position].text, 0)
            if depth == 0:
                return position + 1
    return index


def declares_one(source: Source, kept: list[int]) -> bool:
    """Whether the tokens are a type and one name, without brackets of an array."""
    depth = 0
    for index in kept:
        text = source.tokens[index].text
        depth += text.count("<") - text.count(">")
        if text in "[(" or (text == "," and depth == 0):
            return False
    return len(kept) > 1


def rewrite_dynamic_shared(source: Source, first: int, inside_function: bool) -> None:
    """extern __shared__ T name[]; becomes T* name = static_cast<T*>(dynamic shared memory), and in a
    function extern __shared__ T name; becomes T& name = *static_cast<T*>(dynamic shared memory).

    Outside of functions it becomes a DynamicShared<T>, which converts to that pointer.
    """
    tokens = source.tokens
    statement_end = first
    while statement_end < len(tokens) and tokens[statement_end].text != ";":
        statement_end += 1
    if statement_end == len(tokens):
        source.fail(tokens[first], "no ';' ends this extern __shared__ declaration")
    kept = []
    index = first + 1
    while index < statement_end:
        after = skip_alignment(source, index)
        if after != index:
            index = after
        else:
            if tokens[index].text != "__shared__":
                kept.append(index)
            index += 1
    last = kept[-1]
    if (
        inside_function
        and declares_one(source, kept)
        and re.match(r"[A-Za-z_]\w*$", tokens[last].text)
    ):
        element = source.plain_text(kept[0], kept[-2])
        if kept[-2] - kept[0] != len(kept) - 2:
            element = " ".join(tokens[index].text for index in kept[:-1])
        start, end = tokens[first].start, tokens[statement_end].end
        text = (
            f"{element}& {tokens[last].text} = *static_cast<{element}*>"
            "(::emulator::dynamic_shared_memory());"
        )
        source.edits.append(Edit(start, end, text + source.line_breaks(start, end)))
        return
    bracket = next(
        (
            position
            for position, index in enumerate(kept)
            if tokens[index].text == "[" and tokens[kept[position + 1]].text == "]"
        ),
        None,
    )
    if bracket is None or bracket < 2 or any(tokens[index].text == "," for index in kept[bracket:]):
        source.fail(
            tokens[first],
            "cannot read this extern __shared__ declaration; write extern __shared__ T name[];",
        )
    name = tokens[kept[bracket - 1]].text
    element = (
        source.plain_text(kept[0], kept[bracket - 2])
        if (kept[bracket - 2] - kept[0] == bracket - 2)
        else " ".join(tokens[index].text for index in kept[: bracket - 1])
    )
    inner = "".join(tokens[index].text for index in kept[bracket + 2 :])
    declared = f"(*{name}){inner}" if inner else f"* {name}"
    pointer = f"(*){inner}" if inner else "*"
    start, end = tokens[first].start, tokens[statement_end].end
    separator = " " if inner else ""
    if not inside_function:
        # Where the memory lies is known only while a block runs.
        source.edits.append(
            Edit(
                start,
                end,
                f"[[maybe_unused]] constexpr ::emulator::DynamicShared<{element}{inner}> {name}{{}};"
                f"{source.line_breaks(start, end)}",
            )
        )
        return
    source.edits.append(
        Edit(
            start,
            end,
            f"{element}{separator}{declared} = static_cast<{element}{separator}{pointer}>"
            f"(::emulator::dynamic_shared_memory());{source.line_breaks(start, end)}",
        )
    )


def move_alignment(source: Source, index: int) -> None:
    """Moves an alignas() behind the __shared__ at index before the whole declaration.

    g++ takes it only there, nvcc also between the specifiers.
    """
    tokens = source.tokens
    if index + 1 == len(tokens) or tokens[index + 1].text != "alignas":
        return
    end = skip_alignment(source, index + 1)
    start, stop = tokens[index + 1].start, tokens[end - 1].end
    first = index
    while first > 0 and tokens[first - 1].text in ("static", "const", "volatile"):
        first -= 1
    source.edits.append(Edit(start, stop, source.line_breaks(start, stop)))
    place = tokens[first].start
    source.edits.append(Edit(place, place, " ".join(source.text[start:stop].split()) + " "))


def mark_end_of_shared(source: Source, index: int) -> None:
    """Puts EMULATOR_SHARED_END behind the declaration that the __shared__ at index belongs to.

    The body of a macro is left alone unless the declaration ends in it: what follows where the
    macro is used is unknown.
    """
    tokens = source.tokens
    directive = source.in_directive(tokens[index])
    depth = 0
    for position in range(index, len(tokens)):
        token = tokens[position]
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth < 0 or directive != source.in_directive(token):
            return
        if directive and "\n" in source.text[tokens[index].start : token.start].replace("\\\n", ""):
            return
        if token.text == ";" and depth == 0:
            source.add_behind(token, "EMULATOR_SHARED_END")
            return


def is_dynamic_shared(source: Source, index: int) -> bool:
    for token in source.tokens[index + 1 : index + 12]:
        if token.text == "__shared__":
            return True
        if token.text in ("[", ";", "{"):
            return False
    return False
