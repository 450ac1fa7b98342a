# SPDX-License-Identifier: MIT
"""Pairs what the CPU engine and ncu counted, kernel by kernel."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plots.records import ncu
from common.tools.lib.counting import kernel_key
from plots.records.proof_data import read_proof_data
from plots.records.proof_rows import (
    ATOMIC_WAVEFRONTS,
    LAUNCHES,
    SHARED_ATOMICS,
    Counter,
    Reason,
    Row,
)
from common.tools.lib.files import parse_json, read_text
from common.tools.lib.stages import DataError


@dataclass(frozen=True)
class Family:
    """Kernels that launch one another. ncu adds the work of a launched kernel to the kernel that
    launches it, so they are compared as one kernel."""

    program: str
    kernels: tuple[str, ...]  # patterns of their names
    name: str  # in rows and on the page

    def holds(self, program: str, kernel: str) -> bool:
        return fnmatch.fnmatchcase(program, self.program) and any(
            fnmatch.fnmatchcase(kernel_key(kernel), pattern) for pattern in self.kernels
        )


@dataclass(frozen=True)
class Counted:
    """What the CPU engine says of a kernel or of a family, as a sum over its launches."""

    launches: int
    values: Mapping[str, int] | None  # by counter; None: it cannot be compared
    family: Family | None = None


def read_families(path: Path) -> list[Family]:
    return [
        Family(entry["program"], tuple(entry["kernels"]), entry["name"])
        for entry in read_proof_data(path)["family"]
    ]


def join_families(
    program: str, kernels: dict[str, dict[str, Any]], families: Sequence[Family]
) -> dict[str, dict[str, Any]]:
    """The engine's counters, with the kernels of a family added up."""
    joined: dict[str, dict[str, Any]] = {}
    for name, kernel in kernels.items():
        family = next((one for one in families if one.holds(program, name)), None)
        if family is None:
            joined[name] = kernel
        elif family.name not in joined:
            joined[family.name] = kernel | {"family": family}
        else:
            whole = joined[family.name]
            joined[family.name] = (
                whole
                | {key: whole[key] + kernel[key] for key in ("launches", "blocks", "warps")}
                | {"totals": add_totals(whole["totals"], kernel["totals"])}
            )
    return joined


def add_totals(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {
        key: add_totals(value, other[key]) if isinstance(value, dict) else value + other[key]
        for key, value in one.items()
    }


def read_emulated(path: Path) -> dict[str, dict[str, Any]]:
    """The engine's counters by the name of the kernel."""
    document = parse_json(read_text(path), path)
    try:
        if document["schema"] != 1:
            raise DataError(f"{path}: the schema of the counters is not 1")
        return {kernel["name"]: kernel for kernel in document["kernels"]}
    except (KeyError, TypeError):
        raise DataError(f"{path}: has not the keys of the engine's counters") from None


def read_measured(path: Path) -> dict[str, list[ncu.Launch]]:
    """The launches by the kernel's key."""
    kernels: dict[str, list[ncu.Launch]] = {}
    for launch in ncu.parse_launches(read_text(path)):
        kernels.setdefault(kernel_key(launch["Kernel Name"][1]), []).append(launch)
    return kernels


def measured_sum(launches: Sequence[ncu.Launch], counter: Counter) -> int | None:
    """What the hardware counted in all launches of a kernel, or None if ncu has no such metric."""

    def total(names: Iterable[str]) -> float | None:
        values = [
            ncu.parse_number(launch.get(name, ("", ""))[1]) for launch in launches for name in names
        ]
        return None if None in values else sum(values)  # type: ignore[arg-type]

    value = total(counter.metrics)
    # A barrier of the grid has some of these wavefronts, too.
    if counter.name == ATOMIC_WAVEFRONTS and total((SHARED_ATOMICS,)) == 0:
        value = 0
    return None if value is None else round(value)


def compare(
    base: Row,
    emulated: Mapping[str, Counted],
    measured: Mapping[str, Sequence[ncu.Launch]],
    values_of: Callable[[Sequence[ncu.Launch]], Mapping[str, int | None]],
    reasons: Sequence[Reason] = (),
) -> tuple[list[Row], list[str]]:
    """A run's rows, and messages on kernels that cannot be compared and have no reason. base: date
    and run of the rows. values_of: what the hardware counted, None if ncu cannot tell."""

    def launched_elsewhere(kernel: str) -> bool:
        row = replace(base, kernel=kernel, counter=LAUNCHES)
        return any(reason.counter == LAUNCHES and reason.covers(row) for reason in reasons)

    rows, troubles = [], []
    left = dict(measured)
    for name, kernel in emulated.items():
        key = kernel_key(name)
        if (family := kernel.family) is not None:
            members = [one for one in left if family.holds(base.program, one)]
            left[key] = [launch for one in members for launch in left.pop(one)]
            if not left[key]:
                left.pop(key)
        if launched_elsewhere(name) or (family and kernel.values is None):
            left.pop(key, None)
            continue
        if key not in left:
            # The template arguments may be written differently: a name that occurs once is enough.
            alike = [one for one in left if one.partition("<")[0] == key.partition("<")[0]]
            key = alike[0] if len(alike) == 1 else key
        if key not in left:
            troubles.append(f"{name} was not measured (ncu does not see launches by kernels)")
            continue
        launches = left.pop(key)
        if kernel.values is None:
            troubles.append(f"{name}: no machine code")
        elif len(launches) != kernel.launches and family is None:
            troubles.append(
                f"{name}: {kernel.launches} launches emulated, {len(launches)} measured"
            )
        else:
            for counter, value in values_of(launches).items():
                if value is None:
                    troubles.append(f"{name}: ncu has no {counter}")
                    continue
                rows.append(
                    replace(
                        base,
                        kernel=name,
                        launches=len(launches),
                        counter=counter,
                        emulated=kernel.values[counter],
                        measured=value,
                    )
                )
    troubles += [f"{key} was not emulated" for key in left if not launched_elsewhere(key)]
    return rows, [f"{base.run}: {trouble}" for trouble in troubles]
