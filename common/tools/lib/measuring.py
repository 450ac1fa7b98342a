# SPDX-License-Identifier: MIT
"""Runs a stage's executable once and reads what it measured."""

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.tools.lib.columns import ROW_COLUMNS
from common.tools.lib.csv_tables import read_records
from common.tools.lib.files import parse_json, read_text
from common.tools.lib.ranks import command, environment, readable
from common.tools.lib.stages import EXIT_FAILURE, EXIT_NO_DEVICE, DataError, ToolError

Row = dict[str, str]


@dataclass(frozen=True)
class Measurement:
    rows: list[Row]  # one per repeat, as text, like the rows of a recorded table
    document: dict[str, Any]  # the JSON: rows, summary, limit, report, verdict

    def median_ms(self, phase: str) -> float:
        return float(self.document["summary"][phase]["median"])

    def share_of_limit(self) -> str:
        """ "83 % of arithmetic", or "-" where no limit is known."""
        limit = self.document["limit"]
        if limit["kind"] == "none" or not limit["share"]:
            return "-"
        return f"{100 * limit['share']:.3g} % of {limit['kind']}"


def device_of(text: str, name: str) -> str:
    """The device of a run, from what it wrote with --json. Errors: DataError that begins with
    `name`."""
    try:
        return str(parse_json(text, name)["rows"][0]["device"])
    except (KeyError, IndexError, TypeError):
        raise DataError(f"{name}: its JSON names no device") from None


def check(program: Path) -> str:
    """Runs a stage's own check at its usual size and returns its line. Fails as measure() does."""
    result = subprocess.run([str(program), "--check"], capture_output=True, text=True, check=False)
    lines = (result.stdout if result.returncode == 0 else result.stderr).strip().splitlines()
    said = lines[-1] if lines else f"{program.name}: exit status {result.returncode}"
    if result.returncode != 0:
        raise ToolError(said, result.returncode if result.returncode > 0 else EXIT_FAILURE)
    return said


def measure(program: Path, arguments: list[str], ranks: int = 1) -> Measurement:
    """Runs a stage, on so many ranks. If it fails, a ToolError has its line of error and its exit
    status."""
    with tempfile.TemporaryDirectory() as folder:
        table, document = Path(folder) / "rows.csv", Path(folder) / "run.json"
        words = ["--quiet", "--csv", str(table), "--json", str(document), *arguments]
        result = subprocess.run(
            command(program, words, ranks) if ranks > 1 else [str(program), *words],
            env=environment(ranks) if ranks > 1 else None,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if result.returncode != 0:
            lines = "".join(readable(result.stderr.splitlines(True))).strip().splitlines()
            default = (
                "no usable device"
                if result.returncode == EXIT_NO_DEVICE
                else f"{program.name}: exit status {result.returncode}"
            )
            status = result.returncode if result.returncode > 0 else EXIT_FAILURE
            raise ToolError(lines[-1] if lines else default, status)
        rows = read_records(table, ROW_COLUMNS)
        return Measurement(rows, parse_json(read_text(document), document))
