# SPDX-License-Identifier: MIT
"""Inline PTX: asm("…" : outputs : inputs) becomes C++ that calls the functions of emulator/ptx.hpp.

Each operand of the statement becomes a variable, and so does each register that the text declares.
Assembler of the host's processor stays as it is.
"""

import ast
import re
from collections.abc import Iterator

from .ptx_instructions import translate_instruction
from .ptx_operands import TYPES, Names, Unavailable
from .source import Edit, Source

KEYWORDS = {"asm", "__asm", "__asm__"}
QUALIFIERS = {"volatile", "__volatile__", "__volatile", "inline", "goto"}
HEADER = "#include <emulator/ptx.hpp>\n"
# An instruction of PTX: words with dots, as no instruction of the host's has them.
PTX = re.compile(r"(^|[;{}\s])(@!?[\w%$]+\s+)?[a-z]\w*(\.\w+(::\w+)*)+\s[^;]*;|(^|[;{\s])\.reg\s")
DEVICE = {"__device__", "__global__"}


def literal_text(source: Source, first: int, last: int) -> str | None:
    """The text of adjacent string literals, or None if there are other tokens."""
    pieces = []
    for token in source.tokens[first:last]:
        if token.kind == "raw_string":
            pieces.append(token.text.split("(", 1)[1].rpartition(")")[0])
        elif token.kind == "string" and token.text.startswith('"'):
            pieces.append(ast.literal_eval(token.text.replace("\\\n", "")))
        else:
            return None
    return "".join(pieces)


def closing(source: Source, opening: int) -> int | None:
    depth = 0
    for index in range(opening, len(source.tokens)):
        depth += {"(": 1, ")": -1}.get(source.tokens[index].text, 0)
        if depth == 0:
            return index
    return None


def sections(source: Source, first: int, last: int) -> list[tuple[int, int]]:
    """The parts between the colons of an asm statement as ranges of tokens."""
    result = []
    begin = first
    depth = 0
    for index in range(first, last):
        text = source.tokens[index].text
        depth += (text in "([{") - (text in ")]}")
        if depth == 0 and text in (":", "::"):
            result.append((begin, index))
            if text == "::":
                result.append((index, index))
            begin = index + 1
    result.append((begin, last))
    return result


def operands_of(source: Source, first: int, last: int) -> list[tuple[str, str]]:
    """(constraint, expression) of each operand in a section."""
    operands = []
    index = first
    while index < last:
        if source.tokens[index].text == ",":
            index += 1
            continue
        constraint = literal_text(source, index, index + 1)
        if constraint is None or source.tokens[index + 1].text != "(":
            source.fail(source.tokens[index], 'an operand of asm that is not "constraint"(value)')
        end = closing(source, index + 1)
        if end is None:
            source.fail(source.tokens[index], "no ')' ends this operand of asm")
        operands.append((constraint, source.plain_text(index + 2, end - 1)))
        index = end + 1
    return operands


def is_in_device_function(source: Source, index: int) -> bool:
    """Whether a function around the token is marked for the device."""
    depth = 0
    position = index
    while position > 0:
        position -= 1
        text = source.tokens[position].text
        depth += (text == "}") - (text == "{")
        if depth >= 0:
            continue
        depth = 0
        # An opening brace around the token: what declares it?
        before = position - 1
        while before >= 0 and source.tokens[before].text not in (";", "{", "}"):
            if source.tokens[before].text in DEVICE:
                return True
            before -= 1
    return False


def statements_of(text: str) -> Iterator[str]:
    """The instructions of a PTX text, without comments and without braces of scopes."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    for piece in text.split(";"):
        piece = piece.strip()
        while True:
            stripped = re.sub(r"^[{}]\s*|^[{}]$", "", piece).strip()
            if stripped == piece:
                break
            piece = stripped
        if piece and piece != "}":
            yield " ".join(piece.split())


def declare(names: Names, statement: str) -> str:
    match = re.match(r"\.reg\s+\.(\w+)\s+(.*)$", statement)
    if not match or match[1] not in TYPES:
        raise Unavailable(statement)
    code = []
    for name in (word.strip() for word in match[2].split(",")):
        family = re.match(r"([\w%$]+)<(\d+)>$", name)
        members = [f"{family[1]}{i}" for i in range(int(family[2]))] if family else [name]
        for member in members:
            code.append(f"[[maybe_unused]] {TYPES[match[1]]} {names.declare(member)}{{}};")
    return " ".join(code)


LABEL = re.compile(r"([A-Za-z_$][\w$]*)(?:%=)?\s*:(?!:)\s*(.*)$")


def parts_of(text: str) -> Iterator[tuple[str, str]]:
    """(label, "") of each label and ("", instruction) of each instruction."""
    for statement in statements_of(text):
        while label := LABEL.match(statement):
            yield label[1], ""
            statement = label[2].lstrip("{} ")
        if statement:
            yield "", statement


def translate_text(text: str, operand_count: int, number: int) -> str:
    """The C++ of a PTX text. `number` distinguishes its labels from those of the file's others."""
    names = Names(operand_count)
    parts = list(parts_of(text))
    for label, _ in parts:
        if label:
            names.labels[label] = f"emulator_{label.replace('$', '_')}_{number}"
    code = []
    for label, statement in parts:
        if label:
            code.append(f"{names.labels[label]}: __attribute__((unused));")
            continue
        if statement.startswith(".reg"):
            code.append(declare(names, statement))
            continue
        guard = re.match(r"@(!?)\s*([\w%$]+)\s+(.*)$", statement)
        if guard:
            condition = f"{guard[1]}{names.value(guard[2], 'pred')}"
            code.append(f"if ({condition}) {{ {translate_instruction(guard[3], names)} }}")
        else:
            code.append(translate_instruction(statement, names))
    return " ".join(code)


def rewrite_asm(source: Source, index: int) -> bool:
    """Translates the asm statement that begins at a token; True if the header is needed."""
    tokens = source.tokens
    opening = index + 1
    while opening < len(tokens) and tokens[opening].text in QUALIFIERS:
        opening += 1
    if opening >= len(tokens) or tokens[opening].text != "(" or source.is_dead(tokens[index].start):
        return False
    end = closing(source, opening)
    if end is None:
        return False
    parts = sections(source, opening + 1, end)
    text = literal_text(source, *parts[0])
    if text is None:
        if is_in_device_function(source, index):
            source.fail(tokens[index], "inline PTX must be one plain string on the CPU engine")
        return False
    if not PTX.search(text) and not (text.strip() and is_in_device_function(source, index)):
        return False
    outputs = operands_of(source, *parts[1]) if len(parts) > 1 else []
    inputs = operands_of(source, *parts[2]) if len(parts) > 2 else []
    try:
        code = translate_text(text, len(outputs) + len(inputs), tokens[index].start)
    except Unavailable as missing:
        source.fail(
            tokens[index],
            f"PTX instruction {missing} is not available on the CPU engine; keep it under "
            "#ifndef CUDA_EMULATOR beside a plain version",
        )
    bindings = [
        f"[[maybe_unused]] auto& emulator_{i} = ({value});" for i, (_, value) in enumerate(outputs)
    ]
    bindings += [
        f"[[maybe_unused]] const auto emulator_{len(outputs) + i} = ({value});"
        for i, (_, value) in enumerate(inputs)
    ]
    start, stop = tokens[index].start, tokens[end].end
    source.edits.append(
        Edit(
            start,
            stop,
            f"do {{ {' '.join(bindings)} {code} }} while (false)" + source.line_breaks(start, stop),
        )
    )
    return True
