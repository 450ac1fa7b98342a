# SPDX-License-Identifier: MIT
"""The sampled requests and steps of a run: what the engine writes for EMULATOR_VIEW."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

WARP = 32
SECTOR = 32  # bytes
WORD = 4  # bytes of a bank
BANKS = 32


@dataclass(frozen=True)
class Sample:
    """One request of a warp. `addresses`: of the lanes that took part, in their order, from the
    beginning of an object; `base` is the object's own address modulo 128."""

    number: int  # of its instruction's requests
    block: tuple[int, int]  # grid and block
    warp: int
    lanes: tuple[int, ...]
    objects: tuple[int, ...]
    addresses: tuple[int, ...]
    base: int
    units: int
    ideal: int

    @property
    def steps(self) -> list[int]:
        """The distances of lanes that take part and whose neighbour does, too."""
        pairs = zip(self.lanes, self.lanes[1:], self.addresses, self.addresses[1:])
        return [after - before for one, two, before, after in pairs if two == one + 1]

    @property
    def is_dense(self) -> bool:
        """Whether no lane is missing between the first and the last one that take part."""
        return self.lanes[-1] - self.lanes[0] + 1 == len(self.lanes)

    @property
    def stride(self) -> int | None:
        """The distance of most lanes from the next lane, where lanes between them may be missing.
        None if there is none that most have."""
        steps = []
        pairs = zip(self.lanes, self.lanes[1:], self.addresses, self.addresses[1:])
        for one, two, before, after in pairs:
            steps.append((after - before) / (two - one))
        return self.most(steps)

    @property
    def stride_of_present(self) -> int | None:
        """The distance of most lanes from the next one that takes part."""
        return self.most([b - a for a, b in zip(self.addresses, self.addresses[1:])])

    def most(self, steps: Sequence[float]) -> int | None:
        if len(steps) < 3 or len(set(self.objects)) != 1:
            return None
        (step, count), *_ = Counter(steps).most_common(1)
        return int(step) if count >= 0.75 * len(steps) and step == int(step) else None


@dataclass(frozen=True)
class Instruction:
    """An instruction that accesses memory, with some of its requests."""

    kernel: str
    file: str
    line: int
    operation: str
    space: str
    bytes: int
    requests: int
    samples: tuple[Sample, ...]
    block_sectors: int  # sectors of one block's requests
    block_distinct: int  # different sectors among them


@dataclass(frozen=True)
class Step:
    """Equal steps of a warp, one after the other."""

    interval: int  # how many barriers the block had passed
    file: str
    line: int
    operation: str
    lanes: int  # a mask
    count: int


@dataclass(frozen=True)
class Shape:
    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic_shared: int
    static_shared: int
    registers: int
    resident: int  # blocks that a multiprocessor holds
    launches: int

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]


@dataclass(frozen=True)
class KernelSamples:
    name: str
    shapes: tuple[Shape, ...]
    warps: tuple[tuple[Step, ...], ...]  # the steps of one block
    whole: bool  # no step was left out


@dataclass(frozen=True)
class Samples:
    device: dict[str, Any]
    kernels: dict[str, KernelSamples]
    instructions: tuple[Instruction, ...]
    objects: tuple[dict[str, Any], ...]

    def of_line(
        self, kernel: str, file: str, line: int, operation: str, space: str
    ) -> list[Instruction]:
        wanted = (kernel, file, line, operation, space)
        return [
            one
            for one in self.instructions
            if (one.kernel, one.file, one.line, one.operation, one.space) == wanted
        ]


def lanes_of(mask: int) -> tuple[int, ...]:
    return tuple(lane for lane in range(WARP) if mask >> lane & 1)


def read_sample(record: dict[str, Any], objects: Sequence[dict[str, Any]]) -> Sample:
    lanes = lanes_of(record["lanes"])
    owners = record["objects"] * (len(lanes) if len(record["objects"]) == 1 else 1)
    return Sample(
        record["number"],
        (record["grid"], record["block"]),
        record["warp"],
        lanes,
        tuple(owners),
        tuple(record["offsets"]),
        objects[owners[0]]["base"],
        record["units"],
        record["ideal"],
    )


def read_steps(steps: Iterable[Sequence[int]], places: Sequence[dict[str, Any]]) -> list[Step]:
    found = []
    for interval, index, lanes, _, count in steps:
        place = places[index]
        found.append(Step(interval, place["file"], place["line"], place["operation"], lanes, count))
    return found


def read_samples(document: dict[str, Any]) -> Samples:
    objects = document["objects"]
    kernels = {}
    for record in document["kernels"]:
        shapes = [
            Shape(
                tuple(one["grid"]),
                tuple(one["block"]),
                one["dynamic_shared"],
                one["static_shared"],
                one["registers"],
                one["resident"],
                one["launches"],
            )
            for one in record["shapes"]
        ]
        kernels[record["name"]] = KernelSamples(
            record["name"],
            tuple(shapes),
            tuple(tuple(read_steps(warp["steps"], record["places"])) for warp in record["warps"]),
            not any(warp["left_out"] for warp in record["warps"]),
        )
    instructions = [
        Instruction(
            record["kernel"],
            record["file"],
            record["line"],
            record["operation"],
            record["space"],
            record["bytes"],
            record["requests"],
            tuple(read_sample(one, objects) for one in record["kept"]),
            record.get("block_sectors", 0),
            record.get("block_distinct", 0),
        )
        for record in document["instructions"]
    ]
    return Samples(document["device"], kernels, tuple(instructions), tuple(objects))
