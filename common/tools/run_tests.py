#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make test, make test-all: runs Meson's tests.

It names the tests that took longest, and why tests were skipped. A few tests that failed run once
more, one at a time: on a busy machine, a limit of time may be met. It names what passed only then,
and what failed. The last line is `N passed, N failed`, followed by `, N skipped` if some were
skipped.

--long           runs the long tests, too
--only-long      runs only the long tests, and adds the counts of the run before (for `.ci/run`)
--until SECONDS  ends the tests so many seconds after 1970. What has not ended then counts as
                 skipped, and is named (for `.ci/run`, which has a limit of time)
"""

import argparse
import json
import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common.tools.lib.files import parse_json, read_text, write_whole
from common.tools.lib.gpus import has_gpu
from common.tools.lib.stages import build_folder, run_tool

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP", "IGNORED"}

GPU_PROCESSES = 4  # at the same time
LONGEST = 20  # so many tests are named with their seconds
# A limit of time is there for what hangs: on a machine with other work, a test takes several times as
# long.
PATIENCE = "4"
MOST_AGAIN = 5  # if more tests fail, something is broken, and none runs again
# The flags of the make that runs the tests, such as -s: a make that a test starts would obey them.
OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
NO_TIME = "the time for tests was over"


def read_log(log: Path) -> list[dict[str, Any]]:
    """Meson's testlog.json, which has one JSON object per line."""
    return [parse_json(line, log) for line in read_text(log).splitlines()]


def outcome(test: dict[str, Any]) -> str:
    return (
        "passed"
        if test["result"] in PASSED
        else "skipped"
        if test["result"] in SKIPPED
        else "failed"
    )


def count_results(tests: list[dict[str, Any]]) -> Counter[str]:
    return Counter({"passed": 0, "failed": 0, "skipped": 0}) + Counter(map(outcome, tests))


# What Meson writes before a test: "project:suites / ", or in newer versions "suites - project:".
SUITES = re.compile(r".* / |\S+ - [^:]*:")


def short_name(test: dict[str, Any]) -> str:
    """The name without project and suite."""
    return SUITES.sub("", str(test["name"]), count=1)


def skip_reasons(tests: list[dict[str, Any]]) -> list[str]:
    """One line per reason, with the number of skipped tests and the first one's name."""
    by_reason: dict[str, list[str]] = {}
    for test in tests:
        if outcome(test) == "skipped":
            said = (test.get("stderr") or test.get("stdout") or "").strip().splitlines()
            reason = said[-1].removeprefix("skipped: ") if said else "no reason given"
            # A stage's own message begins with its name.
            reason = re.sub(r"^[a-z]+/[\w/]+: ", "", reason)
            by_reason.setdefault(reason, []).append(short_name(test))
    lines = []
    for reason, names in by_reason.items():
        count = "1 test" if len(names) == 1 else f"{len(names)} tests"
        lines.append(f"skipped: {count} (such as {names[0]!r}): {reason}")
    return lines


def longest_tests(tests: list[dict[str, Any]]) -> list[str]:
    longest = sorted(tests, key=lambda test: test["duration"], reverse=True)[:LONGEST]
    total = sum(test["duration"] for test in tests)
    return [f"{total:.0f} s of tests; the longest:"] + [
        f"{test['duration']:7.1f} s  {short_name(test)}" for test in longest
    ]


def last_line(counts: Counter[str]) -> str:
    text = f"{counts['passed']} passed, {counts['failed']} failed"
    return text + (f", {counts['skipped']} skipped" if counts["skipped"] else "")


def run_meson(
    build: Path, *flags: str, until: float | None = None
) -> tuple[int, list[dict[str, Any]]]:
    """The exit status, and the tests in the log: none if no test has the wanted suites. At `until`,
    in seconds since 1970, Meson ends: the tests that have not ended then are skipped."""
    log = build / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    meson = ["meson", "test", "-C", str(build), "--no-rebuild", "--timeout-multiplier", PATIENCE]
    environment = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
    with subprocess.Popen([*meson, "--print-errorlogs", *flags], env=environment) as process:
        try:
            status = process.wait(None if until is None else max(0.0, until - time.time()))
            return status, read_log(log) if log.exists() else []
        except subprocess.TimeoutExpired:
            process.terminate()  # it ends the tests that run, and writes its log
    listed = subprocess.run(
        [*meson, "--list", *flags], stdout=subprocess.PIPE, text=True, check=True
    )
    tests = read_log(log) if log.exists() else []
    tests = with_left_out(tests, listed.stdout.splitlines())
    return int(any(outcome(test) == "failed" for test in tests)), tests


def with_left_out(tests: list[dict[str, Any]], listed: list[str]) -> list[dict[str, Any]]:
    """The tests that have ended, and those that are listed and have not, as skipped ones."""
    ended = [test for test in tests if test["result"] != "INTERRUPT"]
    names = {short_name(test) for test in ended}
    wanted = [SUITES.sub("", name, count=1) for name in listed if SUITES.match(name)]
    left_out = [name for name in wanted if name not in names]
    for name in left_out:
        print(f"left out, {NO_TIME}: {name}")
    skipped: dict[str, Any] = {"result": "SKIP", "duration": 0.0, "stderr": NO_TIME}
    return ended + [{"name": name, **skipped} for name in left_out]


def passes(flags: Sequence[str]) -> list[list[str]]:
    """One test more than there are cores, since many wait for a file or a process. Tests on a GPU
    run last and few at a time: processes that share a GPU wait for each other."""
    many = [*flags, "--num-processes", str((os.cpu_count() or 1) + 1)]
    if not has_gpu():
        return [many]
    return [
        [*many, "--no-suite", "gpu"],
        [*flags, "--suite", "gpu", "--num-processes", str(GPU_PROCESSES)],
    ]


def run_again(
    build: Path, tests: list[dict[str, Any]], until: float | None = None
) -> list[dict[str, Any]]:
    """The tests, with new results of those that failed and then passed when they ran alone."""
    failed = [short_name(test) for test in tests if outcome(test) == "failed"]
    if not 0 < len(failed) <= MOST_AGAIN:
        return tests
    print(f"once more, one at a time: {', '.join(failed)}", flush=True)
    made = run_meson(build, "--num-processes", "1", *failed, until=until)[1]
    passed = {short_name(test): test for test in made if outcome(test) == "passed"}
    for name in failed:
        if name in passed:
            print(f"failed at first, and passed when it ran alone: {name}")
    return [
        passed.get(short_name(test), test) if outcome(test) == "failed" else test for test in tests
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the tests.")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--long", action="store_true")
    which.add_argument("--only-long", action="store_true")
    parser.add_argument("--until", type=float)
    options = parser.parse_args()
    build = build_folder()
    totals = build / "test-totals.json"
    flags: list[str] = []
    counts: Counter[str] = Counter()
    if options.only_long:
        flags = ["--suite", "long"]
        if totals.exists():
            counts.update(parse_json(read_text(totals), totals))
    elif not options.long:
        flags = ["--no-suite", "long"]
    tests: list[dict[str, Any]] = []
    for one in passes(flags):
        status, made = run_meson(build, *one, until=options.until)
        if status != 0 and all(outcome(test) != "failed" for test in made):
            counts["failed"] += 1  # Meson itself failed
        tests += run_again(build, made, options.until)
    if not tests and not options.only_long:
        counts["failed"] += 1  # nothing ran at all
    counts.update(count_results(tests))
    if tests:
        print("\n".join([*longest_tests(tests), *skip_reasons(tests)]))
    for test in tests:
        if outcome(test) == "failed":
            print(f"failed: {short_name(test)}")
    write_whole(totals, json.dumps(counts) + "\n")
    print(last_line(counts))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    run_tool(main)
