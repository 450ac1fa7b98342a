# SPDX-License-Identifier: MIT
"""Checks that programs of other people and labs get, and the course's own stages do without: what
include/emulator/checks/own_checks.hpp offers."""

from .device_variables import declaration_start, skip_brackets
from .launches import KEYWORDS, match_template
from .local_arrays import check_local_arrays
from .shared_memory import skip_alignment
from .source import OPENING, Edit, Source

HEADER = "#include <emulator/checks/own_checks.hpp>\n"
# They may stand between __launch_bounds__ and the kernel's name, and take arguments.
ATTRIBUTES = {"__attribute__", "__maxnreg__", "__cluster_dims__", "__block_size__", "alignas"}
# The last word of a template's parameter without a name.
TYPE_WORDS = {
    "class",
    "typename",
    "auto",
    "bool",
    "char",
    "short",
    "int",
    "long",
    "unsigned",
    "signed",
}


def mark_read_only_load(source: Source, index: int) -> bool:
    """__ldg(p): a load through a cache that does not see what the kernel writes."""
    tokens = source.tokens
    before = tokens[index - 1]
    declares = before.kind == "identifier" and before.text not in KEYWORDS
    if tokens[index + 1].text != "(" or before.text in (".", "->") or declares:
        return False
    scope = "" if before.text == "::" else "::"
    token = tokens[index]
    source.edits.append(Edit(token.start, token.end, f"{scope}emulator::read_only_load"))
    return True


def end_of_first(source: Source, opening: int, end: int) -> int:
    """Index after the first argument between the '(' at `opening` and `end`."""
    index = opening + 1
    while index < end - 1 and source.tokens[index].text != ",":
        index = skip_brackets(source, index) if source.tokens[index].text in "([{" else index + 1
    return index


def template_arguments(source: Source, opening: int) -> str | None:
    """The parameters of the template whose '<' is at `opening`, as arguments that name the template
    itself. None if one has no name, or is not understood."""
    tokens = source.tokens
    end = match_template(source, opening)
    arguments: list[str] = []
    index = opening + 1
    while end is not None and index < end:
        first = index
        while index < end and tokens[index].text not in (",", "="):
            skipped = match_template(source, index) if tokens[index].text == "<" else index
            if skipped is None:
                return None
            index = skipped + 1
        words = [token for token in tokens[first:index] if token.text != "const"]
        if len(words) < 2 or words[-1].kind != "identifier":
            return None
        name = words[-1].text
        if name in TYPE_WORDS or words[-2].text == "::":
            return None
        arguments.append(name + ("..." if words[-2].text == "." else ""))
        while index < end and tokens[index].text != ",":  # a default
            skipped = match_template(source, index) if tokens[index].text == "<" else index
            if skipped is None:
                return None
            index = skipped + 1
        index += 1
    return ", ".join(arguments) or None


def register_launch_bounds(source: Source, index: int) -> bool:
    """Behind the kernel that the __launch_bounds__ at index belongs to, or within it, if it is a
    template: then each of its instances is registered, with its own number."""
    tokens = source.tokens
    start = declaration_start(source, index)
    if tokens[index + 1].text != "(":
        return False
    end = skip_brackets(source, index + 1)
    most = source.plain_text(index + 2, end_of_first(source, index + 1, end) - 1)
    named = end
    while named + 1 < len(tokens) and (
        tokens[named + 1].text != "(" or tokens[named].text in ATTRIBUTES
    ):
        if tokens[named].text in (";", "{", "}"):
            return False
        named = skip_brackets(source, named) if tokens[named].text == "(" else named + 1
    body = skip_brackets(source, named + 1)
    if body >= len(tokens) or tokens[body].text != "{":
        return False
    name = tokens[named].text
    if tokens[start].text == "template":
        arguments = template_arguments(source, start + 1)
        hidden = name in [token.text for token in tokens[named + 1 : body]]  # by a parameter
        if arguments is None or hidden:
            return False
        name += f"<{arguments}>"
    address_of = f"[](auto emulator_use) -> decltype(emulator_use({name})) {{ return emulator_use({name}); }}"
    if tokens[start].text == "template":
        opening = tokens[body].end
        text = f" ::emulator::bound_instance<({most})>({address_of});"
        source.edits.append(Edit(opening, opening, text))
        return True
    last = tokens[skip_brackets(source, body) - 1]
    text = (
        f" [[maybe_unused]] static const bool emulator_bounded_{name}_{source.line_of(last.start)}"
        f" = ::emulator::bound_launches({address_of}, {most});"
    )
    source.edits.append(Edit(last.end, last.end, text))
    return True


def separate_shared(source: Source, index: int) -> None:
    """Makes declarations of their own of the variables that the __shared__ at index declares: only
    between declarations lie bytes that belong to nobody."""
    tokens = source.tokens
    start = declaration_start(source, index)
    name = index + 1
    while tokens[name].kind != "identifier" or tokens[name + 1].text not in ("[", ",", ";"):
        end = match_template(source, name) if tokens[name].text == "<" else name
        is_type = tokens[name].kind == "identifier" or tokens[name].text in ("<", "::")
        if end is None or not is_type or skip_alignment(source, name) != name:
            return
        name = end + 1
        if name + 1 >= len(tokens):
            return
    if name == index + 1 or "extern" in [token.text for token in tokens[start:index]]:
        return
    text = f"; EMULATOR_SHARED_END {source.plain_text(start, name - 1)}"
    edits = []
    while tokens[name].text != ";":
        if tokens[name].text == ",":
            if tokens[name + 1].kind != "identifier":
                return
            edits.append(Edit(tokens[name].start, tokens[name].end, text))
        name = skip_brackets(source, name) if tokens[name].text in OPENING else name + 1
        if name >= len(tokens):
            return
    source.edits += edits


def add_own_checks(source: Source) -> bool:
    """Whether one was added: then the file needs HEADER."""
    found = check_local_arrays(source)
    for index, token in enumerate(source.tokens[:-1]):
        if token.kind != "identifier" or source.is_dead(token.start) or index == 0:
            continue
        if token.text == "__ldg":
            found |= mark_read_only_load(source, index)
        elif token.text == "__launch_bounds__" and not source.in_directive(token):
            found |= register_launch_bounds(source, index)
        elif token.text == "__shared__" and not source.in_directive(token):
            separate_shared(source, index)
    return found
