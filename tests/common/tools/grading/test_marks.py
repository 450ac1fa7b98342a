# SPDX-License-Identifier: MIT
"""test_marks.py CHAPTER [all]: make grade gives a lab's solution full marks, and its start the
published ones, as make check does. Every lab is checked by the tests of make check. So two labs are
enough here, of two kinds if the chapter has them; `all` grades all of them."""

import sys
import tempfile
from pathlib import Path

from common.tools.grading.grade import build_judges
from common.tools.grading.judge import grade
from common.tools.labs.building import build_libraries
from common.tools.labs.catalogue import load_labs
from common.tools.labs.counted_run import solution_values
from common.tools.labs.lab import Lab
from common.tools.labs.result import Result
from tests.common.tools.grading.attacks import need_cage
from tests.common.tools.labs.lab_programs import RunOnce

need_cage()
SEED = 31


def graded(lab: Lab, text: str) -> Result:
    with tempfile.TemporaryDirectory() as given, tempfile.TemporaryDirectory() as folder:
        source = Path(given) / lab.file_name
        source.write_text(text, encoding="utf-8")
        return grade(lab, source, seed=SEED, folder=Path(folder))


def faults(lab: Lab, run: RunOnce) -> list[str]:
    # Counted by a stage that is built, and kept in the build folder, where grade() finds it.
    values = solution_values(lab, None if lab.is_question else SEED, run)
    if lab.is_question:
        cases = [("answer = ?\n", 0), (f"answer = {values[0]!r}\n", lab.of)]
    else:
        # A stage that races on purpose lets its own race pass; the judge does not.
        start_points = 0 if lab.start.stage.race_on_purpose else lab.start_points
        cases = [(lab.start.text(), start_points), (lab.solution.text(), lab.of)]
    found = []
    for (text, points), name in zip(cases, ("start", "solution"), strict=True):
        result = graded(lab, text)
        print(f"{lab.name} {name}: {result.points} of {result.of}, {result.messages}", flush=True)
        if result.points != points:
            found.append(f"{lab.name} {name}: {result.points} points, not {points}")
    return found


def main() -> None:
    labs = [lab for lab in load_labs().values() if lab.chapter == sys.argv[1]]
    if sys.argv[2:] != ["all"]:
        other = next((lab for lab in labs if lab.kind != labs[0].kind), labs[-1])
        labs = [labs[0], other]
    build_libraries([sys.argv[1]])
    build_judges(labs)
    with tempfile.TemporaryDirectory() as scratch:
        run = RunOnce(Path(scratch))
        found = [fault for lab in labs for fault in faults(lab, run)]
    print("\n".join(found), file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
