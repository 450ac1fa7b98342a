# SPDX-License-Identifier: MIT
"""Local arrays: g++ records no access to a thread's own array, because it may lie in registers. So
the index is checked instead: a[i] becomes a[(local_index<decltype(a), 0, false>("a", i))]
(emulator/checks/own_checks.hpp). What may be a declaration, or is not understood, stays."""

from dataclasses import dataclass, field

from .device_variables import skip_brackets
from .launches import KEYWORDS, match_backwards, match_template
from .shared_memory import skip_alignment
from .source import Edit, Source, opens_namespace

CHECK = "::emulator::local_index<"
CLASSES = {"struct", "class", "union", "enum"}
# A declaration with one of these words has no array of one thread's own.
NOT_LOCAL = {"__shared__", "__device__", "__constant__", "static", "extern", "typedef", "using"}
NO_TYPES = KEYWORDS | {"delete", "new", "throw", "co_return", "co_await", "co_yield", "operator"}
# A name after these belongs to another object, or is a declaration.
MEMBERS = {".", "->", "::"}


@dataclass
class Scope:
    """What is between two braces."""

    is_body: bool  # of a function or of a statement
    names: set[str] = field(default_factory=set)  # of its arrays


def opens_body(source: Source, index: int) -> bool:
    """Whether the '{' at index opens a function's or a statement's body."""
    tokens = source.tokens
    if index == 0 or opens_namespace(tokens, index):
        return False
    before = tokens[index - 1]
    if before.text in ("else", "do", "try", ";", "{", "}", "const", "noexcept", "mutable"):
        return True
    if before.text == ")":
        opening = match_backwards(source, index - 1)
        # An attribute of a class: struct __align__(16) Pair {
        return not (opening and opening > 1 and tokens[opening - 2].text in CLASSES)
    return False


def array_names(source: Source, index: int) -> tuple[set[str], set[int]]:
    """The arrays that the statement from index on declares, and the brackets of all its
    declarators."""
    tokens = source.tokens
    names: set[str] = set()
    brackets: set[int] = set()
    words = 0
    name = ""
    if [token.text for token in tokens[index : index + 2]] == ["[", "["]:
        index = skip_brackets(source, index)  # an attribute
    while index < len(tokens):
        token = tokens[index]
        if source.in_directive(token) or token.text in NO_TYPES | NOT_LOCAL:
            return set(), brackets
        after = skip_alignment(source, index)
        if after != index:
            index = after
        elif token.kind == "identifier":
            words, name = words + 1, token.text
            index += 1
        elif token.text == "<" and words > 0:
            end = match_template(source, index)
            if end is None:
                return set(), brackets
            index = end + 1
        elif token.text in ("::", "*", "&"):
            index += 1
        else:
            break
    is_declaration = words > 1 and name != "auto"  # auto [a, b] = …
    if not is_declaration or index == len(tokens):
        return set(), brackets
    if tokens[index].text not in ("[", "=", ",", "{", ";"):
        return set(), brackets
    while index < len(tokens):
        if tokens[index].text == "[":
            names.add(name)
            while tokens[index].text == "[":
                brackets.add(index)
                index = skip_brackets(source, index)
                if index >= len(tokens):
                    return set(), brackets
        while index < len(tokens) and tokens[index].text not in (",", ";"):
            index = skip_brackets(source, index) if tokens[index].text in "([{" else index + 1
        if index >= len(tokens) or tokens[index].text == ";":
            break
        index += 1
        while index < len(tokens) and tokens[index].text in ("*", "&", "const"):
            index += 1
        if index + 1 >= len(tokens) or tokens[index].kind != "identifier":
            break
        name = tokens[index].text
        index += 1
    return names, brackets


def is_macro(name: str) -> bool:
    return name == "assert" or (name.isupper() and len(name) > 1)


def is_use(source: Source, index: int) -> bool:
    """Whether the name at index is an operand whose element is used, not only its address."""
    tokens = source.tokens
    before = tokens[index - 1]
    if before.text in MEMBERS:
        return False
    if before.kind == "identifier":
        return before.text in NO_TYPES
    if before.text == "&":
        left = tokens[index - 2]
        return (
            left.text in (")", "]")
            or left.kind == "number"
            or (left.kind == "identifier" and left.text not in NO_TYPES)
        )
    return True


def check_element(source: Source, index: int) -> None:
    """The name of an array is at index."""
    tokens = source.tokens
    name = tokens[index].text
    opening = index + 1
    dimension = 0
    from_first = True  # whether all indices so far are 0: then the next one may run on
    while opening < len(tokens) and tokens[opening].text == "[":
        end = skip_brackets(source, opening)
        first, last = opening + 1, end - 2
        if first > last or end > len(tokens):
            return
        whole = "true" if dimension > 0 and from_first else "false"
        # Brackets around it: a macro would take the commas for its own.
        text = f'({CHECK}decltype({name}), {dimension}, {whole}>("{name}", '
        source.edits += [
            Edit(tokens[first].start, tokens[first].start, text),
            Edit(tokens[last].end, tokens[last].end, "))"),
        ]
        from_first = from_first and source.plain_text(first, last) == "0"
        dimension += 1
        opening = end


def check_local_arrays(source: Source) -> bool:
    """Checks each use of a local array. Whether there is one."""
    tokens = source.tokens
    scopes: list[Scope] = []
    declared: set[int] = set()  # brackets of declarators
    rewritten = [edit for edit in source.edits if edit.start < edit.end]
    # For each open bracket, whether it is that of a macro, which may print its argument.
    macros: list[bool] = []
    found = False
    for index, token in enumerate(tokens):
        if source.in_directive(token):
            continue
        if token.text == "(":
            macros.append(is_macro(tokens[index - 1].text) if index > 0 else False)
        elif token.text == ")" and macros:
            macros.pop()
        if token.text == "{":
            scopes.append(Scope(opens_body(source, index)))
        elif token.text == "}" and scopes:
            scopes.pop()
        if scopes and scopes[-1].is_body and token.text in (";", "{", "}"):
            names, brackets = array_names(source, index + 1)
            declared |= brackets
            scopes[-1].names |= names
        elif (
            token.kind == "identifier"
            and index + 1 < len(tokens)
            and tokens[index + 1].text == "["
            and index + 1 not in declared
            and any(token.text in scope.names for scope in scopes)
            and is_use(source, index)
            and not any(macros)
            and not any(edit.start <= token.start < edit.end for edit in rewritten)
        ):
            check_element(source, index)
            found = True
    return found
