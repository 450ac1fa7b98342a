# SPDX-License-Identifier: MIT
"""What is said where gnuplot is missing, too old or broken."""

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from plots.drawing.gnuplot import why_no_figures


class GnuplotTest(unittest.TestCase):
    def said(self, body: str | None) -> str:
        with tempfile.TemporaryDirectory() as folder:
            if body is not None:
                program = Path(folder, "gnuplot")
                program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
                program.chmod(0o755)
            with mock.patch.dict(os.environ, {"PATH": folder}):
                return why_no_figures()

    def test_versions(self) -> None:
        for version in ("5.4 patchlevel 4", "5.10 patchlevel 0", "6.0 patchlevel 1"):
            self.assertEqual(self.said(f"echo 'gnuplot {version}'"), "")
        self.assertEqual(
            self.said("echo 'gnuplot 5.2 patchlevel 8'"),
            "gnuplot is version 5.2, but the course needs 5.4 or newer",
        )

    def test_none(self) -> None:
        self.assertEqual(self.said(None), "gnuplot is missing (package gnuplot-nox)")
        self.assertRegex(self.said("exit 127"), "/gnuplot does not run$")


if __name__ == "__main__":
    unittest.main()
