# SPDX-License-Identifier: MIT
"""What make prove, make instructions and make verdicts have in common.

Each compares what the CPU engine says of programs with what a tool measures of them on a GPU. It
writes plots/data/<device>/<table> and the tables of a page. The exit status is 1 if the two sides
differ and no *.toml file of this folder or of plots/<chapter> gives a reason.

The two halves may run on different machines, and a third machine may compare them:
    --count-into DIR                only run the CPU engine, and keep what it says
    --measure-into DIR              only run the tool on the GPU, and keep what it says
    --emulated DIR                  compare with what --count-into kept
    --measured DIR --device NAME    compare with what --measure-into kept
Other uses:
    --check                         whether the page and the reasons fit the recorded rows
    --page                          write the page from the recorded rows
    --recount                       whether the CPU engine still says what was recorded
    --recount --page                record what it says now beside the old measurements
"""

import argparse
import datetime
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from common.tools.lib.files import read_text, write_whole
from common.tools.lib.marks import fill
from common.tools.lib.gpus import gpu_name
from common.tools.lib.stages import EXIT_FAILURE, EXIT_NO_DEVICE, DataError, ToolError
from common.tools.lib.stages import arguments, build_folder
from plots.records.folders import DATA, device_folder, proof_tables
from plots.records.proof_rows import (
    AnyReason,
    AnyRow,
    all_rows,
    judge,
    read_reasons,
    read_rows,
    read_tables,
    write_rows,
)

Run = TypeVar("Run")  # a program with its flags; its text is the `run` of its rows
Said = TypeVar("Said")  # what the CPU engine says of a run
Item = TypeVar("Item")
Result = TypeVar("Result")


def attempt(
    work: Callable[[Item], Result], items: Iterable[Item], at_once: int = 1, aloud: bool = False
) -> tuple[list[tuple[Item, Result]], list[str]]:
    """The result of each item, and why the others have none. `aloud`: names what is done."""

    def tried(item: Item) -> tuple[Item, Result | DataError | OSError]:
        try:
            return item, work(item)
        except (DataError, OSError) as error:  # of a file that an earlier step did not write
            return item, error
        finally:
            if aloud:
                print(item, file=sys.stderr, flush=True)

    with ThreadPoolExecutor(at_once) as pool:
        done = list(pool.map(tried, items))
    return (
        [(item, found) for item, found in done if not isinstance(found, (DataError, OSError))],
        [f"{item}: {found}" for item, found in done if isinstance(found, (DataError, OSError))],
    )


class Source(ABC, Generic[Run, Said, AnyRow, AnyReason]):
    """Where rows come from. Files of one run are kept in a folder under names of its own."""

    command: ClassVar[str]  # "make prove"
    table: ClassVar[str]  # "counters.csv"
    reasons: ClassVar[Path]
    page: ClassVar[Path]
    row: type[AnyRow]
    reason: type[AnyReason]
    # Folders of the build folder: what the GPU's tool says, and what the CPU engine says.
    kept: ClassVar[tuple[str, str]]
    at_once: ClassVar[int] = 1  # runs of the tool

    @abstractmethod
    def runs(self) -> list[Run]:
        """What is compared now."""

    @abstractmethod
    def check_tools(self) -> None:
        """Raises an error if this machine has no tool for a GPU."""

    @abstractmethod
    def measure(self, run: Run, folder: Path) -> None:
        """Runs the tool, and keeps what it says."""

    @abstractmethod
    def count(self, run: Run, folder: Path) -> None:
        """Runs the CPU engine, and keeps what it says."""

    def prepare(self, runs: list[Run], folder: Path, afresh: bool) -> tuple[list[Run], list[str]]:
        """What emulated() needs besides. Returns the runs that can go on, and troubles."""
        return runs, []

    @abstractmethod
    def emulated(self, run: Run, folder: Path) -> Said:
        """What count() kept."""

    @abstractmethod
    def compare(
        self, run: Run, said: Said, folder: Path, date: str
    ) -> tuple[list[AnyRow], list[str]]:
        """A run's rows, and what cannot be compared. `folder`: where measure() kept its files."""

    @abstractmethod
    def renewed(self, row: AnyRow, said: Said) -> AnyRow | None:
        """The row with what the engine says now; None if it says nothing."""

    @abstractmethod
    def off(self, rows: Sequence[AnyRow]) -> list[AnyRow]:
        """The rows that differ too much."""

    @abstractmethod
    def words(self, rows: list[AnyRow], off: int, unexplained: list[AnyRow]) -> list[str]:
        """What is printed of each row without a reason, and a summary."""

    @abstractmethod
    def tables(
        self, tables: Mapping[Path, Sequence[AnyRow]], reasons: Sequence[AnyReason]
    ) -> Mapping[str, list[str]]:
        """The lines of each of the page's tables, by its name."""

    def incomplete(self, rows: list[AnyRow]) -> str:
        """What is missing among the recorded rows, or empty."""
        return ""

    def exists(self, program: str) -> bool:
        """Whether rows of a program that does not run now are kept."""
        return True

    def recorded(self, folder: Path) -> dict[Path, list[AnyRow]]:
        """The rows that `folder` holds, and those of programs that only other devices ran."""
        return read_tables(proof_tables(folder, self.table), self.row)

    def filled(self, text: str, folder: Path) -> str:
        """The page with new tables."""
        reasons = read_reasons(self.reasons, self.reason)
        for name, lines in self.tables(self.recorded(folder), reasons).items():
            text = fill(text, name, lines, self.page)
        return text

    def write_page(self, folder: Path) -> None:
        write_whole(self.page, self.filled(read_text(self.page), folder))

    def report(self, rows: list[AnyRow]) -> tuple[bool, bool]:
        """Prints what differs. Whether a difference lacks a reason, and a reason a difference."""
        off = self.off(rows)
        unexplained, stale = judge(off, read_reasons(self.reasons, self.reason))
        for reason in stale:
            print(
                f"{self.reasons.name}: no difference any more: {' '.join(reason.patterns().values())}"
            )
        print("\n".join(self.words(rows, len(off), unexplained)))
        return bool(unexplained), bool(stale)

    def check(self, folder: Path) -> int:
        rows = all_rows(self.recorded(folder))
        wrong = any(self.report(rows))
        text = read_text(self.page)
        old = self.filled(text, folder) != text
        out_of_date = f"{self.page}: out of date: run {self.command} ARGS=--page"
        for trouble in filter(None, (self.incomplete(rows), out_of_date if old else "")):
            wrong = True
            print(trouble)
        return EXIT_FAILURE if wrong else 0

    def measure_all(self, runs: list[Run], folder: Path) -> tuple[list[Run], list[str]]:
        """The runs that succeeded, and troubles."""
        self.check_tools()
        folder.mkdir(parents=True, exist_ok=True)
        done, troubles = attempt(lambda run: self.measure(run, folder), runs, self.at_once, True)
        return [run for run, _ in done], troubles

    def count_all(self, runs: list[Run], folder: Path) -> tuple[list[Run], list[str]]:
        folder.mkdir(parents=True, exist_ok=True)
        runs, troubles = self.prepare(runs, folder, True)
        done, more = attempt(lambda run: self.count(run, folder), runs, aloud=True)
        return [run for run, _ in done], troubles + more

    def emulate(
        self, runs: list[Run], given: Path | None
    ) -> tuple[list[tuple[Run, Said]], list[str]]:
        """What the CPU engine says of each run. given: where --count-into kept it."""
        folder = given or build_folder() / self.kept[1]
        runs, troubles = (
            self.prepare(runs, folder, False) if given else self.count_all(runs, folder)
        )
        found, more = attempt(lambda run: self.emulated(run, folder), runs)
        return found, troubles + more

    def prove(self, options: argparse.Namespace) -> int:
        runs = self.runs()
        troubles: list[str] = []
        device = options.device or gpu_name()
        if not device:
            raise ToolError(f"{self.command}: no usable device", EXIT_NO_DEVICE)
        measured = options.measured or build_folder() / self.kept[0]
        if options.measured is None:
            runs, troubles = self.measure_all(runs, measured)
        emulated, more = self.emulate(runs, options.emulated)
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        said = {str(run): found for run, found in emulated}
        compared, others = attempt(
            lambda run: self.compare(run, said[str(run)], measured, date),
            [run for run, _ in emulated],
        )
        rows = [row for _, (those, _) in compared for row in those]
        troubles += more + others + [one for _, (_, found) in compared for one in found]
        path = options.data / re.sub("[^a-z0-9]+", "-", device.lower()).strip("-") / self.table
        unexplained = False
        if rows:
            rows = self.joined_with_recorded(path, rows)
            write_rows(path, rows)
            print(f"{path}: {len(rows)} rows")
            unexplained, _ = self.report(all_rows(self.recorded(path.parent)))
            if options.data == DATA:
                self.write_page(device_folder(options.data, options.recorded))
        for trouble in troubles:
            print(trouble)
        return EXIT_FAILURE if unexplained or troubles or not rows else 0

    def joined_with_recorded(self, path: Path, rows: list[AnyRow]) -> list[AnyRow]:
        """The new rows, and the recorded rows of programs that did not run now (other chapters)."""
        now = {row.program for row in rows}
        before = read_rows(path, self.row) if path.exists() else []
        kept = [row for row in before if row.program not in now and self.exists(row.program)]
        return sorted(kept + rows, key=lambda row: row.order)

    def recount(self, folder: Path, options: argparse.Namespace) -> int:
        """Runs the CPU engine again and compares with what it said. With --page: records it. The
        measurements stay, with their dates."""
        tables = self.recorded(folder)
        known = {row.run for rows in tables.values() for row in rows}
        runs = self.runs()
        for run in runs:
            if str(run) not in known:
                print(f"{run}: not recorded yet")
        emulated, troubles = self.emulate(
            [run for run in runs if str(run) in known], options.emulated
        )
        said = {str(run): found for run, found in emulated}
        wrong = bool(troubles)
        for path, rows in tables.items():
            now = {row: self.renewed(row, said[row.run]) for row in rows if row.run in said}
            for row, new in now.items():
                if new is None or new.said != row.said:
                    wrong = wrong or not options.page
                    print(f"{row.place}: {row.said} recorded, {new.said if new else 'nothing'} now")
            if options.page and now:
                write_rows(path, [now.get(row) or row for row in read_rows(path, self.row)])
        for trouble in troubles:
            print(trouble)
        if options.page:
            self.write_page(folder)
        return EXIT_FAILURE if wrong else 0

    def run(self, options: argparse.Namespace) -> int:
        troubles: list[str] = []
        if options.measure_into:
            troubles += self.measure_all(self.runs(), options.measure_into)[1]
        if options.count_into:
            troubles += self.count_all(self.runs(), options.count_into)[1]
        if options.measure_into or options.count_into:
            print("\n".join(troubles), end="\n" if troubles else "")
            return EXIT_FAILURE if troubles else 0
        if not (options.check or options.page or options.recount):
            return self.prove(options)
        folder = device_folder(options.data, options.recorded)
        if options.recount:
            return self.recount(folder, options)
        if options.page:
            self.write_page(folder)
        return self.check(folder)

    def main(self) -> int:
        parser = argparse.ArgumentParser(
            description=__doc__, formatter_class=argparse.RawTextHelpFormatter
        )
        for name in ("--count-into", "--measure-into", "--emulated", "--measured"):
            parser.add_argument(name, type=Path, metavar="DIR")
        parser.add_argument("--device", help="with --measured: the device that the tool ran on")
        parser.add_argument("--data", type=Path, default=DATA)
        parser.add_argument("--recorded", help="folder of plots/data whose rows come first")
        for name in ("--check", "--page", "--recount"):
            parser.add_argument(name, action="store_true")
        options = parser.parse_args(sys.argv[1:] or arguments())
        if options.measured and not options.device:
            parser.error("--measured needs --device")
        try:
            return self.run(options)
        except DataError as error:
            raise ToolError(f"{self.command}: {error}", EXIT_FAILURE) from None
