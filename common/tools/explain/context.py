# SPDX-License-Identifier: MIT
"""One kernel of a run, as the searches for causes see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from common.tools.explain.finding import Finding
from common.tools.explain.samples import Instruction, KernelSamples, Sample, Samples
from common.tools.lib.counting import Kernel, Line


@dataclass(frozen=True)
class Context:
    kernel: Kernel
    samples: Samples
    texts: dict[str, list[str]]  # the lines of the sources, by the file's name
    all_kernels: list[Kernel]  # of the program

    @property
    def own(self) -> KernelSamples | None:
        return self.samples.kernels.get(self.kernel.name)

    @property
    def block_shape(self) -> tuple[int, ...]:
        own = self.own
        return own.shapes[0].block if own and own.shapes else (1, 1, 1)

    def accesses(self, *spaces: str) -> Iterator[tuple[Line, list[Instruction]]]:
        """The counted lines that access these spaces, with their sampled instructions. A line of a
        header that is no source of the program is left out: nobody there can cure it."""
        for line in self.kernel.lines:
            if line["space"] in spaces and line["requests"] and line["file"] in self.texts:
                yield line, self.samples.of_line(
                    self.kernel.name, line["file"], line["line"], line["operation"], line["space"]
                )

    def text(self, line: Line) -> str:
        """The source's line; empty if the file does not have it."""
        lines = self.texts.get(line["file"], [])
        return lines[line["line"] - 1] if 0 < line["line"] <= len(lines) else ""

    def finding(self, kind: str, line: Line, cause: str, cure: str, weight: float) -> Finding:
        return Finding(
            kind, line["file"], line["line"], self.kernel.name, cause, cure, min(1.0, weight)
        )


def all_samples(instructions: list[Instruction]) -> list[Sample]:
    return [sample for one in instructions for sample in one.samples]


def each(value: float) -> str:
    """An average per request: `4`, `5.2`."""
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


def counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
