# SPDX-License-Identifier: MIT
"""Every command that a page of the course names: all that it names exists, and it can be run.

    test_page_commands.py             looks at all commands of all pages, and runs the cheap ones
    test_page_commands.py --run PAGE  runs all commands that PAGE is the first page to have; of a
                                      folder, those of all pages in it

A command is a line of a fenced block of sh, bash, shell or console, or of a block without a
language (```text has none). In a block with lines that begin with `$ `, only those are. Inline code
that begins with make, python3 -m, ninja … is a command, too. It runs if it has a `=` or is of
`python3 -m`, and has no placeholder (`…`, `<name>`).

Commands run in a copy of the course, in the page's order. Its build folder is a link to this one,
so nothing is built twice. Files that commands write beside the Makefile stay in the copy. A command
fails if its exit status is not 0, or if it has changed a file that git knows.

page_commands.toml beside this file has a table [[command]] for each command that is treated in
another way. `text` is the command as the page has it, without its comment, or a beginning with
` …`.
The test fails if no page has it any longer. One of these keys is needed:

    not_run = "why"         it never runs
    needs_gpu = "why"       it runs only where there is a GPU
    needs_program = "name"  it runs only where this program is
    on_cpu = "command"      this runs instead where there is no GPU: a smaller size, mostly
    status = 1              another exit status is right; then `says` is needed, too:
    says = "words"          a part of what it prints, as a regular expression
    may_change = "a/*"      it may change these files: fnmatch's pattern

Add a command that no test can run with `not_run`, and one that is long on the CPU engine with
`on_cpu`: a page's command itself must not be made smaller for its test.
"""

import fnmatch
import re
import shutil
import sys
import tempfile
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

from common.tools.lib.files import parse_toml
from common.tools.lib.gpus import has_gpu
from tests.common.tools.course_tools import BUILD, ROOT
from tests.plots.commands.creating.copied_tree import copy_tree, files_of, shell
from tests.pages.checks import Checker, Course
from tests.pages.commands import Code, Command, pages_of, read_page

LISTED = Path(__file__).with_name("page_commands.toml")
KEYS = {"text", "not_run", "needs_gpu", "needs_program", "on_cpu", "status", "says", "may_change"}
CHEAP = ("list", "diff", "help", "lab", "hint", "progress")
NO_DEVICE = re.compile(r"^make: \*\*\* .* Error 77$", re.MULTILINE)
SECONDS = 240  # for one command
# Programs of a reader's own, as the pages name them.
PROGRAM = """#include <cstdio>
#include <cuda_runtime.h>
void say(int number);
__global__ void add_kernel(int* numbers) { numbers[threadIdx.x] += 1; }
int main() {
    int* d_numbers = nullptr;
    cudaMalloc(&d_numbers, 32 * sizeof(int));
    cudaMemset(d_numbers, 0, 32 * sizeof(int));
    add_kernel<<<1, 32>>>(d_numbers);
    int number = 0;
    cudaMemcpy(&number, d_numbers, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_numbers);
    say(number);
    return number == 1 ? 0 : 1;
}
"""
SAY = '#include <cstdio>\nvoid say(int number) { std::printf("%d\\n", number); }\n'
EXAMPLES = {
    "my.cu": PROGRAM.replace("void say(int number);", SAY.partition("\n")[2].strip()),
    "main.cu": PROGRAM,
    "more.cu": "__global__ void nothing_kernel() {}\n",
    "host.cpp": SAY,
}
MAKEFILE = "NVCC ?= nvcc\nmine: my.cu\n\t$(NVCC) -o $@ my.cu\n"


@dataclass(frozen=True)
class Listed:
    text: str
    not_run: str = ""
    needs_gpu: str = ""
    needs_program: str = ""
    on_cpu: str = ""
    status: int = 0
    says: str = ""
    may_change: str = ""

    def means(self, command: Command) -> bool:
        beginning = self.text.removesuffix(" …")
        if self.text == command.text or beginning == self.text:
            return self.text == command.text
        return command.text == beginning or command.text.startswith(beginning + " ")


def read_listed(text: str) -> list[Listed]:
    tables = parse_toml(text, LISTED)["command"]
    for table in tables:
        assert "says" in table or "status" not in table, f"{table}: `says` is missing"
        assert set(table) <= KEYS and len(table) > 1, f"{table}: the keys are {sorted(KEYS)}"
    return [Listed(**table) for table in tables]


def all_pages() -> tuple[list[Command], list[Code]]:
    commands, codes = [], []
    for page in pages_of(ROOT):
        found = read_page(page, (ROOT / page).read_text(encoding="utf-8"))
        commands += found[0]
        codes += found[1]
    return commands, codes


def is_run(command: Command) -> bool:
    """Whether it says all that a command needs. Words like `make view` in a sentence do not."""
    if command.has_placeholder:
        return False
    if command.fenced or command.program == "printf":  # it writes what the next command reads
        return True
    return "=" in command.text or command.arguments[:2] == ["python3", "-m"]


def is_cheap(command: Command) -> bool:
    """The pages of stages, of which there are many, have their commands run by the long tests."""
    of_stage = re.fullmatch(r"chapters/\w+/.+/README\.md", command.page)
    if of_stage or command.program != "make":
        return False
    return command.arguments[1:2] in [[name] for name in CHEAP]


def chosen(commands: list[Command], listed: list[Listed]) -> list[Command]:
    """Those that run, each only where it is first."""
    first: dict[str, Command] = {}
    for command in commands:
        if is_run(command) and not any(one.not_run and one.means(command) for one in listed):
            first.setdefault(command.text, command)
    return list(first.values())


def unlisted_or_gone(commands: list[Command], listed: list[Listed]) -> list[str]:
    """A placeholder in a block needs a word about it, and what is listed must be on a page."""
    found = [
        f"{one.place}: {one.text}: has a placeholder, and {LISTED.name} does not list it"
        for one in commands
        if one.fenced and one.has_placeholder and not any(entry.means(one) for entry in listed)
    ]
    return found + [
        f"{LISTED.name}: {entry.text}: no page has this command"
        for entry in listed
        if not any(entry.means(one) for one in commands)
    ]


class Runner:
    """A copy of the course for the commands of one page."""

    def __init__(self, folder: Path, listed: list[Listed], gpu: bool) -> None:
        self.root, self.listed, self.gpu = folder / "course", listed, gpu
        self.home = folder / "home"
        copy_tree(self.root)
        (self.root / "build").symlink_to(BUILD.resolve())
        for name, text in EXAMPLES.items():
            (self.root / name).write_text(text, encoding="utf-8")
        submission = self.root / "submissions" / "ada" / "basics_02"
        submission.mkdir(parents=True)
        shutil.copy(self.root / "chapters/basics/02_warp_per_row/basics.cu", submission)
        project = self.home / "project"
        project.mkdir(parents=True)
        (project / "Makefile").write_text(MAKEFILE, encoding="utf-8")
        (project / "my.cu").write_text(EXAMPLES["my.cu"], encoding="utf-8")
        self.before = files_of(self.root)

    def failures(self, command: Command) -> str:
        """Runs it: nothing, or what is wrong in some lines."""
        entry = next((one for one in self.listed if one.means(command)), Listed(command.text))
        if entry.not_run or (entry.needs_gpu and not self.gpu):
            return ""
        if entry.needs_program and not shutil.which(entry.needs_program):
            return ""
        text = command.text if self.gpu or not entry.on_cpu else entry.on_cpu
        begun = time.monotonic()
        home = {"HOME": str(self.home)} if "~" in text else {}
        status, said = shell(self.root, text, SECONDS, **home)
        if status is None:
            return f"{command.place}: {text}: takes more than {SECONDS} s"
        print(f"{time.monotonic() - begun:6.1f} s  {command.place}: {text}", flush=True)
        if NO_DEVICE.search(said):
            return ""  # a library or a device is missing, and the command has said so
        if status != entry.status:
            last = "\n".join(said.splitlines()[-15:])
            return f"{command.place}: {text}: exit status {status}\n{last}"
        if not re.search(entry.says, said):
            return f"{command.place}: {text}: does not say {entry.says!r}\n{said}"
        return self.changes(command, entry.may_change)

    def changes(self, command: Command, allowed: str) -> str:
        after = files_of(self.root)
        changed = [name for name, text in self.before.items() if after.get(name) != text]
        self.before = {name: text for name, text in after.items() if name in self.before}
        found = ", ".join(name for name in changed if not fnmatch.fnmatch(name, allowed))
        return f"{command.place}: {command.text}: changed {found}" if found else ""


class PagesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.commands, self.codes = all_pages()
        self.listed = read_listed(LISTED.read_text(encoding="utf-8"))

    def test_all_that_a_command_names_exists(self) -> None:
        checker = Checker(Course(ROOT, BUILD, EXAMPLES), self.commands)
        found = [
            f"{one.place}: {one.text}: {mistake}"
            for one in self.commands
            for mistake in checker.mistakes(one)
        ]
        found += [
            f"{one.page}:{one.line}: {mistake}"
            for one in self.codes
            for mistake in checker.of_code(one)
        ]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_what_is_listed_is_on_a_page(self) -> None:
        self.assertGreater(len(self.commands), 200)
        found = unlisted_or_gone(self.commands, self.listed)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_page_has_a_test(self) -> None:
        meson = Path(__file__).with_name("meson.build").read_text(encoding="utf-8")
        pages = {one.page for one in chosen(self.commands, self.listed) if not is_cheap(one)}
        of_chapters = {page for page in pages if re.match(r"chapters/\w+/", page)}
        self.assertEqual(
            sorted(pages - of_chapters), re.findall(r"^  '(.*)',$", meson, re.MULTILINE)
        )


class RunTest(unittest.TestCase):
    """All commands of one page, or the cheap ones of all pages."""

    page = ""

    def chosen(self) -> list[Command]:
        found = chosen(all_pages()[0], read_listed(LISTED.read_text(encoding="utf-8")))
        if not self.page:
            return [one for one in found if is_cheap(one)]
        return [one for one in found if f"{one.page}/".startswith(f"{self.page}/")]

    def test_commands_run(self) -> None:
        listed = read_listed(LISTED.read_text(encoding="utf-8"))
        folder = tempfile.TemporaryDirectory(prefix="pages-")
        self.addCleanup(folder.cleanup)
        runner = Runner(Path(folder.name), listed, has_gpu())
        for command in self.chosen():
            with self.subTest(command.place):
                said = runner.failures(command)
                self.assertEqual(said, "", said)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        RunTest.page = sys.argv[2]
        unittest.main(argv=[sys.argv[0], "RunTest"])
    unittest.main()
