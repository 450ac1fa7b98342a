# SPDX-License-Identifier: MIT
"""The profiler run: the metrics and sections that it asks for, and the rows of several launches."""

import contextlib
import io
import os
import sys
import unittest
from unittest import mock

from plots.records.profiling import kernel_of
from plots.distmesh import profile
from plots.records.rows import read_profile
from plots.records.stages import Stages
from tests.plots.fixtures import GPU, PlotsTest, stage

NAMES = [f"{i:02}_{name}" for i, name in enumerate(profile.PROFILED, 2)]

RAW_PAGE = f"""==PROF== Connected to process 42
"ID","Kernel Name","{profile.ACHIEVED}","{profile.THEORETICAL}","{profile.BLOCK}","{profile.LIMITS[1]}"
"","","%","%","","block"
"0","sum_lengths_kernel(distmesh::DeviceMesh, distmesh::Sums *)","22.5","50","256","4"
"1","distmesh::iterate_kernel(distmesh::DeviceMesh)","31","n/a","256","2"
"""

# Behaves as ncu does, and refuses a call without what the table needs.
FAKE_NCU = f"""#!{sys.executable}
import pathlib, sys
words = sys.argv[1:]
if "--import" in words:
    print(pathlib.Path(words[words.index("--import") + 1]).read_text())
    sys.exit(0)
values = dict(zip(words, words[1:]))
sections = [after for word, after in zip(words, words[1:]) if word == "--section"]
assert sections == ["LaunchStats", "Occupancy"], words
assert "{profile.ACHIEVED}" in values["--metrics"].split(","), words
assert int(values["--launch-count"]) > 0 and values["--kernel-name"].startswith("regex:"), words
assert "--profile" in words and values["--n"] == "1000", words
pathlib.Path(values["--export"]).write_text({RAW_PAGE!r})
"""

STAGE = f"""#!{sys.executable}
import json
print(json.dumps(dict(rows=[dict(device="{GPU}")])))
"""


class RunTest(PlotsTest):
    def test_the_rows_of_all_launches(self) -> None:
        build, data = self.folder / "build", self.folder / "data"
        for path, text in [(self.folder / "bin" / "ncu", FAKE_NCU)] + [
            (build / name, STAGE) for name in NAMES
        ]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o755)
        found = [stage(name, "before", "distmesh", executables={"gpu": name}) for name in NAMES]
        own, said = Stages("distmesh", found, "x"), io.StringIO()
        words = ["profile", "--data", str(data), "--n", "1000"]
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        with mock.patch.dict(
            os.environ, {"PATH": path, "COURSE_BUILD": str(build)}
        ), mock.patch.object(profile, "STAGES", own), mock.patch.object(
            sys, "argv", words
        ), contextlib.redirect_stdout(
            said
        ), contextlib.redirect_stderr(
            said
        ):
            self.assertEqual(profile.main(), 0, said.getvalue())
        self.assertIn(f"no value of {profile.DURATION}", said.getvalue())
        made = read_profile(data / "stand-in-gpu-1" / "distmesh_profile.csv")
        values = {(one.stage, one.kernel, one.name): one.value for one in made}
        for name in NAMES:
            self.assertEqual(values[name, "sum_lengths_kernel", profile.ACHIEVED], 22.5)
            self.assertEqual(values[name, "sum_lengths_kernel", profile.LIMITS[1]], 4)
            self.assertEqual(values[name, "iterate_kernel", profile.ACHIEVED], 31)
            self.assertNotIn((name, "iterate_kernel", profile.THEORETICAL), values)

    def test_names_of_kernels(self) -> None:
        for name, short in (
            ("add_kernel(int *)", "add_kernel"),
            ("void a::b::add_kernel<int, 3>(c::D)", "add_kernel<int, 3>"),
            ("add_kernel", "add_kernel"),
        ):
            self.assertEqual(kernel_of({"Kernel Name": ("", name)}), short)


if __name__ == "__main__":
    unittest.main()
