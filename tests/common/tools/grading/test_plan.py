# SPDX-License-Identifier: MIT
"""chapters/LABS.md: the labs that it names exist, its examples of CI are right as far as it can be
seen here, and its messages are the engine's (with ALL_WAYS: each mistake is run)."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from common.tools.grading.submissions import SUFFIXES
from common.tools.labs.building import build_libraries
from common.tools.labs.catalogue import load_labs
from common.tools.lib.files import parse_toml, read_text
from common.tools.labs.checking import check
from common.tools.labs.counted_run import solution_values
from common.tools.labs.lab import Lab
from common.tools.lib.stages import chapters_of, load_stages
from tests.common.tools.labs.lab_programs import RunOnce

ROOT = Path(__file__).resolve().parents[4]
TEXT = (ROOT / "chapters" / "LABS.md").read_text(encoding="utf-8")
LABS = load_labs()
CHAPTERS = "|".join(chapters_of(load_stages()))
LAB_NAME = re.compile(rf"\b(?:{CHAPTERS})/(?:(?:[a-z_]+/)?\d\d|[a-z]+\d+)\b(?!_)")
MAKE_CALL = re.compile(r"\bmake (?:-C \S+ )?([a-z][a-z-]*)((?: [A-Z]+=\S+)*)")
WEEKS = 12
PAGE_MINUTES = 20
try:
    import yaml
except ImportError:
    yaml = None


def mistakes() -> list[dict[str, str]]:
    path = Path(__file__).with_name("common_mistakes.toml")
    found: list[dict[str, str]] = parse_toml(read_text(path), path)["mistake"]
    return found


def rows_of(head: str) -> list[list[str]]:
    """The cells of the table whose head begins so."""
    lines = TEXT[TEXT.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


class PlanTest(unittest.TestCase):
    def test_every_lab_exists(self) -> None:
        text = re.sub(r"(?s)### (Pairs without a lab|What fills a week)\n.*?\n(?=#)", "", TEXT)
        named = set(LAB_NAME.findall(text))
        self.assertGreater(len(named), 20)
        self.assertEqual(sorted(named - set(LABS)), [])

    def test_every_stage_has_a_lab_or_a_reason(self) -> None:
        """A stage that a pair could lead to is a lab's solution, or is named as none, but not both.
        A stage without recorded times may still wait for its lab."""
        rows = rows_of("| stages | why |")
        named = [name for stages, _ in rows for name in stages.split(", ")]
        self.assertEqual(len(named), len(set(named)))
        pairs = {
            f"{lab.chapter}/{lab.solution.stage.label}"
            for lab in LABS.values()
            if lab.kind == "pair"
        }
        stages = {
            f"{one.chapter}/{one.label}": one
            for one in load_stages()
            if one.has_kernels and not one.opencl
        }
        self.assertEqual(sorted(pairs & set(named)), [])
        self.assertEqual(sorted(set(named) - set(stages)), [])
        open_stages = set(stages) - pairs - set(named)
        self.assertEqual([one for one in sorted(open_stages) if not stages[one].not_recorded], [])

    def test_the_weeks(self) -> None:
        rows = rows_of("| week | topic")
        self.assertEqual([row[0] for row in rows], [str(i + 1) for i in range(WEEKS)])
        for week, topic, labs, minutes in rows:
            names = labs.split(", ")
            self.assertEqual(int(minutes), sum(LABS[name].minutes for name in names), week)
            self.assertRegex(TEXT, rf"### Week {week}: ", topic)
        first = [row[2] for row in rows][0].split(", ")[0]
        self.assertLess(LABS[first].minutes, 30)

    def test_what_fills_a_week(self) -> None:
        """Pages that exist, and sums that are right."""
        labs = {row[0]: int(row[3]) for row in rows_of("| week | topic")}
        rows = rows_of("| week | read before")
        self.assertEqual([row[0] for row in rows], list(labs))
        total, read = 0, []
        for week, pages, *numbers, hours in rows:
            links = re.findall(r"\]\(([^)]+)\)", pages)
            read += links
            reading, lecture, lab_minutes, own = map(int, numbers)
            self.assertEqual(reading, PAGE_MINUTES * len(links), week)
            self.assertEqual(lab_minutes, labs[week])
            minutes = reading + lecture + lab_minutes + own
            self.assertEqual(hours, f"{minutes / 60:.1f}", week)
            total += minutes
        self.assertEqual(len(read), len(set(read)))
        for page in read:
            self.assertTrue((ROOT / "chapters" / page).is_file(), page)
        self.assertIn(f"labs alone take {sum(labs.values()) / 60:.1f} hours", TEXT)
        self.assertIn(f"works {total / 60:.0f} hours in the {WEEKS} weeks", TEXT)

    def test_kernels_that_launch_kernels_are_explained_before_their_lab(self) -> None:
        """In each week, a lab whose start launches kernels has a page about it in the reading."""
        reading = {row[0]: row[1] for row in rows_of("| week | read before")}
        first = next(one for one in load_stages() if one.device_launches)
        found = []
        for week, _, labs, _ in rows_of("| week | topic"):
            if any(LABS[name].start.stage.device_launches for name in labs.split(", ")):
                found.append(week)
                read = "".join(reading[str(i)] for i in range(1, int(week) + 1))
                self.assertIn(f"({first.stage}/README.md)", read)
        self.assertEqual(found, ["9"])
        self.assertLess(TEXT.index("kernels that launch kernels"), TEXT.index("### Week 10"))

    def test_the_exam_and_its_key(self) -> None:
        rows = rows_of("| | question | points |")
        points = [int(row[2]) for row in rows]
        self.assertIn(f"\n{sum(points)} points in 90 minutes", TEXT)
        key = TEXT[TEXT.index("\nThe key:") :].split("\n## ")[0]
        answers = re.split(r"\n(?=\d+\. )", key)[1:]
        self.assertEqual(len(answers), len(rows))
        for answer, of in zip(answers, points, strict=True):
            parts = re.findall(r"\((\d+)(?: points)?\)", answer)
            self.assertIn(sum(map(int, parts)), (0, of), answer)  # 0: all or nothing
        project = [int(row[2]) for row in rows_of("| week | what is handed in")]
        self.assertEqual(sum(project), 40)

    def test_each_week_has_questions_with_answers(self) -> None:
        for part in re.split(r"\n### Week ", TEXT)[1:]:
            part = part.split("\n## ")[0]
            questions = re.findall(r"^- \*.*?\?\*\s+\S", part, re.MULTILINE | re.DOTALL)
            self.assertGreaterEqual(len(questions), 3, part[:40])
            self.assertIn("\nSay: ", part)

    def test_the_table_of_mistakes(self) -> None:
        table = [[one["lab"], one["what"], f"`{one['says']}`"] for one in mistakes()]
        self.assertEqual(rows_of("| lab | mistake |"), table)

    def test_named_suffixes(self) -> None:
        for suffix in re.findall(r"`(\.(?:zip|tar[.\w]*))`", TEXT):
            self.assertIn(suffix, SUFFIXES)

    def test_make_targets_and_variables_exist(self) -> None:
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
        variables = re.search(r"^variables := (.*)$", makefile, re.MULTILINE)
        assert variables is not None
        code = "\n".join([*blocks("sh"), *blocks("yaml"), *re.findall(r"`(make [^`]*)`", TEXT)])
        calls = MAKE_CALL.findall(code)
        self.assertGreater(len(calls), 8)
        for target, words in calls:
            self.assertIn(target, targets)
            for name in re.findall(r" ([A-Z]+)=", words):
                self.assertIn(name, variables[1].split())

    @unittest.skipUnless(yaml, "the package python3-yaml is missing")
    def test_examples_are_yaml(self) -> None:
        classroom, gitlab = (yaml.safe_load(text) for text in blocks("yaml"))
        job = classroom["jobs"]["run-autograding-tests"]
        ids = {step["id"] for step in job["steps"] if "id" in step}
        report = next(step for step in job["steps"] if step["name"] == "Report")
        self.assertEqual(set(report["with"]["runners"].split(",")), ids)
        self.assertEqual(set(report["env"]), {f"{one.upper()}_RESULTS" for one in ids})
        for step in job["steps"]:
            if step.get("id"):
                lab = LABS[step["name"]]
                self.assertEqual(step["with"]["max-score"], lab.of)
                self.assertIn(f"{lab.folder_name}/{lab.file_name}", step["with"]["command"])
        self.assertEqual(gitlab["check"]["stage"], gitlab["stages"][0])

    @unittest.skipUnless(shutil.which("bash"), "bash is missing")
    def test_commands_are_shell(self) -> None:
        commands = re.findall(r"^ +(?:- |run: |command: )((?:apt-get|git|make) .*)$", TEXT, re.M)
        self.assertGreaterEqual(len(commands), 5)
        for command in [*commands, *blocks("sh")]:
            ended = subprocess.run(["bash", "-n"], input=command, text=True, check=False)
            self.assertEqual(ended.returncode, 0, command)


def commands_of_ci() -> list[tuple[str, str]]:
    """The commands of both examples, with the variable that names the students' folder."""
    classroom, gitlab = (yaml.safe_load(text) for text in blocks("yaml"))
    steps = classroom["jobs"]["run-autograding-tests"]["steps"]
    found = [step.get("run") or step.get("with", {}).get("command", "") for step in steps]
    check = gitlab["check"]
    return [(command, "GITHUB_WORKSPACE") for command in found if command] + [
        (command, "CI_PROJECT_DIR") for command in (*check["before_script"], *check["script"])
    ]


@unittest.skipUnless(os.environ.get("ALL_WAYS"), "a long test")
class ExampleTest(unittest.TestCase):
    @unittest.skipUnless(yaml, "the package python3-yaml is missing")
    def test_the_commands_of_the_examples_run(self) -> None:
        """All but what needs a network: there, the clone is this checkout. The solution passes, the
        start fails."""
        lab = LABS["basics/02"]
        build_libraries([lab.chapter])
        checks = 0
        with tempfile.TemporaryDirectory() as name:
            source = Path(name) / lab.folder_name / lab.file_name
            source.parent.mkdir()
            for command, variable in commands_of_ci():
                parts = [part.strip() for part in command.split("&&")]
                kept = [part for part in parts if not part.startswith(("apt-get ", "git clone "))]
                for part in kept:
                    self.assertIn("make -C course ", part)
                    is_check = " check " in part
                    checks += is_check
                    for text, right in ((lab.solution.text(), True), (lab.start.text(), False)):
                        source.write_text(text, encoding="utf-8")
                        ended = subprocess.run(
                            ["bash", "-c", part.replace("make -C course", f"make -C '{ROOT}'")],
                            env=os.environ | {variable: name},
                            capture_output=True,
                            text=True,
                            check=False,
                        )
                        passes = right or not is_check
                        self.assertEqual(ended.returncode == 0, passes, f"{part}\n{ended.stderr}")
            self.assertTrue((Path(name) / "basics_02.json").is_file())
        self.assertEqual(checks, 2)


@unittest.skipUnless(os.environ.get("ALL_WAYS"), "a long test")
class MistakeTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.run_once = RunOnce(Path(scratch.name))

    def said_about(self, lab: Lab, text: str) -> str:
        with tempfile.TemporaryDirectory() as given, tempfile.TemporaryDirectory() as folder:
            source = Path(given) / lab.file_name
            source.write_text(text, encoding="utf-8")
            solution_values(lab, 7, self.run_once)  # check() finds them in the build folder
            result = check(lab, source, seed=7, folder=Path(folder), run=self.run_once)
        self.assertLess(result.points, lab.of)
        return "\n".join(one.text for one in result.findings)

    def test_the_engine_says_so(self) -> None:
        build_libraries(sorted({LABS[one["lab"]].chapter for one in mistakes()}))
        for one in mistakes():
            with self.subTest(lab=one["lab"], what=one["what"]):
                lab = LABS[one["lab"]]
                text = lab.start.text()
                if "old" in one:
                    text = lab.solution.text()
                    self.assertIn(one["old"], text)
                    text = text.replace(one["old"], one["new"])
                self.assertIn(one["says"], self.said_about(lab, text))


if __name__ == "__main__":
    unittest.main()
