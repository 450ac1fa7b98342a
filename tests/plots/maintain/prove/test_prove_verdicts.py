# SPDX-License-Identifier: MIT
"""make verdicts: reads logs of compute-sanitizer and messages of the engine, and compares them."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from common.tools.lib.stages import DataError
from plots.maintain.prove.verdict_page import differs, off, page_tables, verdicts_of
from plots.maintain.prove.verdict_rows import (
    ALONE,
    CHECKERS,
    CLEAN,
    CRASHED,
    ENDLESS,
    FOUND,
    UNSUPPORTED,
    WARNED,
    Row,
    read_engine,
    read_log,
)
from plots.maintain.prove.verdicts import Program, Verdicts
from plots.records.proof_rows import read_rows, write_rows

PROGRAM = "mistakes/memory/sum"
PATH = Path("nvidia-h200/verdicts.csv")
OUTSIDE = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at fill(float *)+0x90 in sum.cu:7
=========     by thread (104,0,0) in block (7,0,0)
=========     and is 1 bytes after the nearest allocation at 0x7f7b0e801000 of size 4,000 bytes
=========         Host Frame: main [0x8b60] in sum
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to cudaFree.
1, no error
========= ERROR SUMMARY: 2 errors

exit status 99
"""
ATOMIC = """========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at atomicAdd(int *, int)+0x100 in device_atomic_functions.hpp:107
=========         Device Frame: count(int *)+0xe0 in sum.cu:9

exit status 99
"""
RACE = """========= Error: Race reported between Write access at k(int *)+0x10 in sum.cu:11
=========     and Read access at k(int *)+0x20 in sum.cu:10 [8 hazards]

exit status 99
"""
LAUNCH = """========= Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaLaunchKernel.
exit status 99
"""
WARP = """========= COMPUTE-SANITIZER
========= Warp illegal address
=========     at read(unsigned long long, float *)+0x80 in sum.cu:9
exit status 99
"""
CHILD = """========= Warning: CUDA Dynamic Parallelism is not supported by the selected tool
=========
========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)
exit status 99
"""


def row(checker: str, verdict: str = CLEAN, *lines: int) -> Row:
    return Row("2026-01-01T00:00:00Z", PROGRAM, checker, verdict, "race" if lines else "", lines)


def rows(**verdicts: Row) -> dict[str, Row]:
    return {checker: verdicts.get(checker, row(checker)) for checker in CHECKERS}


class VerdictsTest(unittest.TestCase):
    def test_logs_of_the_tools(self) -> None:
        for text, verdict in (
            (OUTSIDE, (FOUND, "invalid __global__ write", (7,))),
            (ATOMIC, (FOUND, "uninitialized __global__ memory read", (9,))),
            (RACE, (FOUND, "race", (10, 11))),
            (LAUNCH, (FOUND, "cudaerrorinvalidvalue of cudalaunchkernel", ())),
            (CHILD, (UNSUPPORTED, "", ())),
            (WARP, (FOUND, "warp illegal address", (9,))),
            ("right\nexit status 0\n", (CLEAN, "", ())),
            ("wrong\nexit status 1\n", (CLEAN, "", ())),
            ("\nexit status 124\n", (ENDLESS, "", ())),
            ("\nexit status 139\n", (CRASHED, "", ())),
            (
                "========= Error: process didn't terminate successfully\nexit status 11\n",
                (CRASHED, "", ()),
            ),
            # What the program prints is no finding.
            ("Invalid __global__ write in sum.cu:7\nexit status 0\n", (CLEAN, "", ())),
        ):
            self.assertEqual(read_log(text, PROGRAM), verdict)
        with self.assertRaises(DataError):
            read_log("no status", PROGRAM)

    def test_messages_of_the_engine(self) -> None:
        race = (
            "emulator: race: kernel k, sum.cu:11: block 0 thread 1 writes shared memory that "
            "thread 0 read at sum.cu:10, without a barrier; add __syncthreads().\n"
        )
        warning = "emulator: warning: memory leak: kernel k, sum.cu:3: block 0 thread 1 allocates\n"
        fault = (
            "emulator: kernel k, block (0,0,0), thread (1,0,0): illegal address 0x7f0000001000: a null "
            "pointer (cudaErrorIllegalAddress)\n"
        )
        host = "emulator: missing synchronisation: sum.cu:12: the host reads memory\n"
        refused = "emulator: kernel k is not launched: a block of 2048 x 1 x 1 threads\n"
        unread = (
            "emulator: launch refused: kernel k<<<1, 2048>>>, sum.cu:15: the host launches it\n"
        )
        for status, text, verdict in (
            (1, race + warning, (FOUND, "race", (10, 11))),
            (0, warning, (WARNED, "memory leak", (3,))),
            (0, fault, (FOUND, "illegal address: a null pointer", ())),
            (1, host, (FOUND, "missing synchronisation", (12,))),
            (0, refused, (CLEAN, "", ())),
            (1, refused + unread, (FOUND, "launch refused", (15,))),
            (139, "", (CRASHED, "", ())),
            (0, "", (CLEAN, "", ())),
        ):
            log = f"{text}\nexit status {status}\n"
            self.assertEqual(read_engine(log, PROGRAM), verdict, text)

    def test_differences(self) -> None:
        found = {"memcheck": row("memcheck", FOUND, 7, 8)}
        for is_off, verdicts in (
            (False, rows()),
            (False, rows(count=row("count", FOUND, 8), **found)),
            (False, rows(count=row("count", FOUND), **found)),
            (True, rows(count=row("count", FOUND, 9), **found)),
            (True, rows(**found)),
            (True, rows(count=row("count", FOUND, 8))),
            (True, rows(count=row("count", WARNED, 8))),
            (True, rows(count=row("count", CRASHED))),
            # The tools wait for ever, and find nothing.
            (True, rows(count=row("count", FOUND, 8), memcheck=row("memcheck", ENDLESS))),
        ):
            self.assertEqual(differs(verdicts, "count"), is_off, verdicts)

    def test_what_a_verdict_says_on_any_machine(self) -> None:
        """Not which byte behind an allocation a copy of the C library touches first."""
        row = Row("", PROGRAM, "emu", FOUND, "illegal address: 64 bytes past the end", (8,))
        other = replace(row, kind="illegal address: 96 bytes past the end")
        self.assertEqual(row.said, other.said)
        for different in (
            replace(row, kind="illegal address: 64 bytes before the begin"),
            replace(row, verdict=CLEAN),
            replace(row, lines=(9,)),
        ):
            self.assertNotEqual(row.said, different.said)

    def test_a_table_is_read_as_it_was_written(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "verdicts.csv"
            table = list(rows(count=row("count", FOUND, 8, 9)).values())
            write_rows(path, Verdicts().joined_with_recorded(path, table[::-1]))
            self.assertEqual(read_rows(path, Row), table)
            path.write_text("date,program\n", encoding="utf-8")
            with self.assertRaises(DataError):
                read_rows(path, Row)

    def test_logs_that_were_kept(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder, program = Path(name), Program(PROGRAM)
            for checker in CHECKERS:
                found = checker == "memcheck"
                program.log(folder, checker).write_text(OUTSIDE if found else "exit status 0\n")
            said = Verdicts().emulated(program, folder)
            rows, troubles = Verdicts().compare(program, said, folder, "2026-01-01")
            table = verdicts_of(rows)[PROGRAM]
            self.assertEqual(([*table], troubles), ([*CHECKERS], []))
            self.assertEqual([one for one in table if table[one].verdict == FOUND], ["memcheck"])
            # A program that has not run on a GPU yet is named, and differs from nothing.
            (path := program.log(folder, ALONE)).unlink()
            rows, troubles = Verdicts().compare(program, said, folder, "2026-01-01")
            self.assertEqual(troubles, [f"{path} is missing: {PROGRAM} has no verdict of {ALONE}"])
            self.assertEqual(off(rows), [])
            tables = page_tables({PATH: rows}, [])
            self.assertEqual(tables["measured"][1], f"Not run there yet: {PROGRAM}.")
            self.assertEqual(len(tables["mistakes"]), 2)


if __name__ == "__main__":
    unittest.main()
