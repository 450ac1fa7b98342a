# SPDX-License-Identifier: MIT
"""Variables of the device: each __device__ and __constant__ variable outside of functions and
classes is registered behind its declaration, so that each of several devices has its own values.
Its memory ends there, too: EMULATOR_VARIABLE_END (qualifiers.hpp)."""

from .launches import match_template
from .shared_memory import skip_alignment
from .source import CLOSING, OPENING, Source

SPECIFIERS = {"__device__", "__constant__"}
TYPES = {"struct", "class", "union", "enum"}
# A declaration with one of these words defines no variable that can be registered there.
OTHER_DECLARATIONS = {"template", "extern", "typedef", "using", "friend", "__managed__", "operator"}


def declaration_start(source: Source, index: int) -> int:
    """Index of the first token of the declaration that the token at index belongs to."""
    tokens = source.tokens
    while (
        index > 0
        and tokens[index - 1].text not in (";", "{", "}")
        and not source.in_directive(tokens[index - 1])
    ):
        index -= 1
    return index


def skip_brackets(source: Source, index: int) -> int:
    """Index after the bracket that closes the one at index."""
    depth = 0
    for position in range(index, len(source.tokens)):
        text = source.tokens[position].text
        depth += (text in OPENING) - (text in CLOSING)
        if depth == 0:
            return position + 1
    return len(source.tokens)


def names_of_variables(source: Source, index: int) -> tuple[list[str] | None, int]:
    """The variables declared from index on, and the index of the ';'. None for anything else."""
    tokens = source.tokens
    names: list[str] = []
    name: str | None = None
    while index < len(tokens):
        after = skip_alignment(source, index)
        if after != index:
            index = after
            continue
        token = tokens[index]
        if token.text in OTHER_DECLARATIONS or (token.text == "(" and name is not None):
            return None, index
        if token.text in TYPES:
            # The type may be defined here, and it need not have a name.
            body = index + 1
            while tokens[body].kind == "identifier" or tokens[body].text in ("::", ":"):
                body += 1
            if tokens[body].text == "{":
                name, index = None, skip_brackets(source, body)
                continue
        elif token.text == "<":
            end = match_template(source, index)
            if end is None:
                return None, index
            index = end
        elif token.text in ("[", "=", "{", ",", ";"):
            if name is None:
                return None, index
            while tokens[index].text not in (",", ";"):
                index = skip_brackets(source, index) if tokens[index].text in OPENING else index + 1
                if index >= len(tokens):
                    return None, index
            names.append(name)
            if tokens[index].text == ";":
                return names, index
            name = None
        elif token.kind == "identifier":
            name = token.text
        index += 1
    return None, index


def register_device_variable(source: Source, index: int) -> None:
    tokens = source.tokens
    if source.in_directive(tokens[index]):
        return
    start = declaration_start(source, index)
    before = {token.text for token in tokens[start:index]}
    if before & (OTHER_DECLARATIONS | SPECIFIERS):
        return
    names, end = names_of_variables(source, index)
    if not names:
        return
    text = "".join(
        f"[[maybe_unused]] static const bool emulator_registered_{name} = "
        f"::emulator::register_variable({name}); "
        for name in names
    )
    source.add_behind(tokens[end], f"{text}EMULATOR_VARIABLE_END")
