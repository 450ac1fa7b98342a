# SPDX-License-Identifier: MIT
"""What test_page_commands.py takes from a page, and each kind of mistake that it finds."""

import tempfile
import unittest
from pathlib import Path

from tests.common.tools.course_tools import BUILD, ROOT
from tests.pages.checks import Checker, Course
from tests.pages.commands import Command, read_page
from tests.pages.test_page_commands import (
    EXAMPLES,
    Listed,
    Runner,
    is_run,
    read_listed,
    unlisted_or_gone,
)

PAGE = """# A page

Look: `make view FILE=my.cu`, `make`, `making`, and `chapters/none.cu`.

```sh
make list    # a comment
ARGS="#1" make run STAGE=nbody/03_shared_tiles ARGS="--n 5"  # another
cat <<END >a.txt
make this text
END
make \\
  help
```

```
$ make diff A=nbody/01_float3
what it prints
```

```text
make no command
```
```console
make progress
```
"""


def command(text: str) -> Command:
    return Command("page.md", 1, text, True)


class ReadTest(unittest.TestCase):
    def test_commands_of_blocks_and_of_inline_code(self) -> None:
        commands, codes = read_page("page.md", PAGE)
        self.assertEqual(
            [(one.line, one.text, one.fenced) for one in commands],
            [
                (3, "make view FILE=my.cu", False),
                (3, "make", False),
                (6, "make list", True),
                (7, 'ARGS="#1" make run STAGE=nbody/03_shared_tiles ARGS="--n 5"', True),
                (8, "cat <<END >a.txt\nmake this text\nEND", True),
                (11, "make \\\n  help", True),
                (16, "make diff A=nbody/01_float3", True),
                (24, "make progress", True),
            ],
        )
        self.assertIn("chapters/none.cu", [code.text for code in codes])

    def test_inline_code_may_go_on_in_the_next_line(self) -> None:
        text = "A line with `make\nview FILE=my.cu` and `make list`.\n\nA ` alone.\n`make help`\n"
        found = [(one.line, one.text) for one in read_page("page.md", text)[0]]
        self.assertEqual(found[:2], [(1, "make view FILE=my.cu"), (1, "make list")])

    def test_which_commands_run(self) -> None:
        commands, _ = read_page("page.md", "`make view` `make view A=…` `make view A=x`\n")
        self.assertEqual([is_run(one) for one in commands], [False, False, True])


class CheckTest(unittest.TestCase):
    def setUp(self) -> None:
        self.course = Course(ROOT, BUILD, EXAMPLES)

    def mistakes(self, *texts: str) -> list[str]:
        commands = [command(text) for text in texts]
        checker = Checker(self.course, commands)
        return [mistake for one in commands for mistake in checker.mistakes(one)]

    def test_what_is_right(self) -> None:
        found = self.mistakes(
            'EMULATOR_SCHEDULE=reversed make run STAGE=nbody/03_shared_tiles ARGS="--n 4096"',
            "make compare CHAPTER=nbody ARGS=--n=1000",
            "make compare CHAPTER=nbody/limit ARGS=--n=1000",
            "make compare CHAPTER=nbody/all",
            "make stage FROM=nbody/03_shared_tiles NAME=98_mine",
            "make run STAGE=nbody/98_mine ARGS=--check",
            "make chapter NAME=mine",
            "make compare CHAPTER=mine && cat chapters/mine/README.md",
            'make try FILE="main.cu more.cu"',
            "make grade DIR=x LABS=basics/02,nbody/03 SEED=1",
            "make session ARGS=--print >plan.toml",
            "python3 -m plots.commands.figures --only figure_6_6",
            "make -C elsewhere whatever X=1",
        )
        self.assertEqual(found, [])

    def test_each_mistake_is_named(self) -> None:
        for text, said in (
            ("make runn STAGE=nbody/03_shared_tiles", "make runn: there is no such target"),
            ("make run STAGES=nbody/03_shared_tiles", "make run: `make help` names no STAGES"),
            ("make run STAGE=nbody/03_none", "STAGE=nbody/03_none: no such stage or file"),
            ("make counters A=nbody/01_float3 B=your.cu", "B=your.cu: no such stage or file"),
            ("make compare CHAPTER=nobody", "CHAPTER=nobody: there is none"),
            ("make compare CHAPTER=nbody/none", "CHAPTER=nbody/none: there is none"),
            ("make figures CHAPTER=nbody/limit", "CHAPTER=nbody/limit: there is none"),
            ("make lab LAB=basics/99", "LAB=basics/99: there is none"),
            ("make run STAGE=nbody/00_cpu ENGINE=cuda", "ENGINE=cuda: there is none"),
            ("make explain FILE=my.cu DEVICE=h2000", "DEVICE=h2000: there is none"),
            ("make record SWEEPS=beyond,none", "SWEEPS=none: there is none"),
            ("make try FILE=other.cu", "FILE=other.cu: no file of the examples"),
            ("make draw FILE=nothing.csv", "FILE=nothing.csv: no file of the examples"),
            ("make run STAGE=nbody/00_cpu ARGS='--n 5 --none'", "ARGS: there is no flag --none"),
            ("make session ARGS=--printed", "ARGS: there is no flag --printed"),
            ("EMULATOR_NONE=1 make list", "EMULATOR_NONE: nothing reads this variable"),
            ("python3 -m plots.none", "python3 -m plots.none: there is no such module"),
            (
                "python3 -m plots.commands.figures --none",
                "python3 -m plots.commands.figures: there is no flag --none",
            ),
            ("cat common/none.py", "common/none.py: there is no such file"),
        ):
            with self.subTest(text):
                self.assertEqual(self.mistakes(text), [said])

    def test_inline_code_that_names_a_file_or_a_stage(self) -> None:
        text = "`plots/README.md` `plots/none.md` `nbody/03_shared_tiles` `nbody/03_none` `a/03_b`"
        checker = Checker(self.course, [])
        codes = read_page("page.md", text)[1]
        self.assertEqual(
            [mistake for code in codes for mistake in checker.of_code(code)],
            ["plots/none.md: there is no such file", "nbody/03_none: no such stage"],
        )


class ListedTest(unittest.TestCase):
    def test_what_is_gone_or_not_listed(self) -> None:
        listed = [Listed("make x …", not_run="y"), Listed("make gone", not_run="y")]
        commands = [command("make x A=1"), command("make run …")]
        found = unlisted_or_gone(commands, listed)
        self.assertEqual(len(found), 2)
        self.assertRegex(found[0], "page.md:1: make run …: has a placeholder")
        self.assertRegex(found[1], "make gone: no page has this command")

    def test_a_beginning_ends_with_a_word(self) -> None:
        self.assertTrue(Listed("make x …").means(command("make x")))
        self.assertTrue(Listed("make x …").means(command("make x y")))
        self.assertFalse(Listed("make x …").means(command("make xy")))
        self.assertFalse(Listed("make x").means(command("make x y")))

    def test_unknown_keys_are_refused(self) -> None:
        for keys in ("none = 1", "", "status = 1"):
            text = f'[[command]]\ntext = "a"\n{keys}\n'
            with self.assertRaises(AssertionError):
                read_listed(text)


class RunTest(unittest.TestCase):
    def test_failures_are_named_and_the_tree_is_not_changed(self) -> None:
        listed = [
            Listed("false", not_run="it fails"),
            Listed("echo abc; exit 3", status=3, says="b"),
            Listed("exit 4", on_cpu="true"),
            Listed("exit 5", needs_gpu="it needs one"),
            Listed("exit 6", needs_program="no-such-program"),
            Listed("echo >>plots/README.md", may_change="plots/*.md"),
            Listed("echo no", says="yes"),
            Listed("exit 7", needs_program="sh"),
        ]
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner(Path(folder), listed, gpu=False)
            for text in (*(one.text for one in listed[:-2]), "true", "touch new.csv", "true"):
                self.assertEqual(runner.failures(command(text)), "", text)
            said = runner.failures(command("make nothing-at-all"))
            self.assertRegex(said, "^page.md:1: make nothing-at-all: exit status 2\n")
            said = runner.failures(command("echo >>README.md; rm plots/README.md"))
            self.assertRegex(said, "changed README.md, plots/README.md$")
            self.assertRegex(runner.failures(command("exit 7")), "exit status 7")
            self.assertRegex(runner.failures(command("echo no")), "does not say 'yes'\nno\n")
            runner.gpu = True
            self.assertRegex(runner.failures(command("exit 4")), "exit status 4")
            self.assertRegex(runner.failures(command("exit 5")), "exit status 5")


if __name__ == "__main__":
    unittest.main()
