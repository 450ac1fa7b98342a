#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make test, make test-all: runs Meson's tests; the last line is `N passed, N failed`, with
`, N skipped` where tests were.

--long         the long tests too
--only-long    them alone, counted on top of the run before (`.ci/run` runs both, one after the other)
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from common.tools.lib.stages import build_folder, run_tool

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP", "IGNORED"}


def count_results(log: Path) -> Counter[str]:
    """From Meson's testlog.json, which has one JSON object a line."""
    counts: Counter[str] = Counter(passed=0, failed=0, skipped=0)
    for line in log.read_text(encoding="utf-8").splitlines():
        result = json.loads(line)["result"]
        counts["passed" if result in PASSED else "skipped" if result in SKIPPED else "failed"] += 1
    return counts


def last_line(counts: Counter[str]) -> str:
    text = f"{counts['passed']} passed, {counts['failed']} failed"
    return text + (f", {counts['skipped']} skipped" if counts["skipped"] else "")


def main() -> int:
    build = build_folder()
    log = build / "meson-logs" / "testlog.json"
    totals = build / "test-totals.json"
    log.unlink(missing_ok=True)
    command = ["meson", "test", "-C", str(build), "--no-rebuild", "--print-errorlogs"]
    counts: Counter[str] = Counter()
    if "--only-long" in sys.argv:
        command += ["--suite", "long"]
        if totals.exists():
            counts.update(json.loads(totals.read_text(encoding="utf-8")))
    elif "--long" not in sys.argv:
        command += ["--no-suite", "long"]
    status = subprocess.run(command, check=False).returncode
    if log.exists():
        counts.update(count_results(log))
    elif "--only-long" not in sys.argv:
        counts["failed"] += 1  # nothing ran at all
    if status != 0 and counts["failed"] == 0:
        counts["failed"] += 1  # Meson itself failed
    totals.write_text(json.dumps(counts) + "\n", encoding="utf-8")
    print(last_line(counts))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    run_tool(main)
