# SPDX-License-Identifier: MIT
"""The counters of several ranks as those of one run: each rank counts for itself."""

import subprocess
from pathlib import Path
from typing import Any

from common.tools.lib.errors import DataError
from common.tools.lib.files import parse_json, read_text
from common.tools.lib.ranks import run_ranks

Document = dict[str, Any]
# What names a line. Everything else of a line is a count.
IDENTITY = ("file", "line", "operation", "space", "bytes", "instructions")


def add_counts(total: Document, more: Document) -> None:
    """Adds the numbers of a table, and of the tables in it. Texts stay."""
    for name, value in more.items():
        if isinstance(value, dict):
            add_counts(total.setdefault(name, {}), value)
        elif isinstance(value, int) and not isinstance(value, bool):
            total[name] = total.get(name, 0) + value
        else:
            total.setdefault(name, value)


def add_kernel(total: Document, more: Document) -> None:
    lines = {tuple(line[name] for name in IDENTITY): line for line in total["lines"]}
    for line in more["lines"]:
        identity = tuple(line[name] for name in IDENTITY)
        if identity not in lines:
            total["lines"].append(line)
            continue
        for name, value in line.items():
            if name not in IDENTITY:
                lines[identity][name] += value
    add_counts(total, {name: value for name, value in more.items() if name != "lines"})


def add_documents(documents: list[Document]) -> Document:
    """The sum of what the ranks have written. The findings are those of all ranks."""
    total, *others = documents
    kernels = {kernel["name"]: kernel for kernel in total["kernels"]}
    for document in others:
        add_counts(total["transfers"], document["transfers"])
        total["findings"] += document["findings"]
        for kernel in document["kernels"]:
            if kernel["name"] in kernels:
                add_kernel(kernels[kernel["name"]], kernel)
            else:
                kernels[kernel["name"]] = kernel
                total["kernels"].append(kernel)
    return total


def count_ranks(
    program: Path, arguments: list[str], ranks: int, path: Path
) -> tuple[int, str, Document | None]:
    """Runs a stage on several ranks, and returns its exit status, its stderr, and the sum of the
    counters. Rank 0 writes to `path`, and the others beside it. None: a rank has written nothing.
    """
    status, said = run_ranks(program, arguments, ranks, stdout=subprocess.DEVNULL)
    paths = [path, *(Path(f"{path}.rank{rank}") for rank in range(1, ranks))]
    try:
        return status, said, add_documents([parse_json(read_text(one), one) for one in paths])
    except (OSError, DataError, KeyError, TypeError):
        return status, said, None
