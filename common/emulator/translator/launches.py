# SPDX-License-Identifier: MIT
"""Kernel launches: kernel<<<grid, block>>>(arguments) becomes a call of ::emulator::bind_launch."""

import re

from .source import CLOSING, OPENING, Edit, Source

# Keywords that can come directly before a kernel's name without being part of it.
KEYWORDS = {"return", "else", "do", "case", "default", "goto", "if", "while", "for", "switch"}
# Runtime functions whose first argument is a kernel, often cast to void*.
TAKE_A_KERNEL = {
    "cudaLaunchKernel",
    "cudaLaunchCooperativeKernel",
    "cudaFuncSetAttribute",
    "cudaFuncSetCacheConfig",
}


def match_backwards(source: Source, index: int) -> int | None:
    """Index of the bracket that opens the one at index."""
    depth = 0
    for position in range(index, -1, -1):
        text = source.tokens[position].text
        if text in CLOSING:
            depth += 1
        elif text in OPENING:
            depth -= 1
            if depth == 0:
                return position
    return None


def match_template_backwards(source: Source, index: int) -> int | None:
    """Index of the '<' that opens the template argument list closed by the '>' at index."""
    depth = 0
    position = index
    while position >= 0:
        text = source.tokens[position].text
        if text in (")", "]", "}"):
            opening = match_backwards(source, position)
            if opening is None:
                return None
            position = opening
        elif text in OPENING or text == ";":
            return None
        elif text == ">":
            depth += 1
        elif text == "<":
            if position > 0 and source.is_run(position - 1, "<", 2):
                position -= 1  # a left shift among the arguments
            else:
                depth -= 1
                if depth == 0:
                    return position
        position -= 1
    return None


def kernel_name_start(source: Source, launch: int) -> int | None:
    """Index of the first token of the postfix expression that ends before the '<<<' at launch."""
    tokens = source.tokens
    index = launch - 1
    while index >= 0:
        token = tokens[index]
        if token.text == ">":
            opening = match_template_backwards(source, index)
            if not opening or tokens[opening - 1].kind != "identifier":
                return None
            index = opening - 1
            continue
        if token.text in (")", "]"):
            opening = match_backwards(source, index)
            if opening is None:
                return None
            index = opening
            before = tokens[index - 1] if index > 0 else None
            is_postfix = before is not None and (
                before.text in (">", "]")
                or (before.kind == "identifier" and before.text not in KEYWORDS)
            )
            if token.text == "]" and not is_postfix:
                return None
            if not is_postfix:
                return index
            index -= 1
            continue
        if token.kind != "identifier" or token.text in KEYWORDS:
            return None
        if index > 0 and tokens[index - 1].text == "template":
            index -= 1
        if index > 0 and tokens[index - 1].text == "::":
            index -= 1
            before = tokens[index - 1] if index > 0 else None
            qualified = before is not None and (
                before.text == ">" or (before.kind == "identifier" and before.text not in KEYWORDS)
            )
            if not qualified:
                return index
            index -= 1
            continue
        if index > 0 and tokens[index - 1].text in (".", "->"):
            index -= 2
            continue
        return index
    return None


def configuration_end(source: Source, first: int) -> int | None:
    """Index of the first '>' of the '>>>' that ends the configuration starting at token first."""
    tokens = source.tokens
    depth = 0
    template_lists = 0
    index = first
    while index < len(tokens):
        text = tokens[index].text
        if text in OPENING:
            depth += 1
        elif text in CLOSING:
            depth -= 1
            if depth < 0:
                return None
        elif text == ";" and depth == 0:
            return None
        elif depth == 0 and text == "<":
            if source.is_run(index, "<", 2):
                index += 1  # a left shift
            elif index > first and tokens[index - 1].kind == "identifier":
                template_lists += 1
        elif depth == 0 and text == ">":
            run = 1
            while source.is_run(index, ">", run + 1):
                run += 1
            if run == 2 and source.is_bracket(index, ">"):
                run = 3
            if run >= 3 and template_lists < run:
                return index + run - 3
            template_lists = max(0, template_lists - run)
            index += run - 1
        index += 1
    return None


def rewrite_launch(source: Source, launch: int) -> None:
    """kernel<<<configuration>>> becomes bind_launch(...); the argument list stays as it is.

    The first lambda calls the kernel, so overloads and template arguments are found as in a call.
    The second gives the kernel's address to whoever asks, if the name alone determines it.
    """
    tokens = source.tokens
    name_first = kernel_name_start(source, launch)
    if name_first is None:
        source.fail(tokens[launch], "no kernel name before <<<")
    end = configuration_end(source, launch + 3)
    if end is None:
        source.fail(tokens[launch], "no >>> ends this launch configuration")
    if end == launch + 3:
        source.fail(tokens[launch], "a launch configuration needs a grid and a block size")
    if end + 3 >= len(tokens) or tokens[end + 3].text != "(":
        source.fail(tokens[end], "no argument list after >>>")
    name = source.plain_text(name_first, launch - 1)
    label = name.replace("\\", "\\\\").replace('"', '\\"')
    # Two edits, so that the configuration's own text stays in place with its line breaks.
    source.edits.append(
        Edit(
            tokens[name_first].start,
            tokens[launch + 2].end,
            source.line_breaks(tokens[name_first].start, tokens[launch].start)
            + "::emulator::bind_launch(::emulator::LaunchConfiguration(",
        )
    )
    source.edits.append(
        Edit(
            tokens[end].start,
            tokens[end + 2].end,
            f'), "{label}", [=](auto... emulator_arguments) EMULATOR_UNRECORDED '
            f"{{ {name}(emulator_arguments...); }}, "
            f"[=](auto emulator_use) -> decltype(emulator_use({name})) "
            f"{{ return emulator_use({name}); }})",
        )
    )
    keep_null_pointers(source, end + 3)


def keep_null_pointers(source: Source, opening: int) -> None:
    """An argument NULL becomes nullptr: passed on by a function, g++'s NULL is a long."""
    tokens = source.tokens
    depth = 0
    for index in range(opening, len(tokens)):
        text = tokens[index].text
        if (
            text == "NULL"
            and depth == 1
            and tokens[index - 1].text in ("(", ",")
            and tokens[index + 1].text in (")", ",")
        ):
            source.edits.append(Edit(tokens[index].start, tokens[index].end, "nullptr"))
        depth += (text in OPENING) - (text in CLOSING)
        if depth == 0:
            return


def name_kernels(text: str) -> list[str]:
    """The names of the kernels that a text declares."""
    return re.findall(r"\b__global__\b[^;{}()]*(?:\([^()]*\)[^;{}()]*?)?\b(\w+)\s*\(", text)


def cast_length(source: Source, index: int) -> int:
    """The number of tokens of `(void*)` or `(const void*)` at index; 0: there is none."""
    words = [token.text for token in source.tokens[index : index + 5]]
    if words[:4] == ["(", "void", "*", ")"]:
        return 4
    return 5 if words == ["(", "const", "void", "*", ")"] else 0


def register_kernel_pointer(source: Source, index: int, kernels: set[str]) -> None:
    """`(void*)kernel` becomes a call that tells the engine the kernel's type.

    So does `reinterpret_cast<void*>(kernel)`.
    """
    tokens = source.tokens
    if tokens[index].text == "reinterpret_cast":
        words = [token.text for token in tokens[index + 1 : index + 6] if token.text != "const"]
        if words[:4] != ["<", "void", "*", ">"]:
            return
        opening = next(i for i in range(index, index + 8) if tokens[i].text == "(")
        named = opening + (2 if tokens[opening + 1].text == "&" else 1)
        if tokens[named].text in kernels:
            start, end = tokens[index].start, tokens[opening - 1].end
            source.edits.append(Edit(start, end, "::emulator::kernel_pointer"))
        return
    length = cast_length(source, index)
    first = index + length
    if length == 0 or first + 1 >= len(tokens) or tokens[index - 2].text in TAKE_A_KERNEL:
        return
    if tokens[first].text == "&":
        first += 1
    last = first
    while tokens[last].kind == "identifier" and tokens[last + 1].text == "::":
        last += 2
    if tokens[last].text not in kernels:
        return
    if tokens[last + 1].text == "<" and not source.is_run(last + 1, "<", 2):
        last = match_template(source, last + 1) or last
    start, end = tokens[index].start, tokens[index + length - 1].end
    breaks = source.line_breaks(start, end)
    source.edits.append(Edit(start, end, breaks + "::emulator::kernel_pointer("))
    source.edits.append(Edit(tokens[last].end, tokens[last].end, ")"))


def match_template(source: Source, opening: int) -> int | None:
    """Index of the '>' that closes the template argument list opened at `opening`."""
    depth = 0
    for index in range(opening, len(source.tokens)):
        text = source.tokens[index].text
        depth += (text in ("<", "(")) - (text in (">", ")"))
        if text == ";":
            return None
        if depth == 0:
            return index
    return None


def keep_kernel_type(source: Source, index: int) -> None:
    """Removes the cast of a kernel to void* from a call like `f((void*)kernel, …`: CUDA finds the
    kernel by its address, the engine by its type."""
    tokens = source.tokens
    after = index + 1
    if after < len(tokens) and tokens[after].text == "(":
        first = after + 1
        length = cast_length(source, first)
        if length > 0:
            start, end = tokens[first].start, tokens[first + length - 1].end
            source.edits.append(Edit(start, end, source.line_breaks(start, end)))
