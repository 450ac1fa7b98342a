# SPDX-License-Identifier: MIT
"""Figures and how gnuplot draws them: tidy .dat files, one file of variables, one script a figure."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import measurements
from limits import Limits, read_limits
from measurements import DataError, KernelCounters, Metric, Published, Report, Row

PLOTS = Path(__file__).resolve().parent
sys.path.append(str(PLOTS.parent))
from common.tools.lib.stages import grouped  # noqa: E402

COUNTERS = PLOTS / "data" / "counters"
PUBLISHED = PLOTS / "published" / "thesis.csv"
FORMATS = ("png", "svg")
SERIAL = "00_cpu"  # a chapter's stage on one core of the CPU
THESIS_CARD = "GTX 980, 2016"  # whose numbers are drawn in grey
EMULATED = "CPU engine (emulated; not a GPU's time)"


@dataclass(frozen=True)
class Block:
    """One series of a .dat file: a title and rows of numbers (or of a text and numbers)."""

    title: str
    rows: Sequence[Sequence[object]]


@dataclass
class Drawing:
    """What a figure's gnuplot script is given, and what the page says about it."""

    tables: dict[str, list[Block]]
    subtitle: str
    ours: str
    alt: str
    variables: dict[str, object] = field(default_factory=dict)
    from_recorded: bool = False
    emulated: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure: its script is plots/<name>.gp or another's, its files <name>.png and <name>.svg."""

    name: str
    label: str
    chapter: str
    title: str
    thesis: str
    prepare: Callable[["Source"], Drawing]
    in_readme: bool = False
    said_by: str = "Thesis"  # whose words `thesis` reports
    script: str = ""  # plots/<script>.gp, where several figures are drawn by one

    @property
    def script_path(self) -> Path:
        return PLOTS / f"{self.script or self.name}.gp"

    @property
    def heading(self) -> str:
        return f"{self.label}. {self.title}" if self.label else self.title


# A table of a chapter's README: from all rows, reports, and the limits of their devices.
TableMaker = Callable[[Sequence[Row], Sequence[Report], Mapping[str, Limits]], list[str]]


class Source:
    """Where the measurements come from: recorded ones, or this machine's."""

    def __init__(self, kind: str, folder: Path, recorded_folder: Path | None,
                 published: Sequence[Published], counters_folder: Path = COUNTERS) -> None:
        self.kind = kind
        self.folder = folder
        self.recorded_folder = recorded_folder
        self.counters_folder = counters_folder
        self._published = published
        self.read: dict[Path, None] = {}  # what numbers were taken from, in order

    def afresh(self) -> "Source":
        """The same, of which nothing has been read."""
        return Source(self.kind, self.folder, self.recorded_folder, self._published, self.counters_folder)

    def reading(self, path: Path) -> Path:
        """Notes that numbers are taken from the file."""
        self.read[path] = None
        return path

    def rows_path(self, chapter: str) -> Path:
        return self.folder / f"{chapter}.csv"

    def rows(self, chapter: str) -> list[Row]:
        return measurements.read_rows(self.reading(self.rows_path(chapter)))

    def reports_path(self, chapter: str) -> Path:
        return self.folder / f"{chapter}_report.csv"

    def reports(self, chapter: str) -> list[Report]:
        return measurements.read_reports(self.reading(self.reports_path(chapter)))

    def profile_path(self, chapter: str) -> tuple[Path, bool]:
        """The profile's file, and whether it is the recorded one although this machine was asked
        for: a machine without a GPU has no profiler counters to give."""
        own = self.folder / f"{chapter}_profile.csv"
        if self.kind == "here" and not own.exists() and self.recorded_folder is not None:
            return self.recorded_folder / own.name, True
        return own, False

    def profile(self, chapter: str) -> tuple[list[Metric], Path, bool]:
        path, from_recorded = self.profile_path(chapter)
        return measurements.read_profile(self.reading(path)), path, from_recorded

    def counters_path(self, chapter: str) -> Path:
        """Counters are no measurement of a machine: the recorded ones are everybody's."""
        return self.counters_folder / f"{chapter}.csv"

    def trace_path(self, name: str) -> Path:
        return self.counters_folder.parent / "traces" / f"{name}.csv"

    def trace(self, name: str, columns: Sequence[str]) -> list[dict[str, str]]:
        """What a small run did, access by access: the same on every machine too."""
        return measurements.read_trace(self.reading(self.trace_path(name)), columns)

    def counters(self, chapter: str) -> list[KernelCounters]:
        return measurements.read_counters(self.reading(self.counters_path(chapter)))

    def limits(self) -> dict[str, Limits]:
        """What the devices of these rows can do at most; an emulated device has none."""
        path = self.folder / "limits.csv"
        return read_limits(self.reading(path)) if path.exists() else {}

    def published(self, figure: str, quantity: str) -> list[Published]:
        found = [one for one in self._published
                 if one.figure == figure and one.quantity == quantity]
        if not found:
            raise DataError(f"{PUBLISHED}: no {quantity} of figure {figure}")
        self.reading(PUBLISHED)
        return found


def kernel_engine(rows: Sequence[Row]) -> str:
    """The engine whose rows stand for the GPU: a real one wherever there is one."""
    return "gpu" if any(row.engine == "gpu" for row in rows) else "emu"


def device_label(rows: Sequence[Row], engine: str) -> str:
    """The name under which a figure draws the kernels' rows."""
    if engine == "emu":
        return EMULATED
    return next((row.device for row in rows if row.engine == engine), engine)


def repeats_of(rows: Sequence[Row]) -> str:
    """How often each stage ran at each n: `5 runs each`, `1 to 5 runs each`."""
    counts = Counter((row.stage, row.engine, row.n, row.input, tuple(row.parameters.items()))
                     for row in rows).values()
    fewest, most = min(counts), max(counts)
    return f"{fewest} to {most} runs each" if fewest < most else f"{most} run{'s' * (most > 1)} each"


def sizes_of(rows: Sequence[Row]) -> str:
    """`n = 2048`, `n from 10 k to 3.2 M`."""
    sizes = sorted({row.n for row in rows})
    return (f"n = {short_count(sizes[0])}" if len(sizes) == 1
            else f"n from {short_count(sizes[0])} to {short_count(sizes[-1])}")


def origin(rows: Sequence[Row], engine: str, kind: str, host: str = "") -> str:
    """Which device, and when."""
    day = max(row.date for row in rows)[:10]
    how = "recorded" if kind == "recorded" else "measured here"
    against = f", against one core of {host}" if host else ""
    return f"{device_label(rows, engine)}, {how} {day}{against}"


def provenance(rows: Sequence[Row], engine: str, kind: str, host: str = "") -> str:
    """Subtitle: which device, when, at which sizes, and what a point is."""
    repeats = repeats_of(rows)
    # Of a single run there is nothing to take a median of.
    what = "" if repeats.startswith("1 run ") else ": medians and quartiles"
    return f"{origin(rows, engine, kind, host)}. {sizes_of(rows)}, {repeats}{what}."


def log_range(values: Collection[float], room_above: float) -> tuple[float, float]:
    """Ends of a logarithmic axis that shows all values and leaves a share of its length for the key."""
    low, high = min(values), max(values)
    low, high = low / 1.6, high * 1.6
    return low, high * (high / low) ** (room_above / (1 - room_above))


def time_unit(seconds: float) -> tuple[str, float]:
    """The unit in which a figure whose longest time is this shows times, and its factor."""
    return ("s", 1.0) if seconds >= 1 else ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)


def three_digits(value: float) -> str:
    """`0.0315`, `1.05`, `999`, `1050`, `20 800`: never with an exponent."""
    rounded = float(f"{value:.3g}")
    return grouped(rounded) if abs(rounded) >= 1000 else f"{rounded:.10f}".rstrip("0").rstrip(".")


def short_time(seconds: float) -> str:
    """Three digits: `95 s`, `0.25 s`, `1.03 ms`, `0.5 µs`."""
    if seconds >= 0.1:
        return f"{three_digits(seconds)} s"
    return f"{three_digits(seconds * 1e3)} ms" if seconds >= 1e-4 else f"{three_digits(seconds * 1e6)} µs"


def short_ratio(value: float) -> str:
    """Three digits: `1.07`, `45.3`, `204`, `3730`; below a hundredth two: `0.0035`."""
    if value < 0.01:
        return f"{value:.2g}"
    if value >= 1000:
        return three_digits(value)
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def short_count(n: float) -> str:
    """3200000 as `3.2 M`, 160000 as `160 k`; a number with more digits is written out: `6080`, `540 672`."""
    if n == int(n) and len(str(int(n)).rstrip("0")) > (3 if n >= 10_000 else 2):
        return grouped(n)
    for size, letter in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if n >= size:
            return f"{n / size:.10g}{letter}"
    return f"{n:.10g}"


def tics(values: Sequence[float]) -> str:
    """An xtics list at exactly the measured n."""
    return "(" + ", ".join(f"'{short_count(value)}' {value}" for value in values) + ")"


def check_stages(rows: Sequence[Row | Metric | KernelCounters], stages: Sequence[str], path: Path, what: str) -> None:
    """Every stage that a figure shows must have rows: a missing one is an error, not a gap."""
    missing = [stage for stage in stages if not any(row.stage == stage for row in rows)]
    if missing:
        raise DataError(f"{path}: no rows of {', '.join(missing)} ({what})")


def _text(value: object) -> str:
    if isinstance(value, str):
        return '"' + value.replace('"', "'") + '"'
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def write_table(path: Path, blocks: Sequence[Block]) -> None:
    """One gnuplot data set a block, two blank lines between, its title as the first line."""
    if any(not block.rows for block in blocks) or not blocks:
        raise DataError(f"{path}: a series without a point")
    sections = []
    for block in blocks:
        lines = [_text(block.title)]
        lines += [" ".join(_text(value) for value in row) for row in block.rows]
        sections.append("\n".join(lines))
    path.write_text("\n\n\n".join(sections) + "\n", encoding="utf-8")


def _assignment(name: str, value: object) -> str:
    if isinstance(value, str):
        return f"{name} = '" + value.replace("'", "''") + "'"
    return f"{name} = {value!r}"


def write_variables(path: Path, variables: Mapping[str, object]) -> None:
    """The file that a script loads as `variables`."""
    path.write_text("".join(_assignment(name, value) + "\n" for name, value in variables.items()), encoding="utf-8")


def run_gnuplot(script: Path, assignments: dict[str, object]) -> None:
    """Runs one script with variables; anything that gnuplot says is an error."""
    program = shutil.which("gnuplot")
    if program is None:
        raise DataError("gnuplot is not installed")
    command = "; ".join(_assignment(name, value) for name, value in assignments.items())
    result = subprocess.run([program, "-e", command, str(script)], capture_output=True, text=True,
                            check=False)
    if result.returncode != 0 or "warning" in result.stderr.lower():
        raise DataError(f"{script}: gnuplot says: {result.stderr.strip()}")


def draw(figure: Figure, drawing: Drawing, output: Path) -> list[Path]:
    """Writes the figure's data into output/data and draws it as PNG and SVG."""
    data = output / "data"
    data.mkdir(parents=True, exist_ok=True)
    variables: dict[str, object] = {
        "title_text": figure.heading + (" (CPU engine, emulated)" if drawing.emulated else ""),
        "subtitle_text": drawing.subtitle,
        # A long device's name must not run out of the picture.
        "subtitle_size": 15.0 * min(1.0, 145 / max(1, len(drawing.subtitle)))}
    for suffix, blocks in drawing.tables.items():
        path = data / f"{figure.name}_{suffix}.dat"
        write_table(path, blocks)
        variables[f"{suffix}_file"] = str(path)
        variables[f"{suffix}_count"] = len(blocks)
    variables.update(drawing.variables)
    settings = data / f"{figure.name}.gp"
    write_variables(settings, variables)
    files = []
    for kind in FORMATS:
        target = output / f"{figure.name}.{kind}"
        target.unlink(missing_ok=True)
        run_gnuplot(figure.script_path, {
            "plots": str(PLOTS), "variables": str(settings), "format": kind,
            "output_file": str(target)})
        if not target.exists() or target.stat().st_size == 0:
            raise DataError(f"{target}: gnuplot wrote nothing")
        files.append(target)
    return files
