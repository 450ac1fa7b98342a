#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The files that the engine writes are complete, or are what they were before the program.

Usage: test_output_files.py PROGRAM (built from timeline_program.cu)
"""
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
VARIABLES = ("EMULATOR_COUNTERS", "EMULATOR_TIMELINE", "EMULATOR_TRACE", "EMULATOR_VIEW")
OLD = "an old file\n"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class OutputFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.files = {name: self.folder / name.lower() for name in VARIABLES}
        for path in self.files.values():
            path.write_text(OLD, encoding="utf-8")

    def start(self, *arguments, largest_file=0, **variables):
        def prepare():
            # A parent that runs in the background, or under nohup, ignores these, and so would we.
            for number in SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            if largest_file:
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        kept = {name: value for name, value in os.environ.items() if "EMULATOR_" not in name}
        files = {name: str(path) for name, path in self.files.items()}
        return subprocess.Popen(
            [PROGRAM, *arguments],
            env=kept | files | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=prepare,
        )

    def end(self, process):
        """The output, the messages and the status."""
        out, err = process.communicate(timeout=20)
        return out, err, process.returncode

    def texts(self):
        """Every file of the folder with its text."""
        return {path: path.read_text(encoding="utf-8") for path in self.folder.iterdir()}

    def assert_old(self):
        self.assertEqual(self.texts(), dict.fromkeys(self.files.values(), OLD))

    def assert_whole(self):
        texts = self.texts()
        self.assertEqual(set(texts), set(self.files.values()))
        counters, timeline, trace, view = (texts[path] for path in self.files.values())
        self.assertTrue(counters.startswith("{") and counters.endswith("}\n"))
        self.assertTrue(timeline.startswith("kind,") and timeline.endswith("\n"))
        self.assertTrue(trace.startswith("grid,") and trace.endswith("\n"))
        self.assertTrue(view.startswith("{") and view.endswith("}\n"))

    def test_a_program_that_ends(self):
        self.assertEqual(self.end(self.start())[1:], ("", 0))
        self.assert_whole()

    def test_a_signal(self):
        for number in SIGNALS:
            process = self.start("wait")
            process.stdout.readline()  # its kernels have run
            process.send_signal(number)
            self.assertEqual(self.end(process), ("", "", -number))
            self.assert_old()

    def test_a_crash(self):
        self.assertEqual(self.end(self.start("abort"))[1:], ("", -signal.SIGABRT))
        self.assert_old()

    def test_a_full_disk(self):
        for name in VARIABLES:
            files = dict.fromkeys(VARIABLES, "") | {"EMULATOR_COUNTERS": "none"}
            path = self.files[name]
            for limit in (1, 300):
                out, err, status = self.end(
                    self.start(largest_file=limit, **files | {name: str(path)})
                )
                said = f"emulator: {path}: cannot be written: File too large\n"
                self.assertEqual((out[-1:], err, status), ("\n", said, 1))
                self.assert_old()

    def test_a_process_of_a_fork_writes_nothing(self):
        counters = self.files.pop("EMULATOR_COUNTERS")
        counters.unlink()
        process = self.start("fork", EMULATOR_COUNTERS="none")
        self.assertEqual(self.end(process)[1:], ("", 0))
        self.files = {"EMULATOR_COUNTERS": counters} | self.files
        self.assertEqual(set(self.texts()), set(self.files.values()) - {counters})
        counters.write_text("{}\n", encoding="utf-8")
        self.assert_whole()
        trace = self.files["EMULATOR_TRACE"].read_text(encoding="utf-8")
        self.assertEqual(trace.count("grid,"), 1)

    def test_a_link_is_followed(self):
        target = self.folder / "target"
        for name, path in self.files.items():
            path.unlink()
            path.symlink_to(target)
            process = self.start(
                **dict.fromkeys(VARIABLES, "") | {"EMULATOR_COUNTERS": "none", name: str(path)}
            )
            self.assertEqual(self.end(process)[1:], ("", 0))
            self.assertTrue(path.is_symlink())
            self.assertGreater(target.stat().st_size, 100)
            target.unlink()

    def test_standard_output(self):
        for name in VARIABLES:
            process = self.start(
                **dict.fromkeys(VARIABLES, "") | {"EMULATOR_COUNTERS": "none", name: "-"}
            )
            out, err, status = self.end(process)
            self.assertEqual((err, status), ("", 0))
            self.assertGreater(out.count(","), 20)
            self.assert_old()

    def test_what_cannot_be_written_is_said_at_once(self):
        for name in VARIABLES:
            process = self.start(**{name: "/no/such/folder/file"})
            out, err, status = self.end(process)
            said = "emulator: /no/such/folder/file: cannot be written: No such file or directory\n"
            self.assertEqual((out, err, status), ("", said, 1))
            self.assert_old()


if __name__ == "__main__":
    unittest.main()
