# SPDX-License-Identifier: MIT
"""One pass over a source: it edits what g++ cannot compile, and refuses what the engine lacks."""

import re

from .device_variables import SPECIFIERS, register_device_variable
from .assignments import note_assignment
from .discarded_calls import note_discarded_calls
from .host_names import check_host_names
from .launches import (
    TAKE_A_KERNEL,
    keep_kernel_type,
    register_kernel_pointer,
    rewrite_launch,
)
from .ptx import KEYWORDS as ASM, rewrite_asm
from .shared_memory import (
    is_dynamic_shared,
    mark_end_of_shared,
    move_alignment,
    rewrite_dynamic_shared,
)
from .source import Edit, Source, opens_namespace

# Identifiers of constructs that the engine lacks. A message that names the construct helps more
# than the compiler errors, or the silence, that would follow.
CLUSTERS = "thread block clusters"
TENSOR_FORMS = "maps of images (im2col), and reductions and prefetches of tensors"
UNSUPPORTED = {
    "texture": "texture references (removed in CUDA 12; use texture objects)",
    "surface": "surface references (removed in CUDA 12; use surface objects)",
    "this_cluster": CLUSTERS,
    "cluster_group": CLUSTERS,
}
# These are ordinary words too. The first two count only before a template argument list, the others
# only as names of cooperative groups.
UNSUPPORTED_TEMPLATES = {"texture", "surface"}
UNSUPPORTED_GROUPS = {"this_cluster", "cluster_group"}
# Names that only CUDA has.
UNSUPPORTED_NAMES = (
    (re.compile(r"__cluster[A-Z_]\w+"), CLUSTERS),
    (
        re.compile(
            r"cuTensorMapEncodeIm2col\w*|cp_reduce_async_bulk_tensor\w*|"
            r"cp_async_bulk_prefetch_tensor\w*"
        ),
        TENSOR_FORMS,
    ),
)


def unsupported_construct(source: Source, index: int) -> str | None:
    """What the engine lacks and the token names; None if it names no such thing."""
    text = source.tokens[index].text
    following = source.tokens[index + 1].text if index + 1 < len(source.tokens) else ""
    if text in UNSUPPORTED_TEMPLATES and following != "<":
        return None
    if text in UNSUPPORTED_GROUPS:
        qualified = index > 0 and source.tokens[index - 1].text == "::"
        if not qualified and "using namespace cooperative_groups" not in source.text:
            return None
    if text in UNSUPPORTED:
        return UNSUPPORTED[text]
    return next((what for names, what in UNSUPPORTED_NAMES if names.fullmatch(text)), None)


def check_supported(source: Source, index: int) -> None:
    token = source.tokens[index]
    if token.kind != "identifier" or source.is_dead(token.start):
        return
    missing = unsupported_construct(source, index)
    if missing is not None:
        source.fail(
            token,
            f"{missing}: not available on the CPU engine; keep it "
            "under #ifndef CUDA_EMULATOR beside a plain version",
        )


def drop_hints(source: Source) -> None:
    """Removes pragmas for nvcc alone: g++ warns about pragmas that it does not know."""
    for start, name, rest in source.directives:
        if name == "pragma" and re.match(r"(no)?unroll\b|nv_\w+|hd_warning_disable\b", rest):
            # Up to a comment, which may continue on the next line.
            pragma = re.match(r"(?:(?!//|/\*)[^\n])*", source.text[start:])
            source.edits.append(Edit(start, start + len(pragma[0] if pragma else ""), ""))
    for index, token in enumerate(source.tokens[:-3]):
        if token.text == "_Pragma" and re.match(r'"(no)?unroll\b', source.tokens[index + 2].text):
            source.edits.append(Edit(token.start, source.tokens[index + 3].end, ""))


def rewrite(source: Source, kernels: set[str]) -> None:
    """Finds and edits every launch and every extern __shared__ array of a file.

    `kernels` has the names of kernels that the file may use.
    """
    tokens = source.tokens
    braces: list[bool] = []  # for each open brace, whether it is a function's or a class' body
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.text == "{":
            braces.append(not opens_namespace(tokens, index))
        elif token.text == "}" and braces:
            braces.pop()
        elif token.text == "=" and any(braces):
            note_assignment(source, index)
        elif token.text in ("(", "reinterpret_cast"):
            register_kernel_pointer(source, index, kernels)
        elif token.kind == "identifier":
            check_supported(source, index)
            if token.text in TAKE_A_KERNEL:
                keep_kernel_type(source, index)
            if token.text in ASM:
                source.has_ptx |= rewrite_asm(source, index)
            if token.text == "extern" and is_dynamic_shared(source, index):
                # A macro's body is used in a function, although no brace encloses it here.
                rewrite_dynamic_shared(source, index, any(braces) or source.in_directive(token))
                while tokens[index].text != ";":
                    index += 1
            elif token.text == "__shared__":
                move_alignment(source, index)
                mark_end_of_shared(source, index)
            elif token.text in SPECIFIERS and not any(braces):
                register_device_variable(source, index)
        elif (
            token.text == "<"
            and source.is_bracket(index, "<")
            and not source.is_run(index, "<", 4)
            and not (index > 0 and tokens[index - 1].text == "operator")
        ):
            rewrite_launch(source, index)
            index += 2
        index += 1
    note_discarded_calls(source)
    check_host_names(source)
