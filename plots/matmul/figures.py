# SPDX-License-Identifier: MIT
"""Figures of the matmul chapter. plots/README.md says how to add one."""

from plots.drawing.chapter import Chapter, Rate, Rules
from plots.records.rows import Row
from plots.records.stages import stages_of

STAGES = stages_of("matmul")


def products(row: Row) -> float:
    """Of a run of square matrices."""
    return float(row.n) ** 3


CHAPTER = Chapter(
    STAGES,
    (),
    Rate("products", products),
    Rules({"input": "random"}),
    path_sizes={"": 8192, "limit": 8192},
    share_of=STAGES.named("cublas"),
    working_set_bytes=lambda n: 12.0 * n * n,
)
