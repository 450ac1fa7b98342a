# SPDX-License-Identifier: MIT
"""Where recorded and published data lie, and which device's records are read."""

from __future__ import annotations

import re
from pathlib import Path

from common.tools.lib.hardware import PREFERRED_DEVICE
from common.tools.lib.stages import ROOT, DataError

PLOTS = ROOT / "plots"
DATA = PLOTS / "data"
COUNTERS = DATA / "counters"
TRACES = DATA / "traces"
BOUNDS = DATA / "bounds"
LINES = DATA / "lines"
PUBLISHED = PLOTS / "published"
THESIS = PUBLISHED / "thesis.csv"
NO_DEVICES = (
    COUNTERS.name,
    TRACES.name,
    BOUNDS.name,
    LINES.name,
)  # folders of plots/data that hold no device's measurements


def folder_name(device: str) -> str:
    """`nvidia-h200` for `NVIDIA H200`."""
    return re.sub("[^a-z0-9]+", "-", device.lower()).strip("-")


def device_folders(recorded: Path) -> list[Path]:
    """Those that hold a device's measurements."""
    return sorted(
        folder
        for folder in recorded.glob("*")
        if folder.name not in NO_DEVICES and any(folder.glob("*.csv"))
    )


def device_folder(recorded: Path, name: str | None) -> Path:
    """The folder asked for, by its name or by a part that no other name has: `h100`. Without a name
    the H200's, or else the newest one."""
    folders = device_folders(recorded)
    if name is not None:
        named = [one for one in folders if one.name == name]
        named = named or [one for one in folders if name and name.lower() in one.name]
        if len(named) == 1:
            return named[0]
        names = [one.name for one in named or folders]
        why = "several devices have it in their names" if named else "no such device"
        raise DataError(f"{recorded / name}: {why}; choose one of {', '.join(names)}")
    if (recorded / PREFERRED_DEVICE).is_dir():
        return recorded / PREFERRED_DEVICE
    if not folders:
        raise DataError(
            f"{recorded}: no recorded data. `make record` records it on a machine with a GPU; "
            "`make figures DATA=here` measures this machine"
        )
    return max(folders, key=lambda folder: max(one.stat().st_mtime for one in folder.glob("*.csv")))


def rank_table(folder: Path, chapter: str, recorded: Path = DATA) -> Path:
    """The chapter's rows of several GPUs. Few machines have several, so where a device of the
    recorded data has no such table, another one's counts. The path need not exist."""
    own = folder / f"{chapter}_ranks.csv"
    if own.exists() or folder.parent != recorded:
        return own
    return next(iter(sorted(recorded.glob(f"*/{own.name}"))), own)


def proof_tables(folder: Path, name: str) -> list[Path]:
    """The tables of this name: the folder's own, and then those of other devices."""
    own = folder / name
    others = sorted(path for path in folder.parent.glob(f"*/{name}") if path != own)
    return [path for path in (own, *others) if path.exists()]
