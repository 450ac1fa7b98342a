# SPDX-License-Identifier: MIT
"""The last lines of `make test`: the longest tests, why tests were skipped, and the counts."""

import contextlib
import io
import json
import os
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from common.tools import run_tests

# Logs its tests as Meson does, which ends when it is told to.
STAND_IN = """#!/bin/sh
case $* in
    *--list*) printf '%s\\n' 'c:s / quick' 'c:s / slow' 'c:s / never begun'; exit ;;
esac
log=$3/meson-logs/testlog.json
echo '{"name": "c:s / quick", "result": "OK", "stdout": "'"$MAKEFLAGS"'"}' >"$log"
trap 'echo "{\\"name\\": \\"c:s / slow\\", \\"result\\": \\"INTERRUPT\\"}" >>"$log"; kill $!; exit 1' TERM
sleep 60 &
wait
"""


class TotalsTest(unittest.TestCase):
    def count(self, *results: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "testlog.json"
            log.write_text(
                "".join(json.dumps({"name": "x", "result": result}) + "\n" for result in results),
                encoding="utf-8",
            )
            return run_tests.last_line(run_tests.count_results(run_tests.read_log(log)))

    def test_counts(self) -> None:
        self.assertEqual(self.count("OK", "OK", "EXPECTEDFAIL"), "3 passed, 0 failed")
        self.assertEqual(self.count("OK", "SKIP"), "1 passed, 0 failed, 1 skipped")

    def test_every_other_result_is_a_failure(self) -> None:
        self.assertEqual(
            self.count("FAIL", "TIMEOUT", "ERROR", "UNEXPECTEDPASS", "INTERRUPT", "NEW"),
            "0 passed, 6 failed",
        )

    def test_each_reason_for_a_skip_is_named_once(self) -> None:
        tests = [
            {
                "name": f"course:sums / sums/0{i}_plain gpu",
                "result": "SKIP",
                "stderr": f"sums/0{i}_plain: no usable device: there is no GPU\n",
            }
            for i in (1, 2)
        ]
        tests += [
            {
                "name": "course:sums / sums/03_cub emu",
                "result": "SKIP",
                "stdout": "skipped: there is no cub\n",
            },
            {"name": "course:sums / silent", "result": "SKIP"},
            {"name": "course:sums / good", "result": "OK"},
        ]
        self.assertEqual(
            run_tests.skip_reasons(tests),
            [
                "skipped: 2 tests (such as 'sums/01_plain gpu'): no usable device: there is no GPU",
                "skipped: 1 test (such as 'sums/03_cub emu'): there is no cub",
                "skipped: 1 test (such as 'silent'): no reason given",
            ],
        )

    def test_the_longest_tests_come_first(self) -> None:
        tests = [
            {"name": f"course:sums / test {i}", "result": "OK", "duration": float(i)}
            for i in range(30)
        ]
        lines = run_tests.longest_tests(tests)
        self.assertEqual(lines[0], "435 s of tests; the longest:")
        self.assertEqual(lines[1].split(), ["29.0", "s", "test", "29"])
        self.assertEqual(len(lines), 1 + run_tests.LONGEST)

    def again(self, tests: list[dict[str, str]], second: list[dict[str, str]]) -> list[str]:
        """The results after the tests that failed ran once more, with these results."""
        with (
            mock.patch.object(run_tests, "run_meson", return_value=(0, second)) as self.meson,
            contextlib.redirect_stdout(io.StringIO()) as said,
        ):
            results = [test["result"] for test in run_tests.run_again(Path("build"), tests)]
        self.said = said.getvalue()
        return results

    def test_a_test_that_failed_runs_once_more_alone(self) -> None:
        tests = [{"name": f"c:s / {name}", "result": "FAIL"} for name in ("busy", "broken")]
        tests.append({"name": "c:s / good", "result": "OK"})
        second = [
            {"name": "c:s / busy", "result": "OK"},
            {"name": "c:s / broken", "result": "TIMEOUT"},
        ]
        self.assertEqual(self.again(tests, second), ["OK", "FAIL", "OK"])
        self.meson.assert_called_once_with(
            Path("build"), "--num-processes", "1", "busy", "broken", until=None
        )
        self.assertIn("failed at first, and passed when it ran alone: busy\n", self.said)
        self.assertNotIn("alone: broken", self.said)

    def test_names_of_older_and_newer_versions_of_meson(self) -> None:
        for name in (
            "course:chapters / chapter kmeans",
            "chapters - course:chapter kmeans",
            "chapters+gpu - course:chapter kmeans",
            "chapter kmeans",
        ):
            self.assertEqual(run_tests.short_name({"name": name}), "chapter kmeans", name)
        tests = [{"name": "c - p:stages of a, gpu", "result": "OK"}]
        listed = ["ninja: no work to do.", "c - p:stages of a, gpu", "c+d - p:a/01_b emu - late"]
        with contextlib.redirect_stdout(io.StringIO()):
            found = run_tests.with_left_out(tests, listed)
        self.assertEqual([test["name"] for test in found[1:]], ["a/01_b emu - late"])

    def test_nothing_runs_again_if_all_is_well_or_much_is_broken(self) -> None:
        for result, count in (("OK", 3), ("FAIL", run_tests.MOST_AGAIN + 1)):
            tests = [{"name": f"c:s / {i}", "result": result} for i in range(count)]
            self.assertEqual(self.again(tests, []), [result] * count)
            self.meson.assert_not_called()

    def run_stand_in(self, seconds: float) -> tuple[int, list[dict[str, str]], str]:
        """Runs a Meson of three tests, the second of which takes a minute."""
        with tempfile.TemporaryDirectory() as folder:
            meson = Path(folder) / "meson"
            meson.write_text(STAND_IN, encoding="utf-8")
            meson.chmod(0o755)
            build = Path(folder) / "build"
            (build / "meson-logs").mkdir(parents=True)
            path = f"{folder}{os.pathsep}{os.environ['PATH']}"
            with (
                mock.patch.dict(os.environ, PATH=path, MAKEFLAGS="s"),
                contextlib.redirect_stdout(io.StringIO()) as said,
            ):
                status, tests = run_tests.run_meson(build, until=time.time() + seconds)
        return status, tests, said.getvalue()

    def test_what_has_not_ended_in_time_is_skipped_and_named(self) -> None:
        status, tests, said = self.run_stand_in(seconds=2)
        self.assertEqual(
            [(run_tests.short_name(test), test["result"]) for test in tests],
            [("quick", "OK"), ("slow", "SKIP"), ("never begun", "SKIP")],
        )
        self.assertEqual(tests[0]["stdout"], "", "flags of the make that runs the tests")
        self.assertEqual(status, 0)
        self.assertIn("left out, the time for tests was over: slow\n", said)
        self.assertEqual(
            run_tests.skip_reasons(tests),
            ["skipped: 2 tests (such as 'slow'): the time for tests was over"],
        )
        self.assertEqual(
            run_tests.last_line(run_tests.count_results(tests)), "1 passed, 0 failed, 2 skipped"
        )


if __name__ == "__main__":
    unittest.main()
