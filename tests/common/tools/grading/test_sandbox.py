# SPDX-License-Identifier: MIT
"""Programs that attack the machine are contained, in each way of confining that works here."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest import mock

from common.tools.grading import confine, sandbox
from common.tools.grading.sandbox import Cage, Ended, run_caged
from common.tools.lib.stages import ToolError
from tests.common.tools.grading.attacks import need_cage

# The long tests try all ways, the quick ones the strongest.
need_cage()
ALL = [way for way in sandbox.WAYS if sandbox.works(way)]
WAYS = ALL if os.environ.get("ALL_WAYS") else ALL[:1]
PYTHON = [sys.executable, "-I", "-S", "-c"]
LANDLOCK = confine.libc().syscall(444, None, 0, 1)  # its version; below 1 without it
SETTINGS = sandbox.settings_of
# Grades as a teacher's process does: a sleeper that a signal to the grader must end.
GRADER = """
import sys
from pathlib import Path
from common.tools.grading.sandbox import Cage, run_caged
way, folder, word = sys.argv[1:]
run_caged(["/bin/sleep", word], folder=Path(folder), seconds=60, cage=Cage(way=way))
"""


def running(word: str) -> bool:
    """Whether a process has this word in its command."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
        except OSError:  # it has ended
            continue
        if word.encode() in words and words[0] == b"/bin/sleep":
            return True
    return False


def becomes(expected: bool, word: str, seconds: float = 20) -> bool:
    """Waits until running(word) is as expected."""
    end = time.monotonic() + seconds
    while running(word) != expected and time.monotonic() < end:
        time.sleep(0.05)
    return running(word) == expected


def with_many_processes(*arguments: Any) -> dict[str, Any]:
    """The settings of a user for whom the kernel's limit does not hold."""
    settings: dict[str, Any] = SETTINGS(*arguments)
    settings["limits"]["processes"] = 10**6
    return settings


class SandboxTest(unittest.TestCase):
    def setUp(self) -> None:
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = Path(home.name)
        self.folder = self.home / "folder"
        self.folder.mkdir()
        self.secret = self.home / "secret"
        self.secret.write_text("the seed is 7", encoding="utf-8")

    def run_python(self, way: str, code: str, seconds: float = 10, **limits: int) -> Ended:
        cage = Cage(way=way, **limits)  # type: ignore[arg-type]
        return run_caged([*PYTHON, code], folder=self.folder, seconds=seconds, cage=cage)

    def in_each(
        self, ways: list[str], code: str, seconds: float = 10, **limits: int
    ) -> list[Ended]:
        ended = []
        for way in ways:
            with self.subTest(way=way):
                ended.append(self.run_python(way, code, seconds, **limits))
        return ended

    def test_a_usual_program_runs(self) -> None:
        code = "import sys; open('made', 'w').write('x'); print('out'); sys.exit(3)"
        for way in WAYS:
            ended = self.run_python(way, code)
            self.assertEqual((ended.status, ended.stdout, ended.stopped_for), (3, "out\n", ""))
            self.assertEqual((self.folder / "made").read_text(encoding="utf-8"), "x")

    def test_threads_run(self) -> None:
        code = "import threading as t; x = t.Thread(target=print); x.start(); x.join()"
        for ended in self.in_each(WAYS, code):
            self.assertEqual((ended.status, ended.stdout), (0, "\n"), ended.stderr)

    def test_a_crash_is_seen(self) -> None:
        for ended in self.in_each(WAYS, "import os; os.abort()"):
            self.assertEqual(ended.status, -signal.SIGABRT)

    def test_other_files_cannot_be_read(self) -> None:
        for path in (self.secret, Path(__file__), Path("/etc/passwd")):
            for ended in self.in_each(WAYS, f"print(open({str(path)!r}).read())"):
                self.assertEqual((ended.status, ended.stdout), (1, ""))

    def attempts(self, codes: Iterable[str]) -> str:
        """A program that tries all of it, and prints what was not refused."""
        lines = ["import os"]
        for code in codes:
            lines += ["try:", f"    {code}", f"    print({code!r})", "except OSError:", "    pass"]
        return "\n".join([*lines, "print('end')"])

    def test_other_files_cannot_be_changed(self) -> None:
        secret = repr(str(self.secret))
        codes = [
            f"open({secret}, 'w')",
            f"os.remove({secret})",
            f"os.rename({secret}, 'mine')",
            f"os.truncate({secret}, 0)",
            f"os.chmod({secret}, 0)",
            f"open({str(self.home / 'new')!r}, 'w')",
            f"open({str(Path(tempfile.gettempdir()) / 'new')!r}, 'w')",
            "open('/new', 'w')",
            "open('/dev/shm/new', 'w')",
        ]
        for ended in self.in_each(WAYS, self.attempts(codes)):
            # Landlock does not know chmod, which leaves the text as it is.
            said = ended.stdout.replace(f"os.chmod({secret}, 0)\n", "")
            self.assertEqual(said, "end\n", ended.stderr)
        self.secret.chmod(0o600)
        self.assertEqual(self.secret.read_text(encoding="utf-8"), "the seed is 7")
        self.assertEqual(sorted(path.name for path in self.home.iterdir()), ["folder", "secret"])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_files_to_read_cannot_be_changed(self) -> None:
        course = self.home / "course"
        course.mkdir()
        header = course / "header"
        header.write_text("text", encoding="utf-8")
        codes = [
            f"print(open({str(header)!r}).read())",
            f"open({str(header)!r}, 'w')",
            f"open({str(course / 'new')!r}, 'w')",
            f"os.remove({str(header)!r})",
        ]
        for way in WAYS:
            with self.subTest(way=way):
                cage = Cage(way=way, readable=(course,))
                command = [*PYTHON, self.attempts(codes)]
                ended = run_caged(command, folder=self.folder, seconds=10, cage=cage)
                self.assertEqual(ended.stdout, f"text\n{codes[0]}\nend\n")
                self.assertEqual(header.read_text(encoding="utf-8"), "text")

    def test_links_and_pipes_cannot_be_made(self) -> None:
        calls = ("symlink('/etc/passwd', 'x')", "mkfifo('x')", "mkdir('x')", "link('x', 'y')")
        for ended in self.in_each(WAYS, self.attempts(f"os.{call}" for call in calls)):
            self.assertEqual(ended.stdout, "end\n", ended.stderr)

    def test_there_is_no_network(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)"
            for ended in self.in_each(WAYS, code):
                self.assertIn("PermissionError", ended.stderr)
            # Compilers have no filter of system calls. Landlock 4 knows TCP.
            for way in WAYS:
                if way == "landlock" and LANDLOCK < 4:
                    continue
                with self.subTest(way=way):
                    cage = Cage(way=way, may_fork=True)
                    ended = run_caged([*PYTHON, code], folder=self.folder, seconds=10, cage=cage)
                    self.assertNotEqual(ended.status, 0)

    def test_a_fork_bomb_cannot_begin(self) -> None:
        # One fork: should it be allowed, nothing else breaks.
        for ended in self.in_each(WAYS, "import os\nos.fork()"):
            self.assertIn("PermissionError", ended.stderr)

    def test_other_processes_are_safe(self) -> None:
        own = os.getpid()
        for ended in self.in_each(WAYS, f"import os; os.kill({own}, 0)"):
            self.assertNotEqual(ended.status, 0)

    def test_limits_cannot_be_raised(self) -> None:
        # Only root could raise one, but nobody may set any, not even to what it is.
        for limit in ("(r.RLIM_INFINITY,) * 2", "r.getrlimit(r.RLIMIT_FSIZE)"):
            code = f"import resource as r; r.setrlimit(r.RLIMIT_FSIZE, {limit})"
            for ended in self.in_each(WAYS, code):
                self.assertNotEqual(ended.status, 0)

    def test_an_endless_loop_is_ended(self) -> None:
        for ended in self.in_each(WAYS, "while True: pass", seconds=1):
            self.assertEqual((ended.stopped_for, ended.timed_out), ("time", True))

    def test_the_processor_s_time_decides(self) -> None:
        with mock.patch.object(sandbox, "PATIENCE", 30):  # the clock does not end it
            for ended in self.in_each(WAYS[:1], "while True: pass", seconds=1):
                self.assertEqual((ended.stopped_for, ended.status), ("time", -signal.SIGXCPU))

    def test_a_sleeper_that_ignores_signals_is_ended(self) -> None:
        code = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\ntime.sleep(60)"
        for ended in self.in_each(WAYS, code, seconds=0.2):
            self.assertEqual(ended.stopped_for, "time")

    def test_huge_output_is_ended_and_cut(self) -> None:
        for ended in self.in_each(WAYS, "while True: print('x' * 100000)"):
            self.assertEqual(ended.stopped_for, "output")
            self.assertLessEqual(len(ended.stdout), 1 << 20)

    def test_memory_is_limited(self) -> None:
        code = "a = []\nwhile True: a.append(bytearray(1 << 24))"
        for ended in self.in_each(WAYS, code, memory_bytes=256 << 20):
            self.assertEqual(ended.stopped_for, "memory")

    def test_a_file_cannot_grow_without_end(self) -> None:
        code = "f = open('x', 'wb')\nwhile True: f.write(bytes(1 << 22))"
        for way in WAYS:
            with self.subTest(way=way):
                ended = run_caged(
                    [*PYTHON, code],
                    folder=self.folder,
                    seconds=10,
                    cage=Cage(way=way),
                    file_bytes=1 << 24,
                )
                self.assertNotEqual(ended.status, 0)
                self.assertLessEqual((self.folder / "x").stat().st_size, 1 << 24)

    def test_the_disk_cannot_be_filled(self) -> None:
        code = "import time\nfor i in range({}):\n open(str(i), 'wb').write(bytes(1 << 20))\n {}"
        for steps, step in ((10**6, "time.sleep(0.01)"), (40, "")):
            for ended in self.in_each(
                WAYS, code.format(steps, step), folder_bytes=32 << 20, seconds=2
            ):
                self.assertEqual(ended.stopped_for, "disk")

    def test_many_empty_files_are_too_much(self) -> None:
        code = "i = 0\nwhile True:\n i += 1\n open(str(i), 'wb')"
        for ended in self.in_each(WAYS[:1], code, folder_files=100):
            self.assertEqual(ended.stopped_for, "disk")

    def test_many_processes_are_too_much(self) -> None:
        code = "import subprocess as s\nx = [s.Popen(['/bin/sleep', '9']) for i in range(99)]\ns.time.sleep(9)"
        with mock.patch.object(sandbox, "PROCESSES", 8), mock.patch.object(
            sandbox, "settings_of", with_many_processes
        ):
            ended = run_caged(
                [*PYTHON, code],
                folder=self.folder,
                seconds=10,
                cage=Cage(way=WAYS[0], may_fork=True),
            )
        self.assertEqual(ended.stopped_for, "processes", ended.stderr)

    def test_what_the_system_ends_is_tried_again(self) -> None:
        code = "import os, pathlib\np = pathlib.Path('x')\np.exists() or (p.touch(), os.kill(os.getpid(), 9))"
        for way in WAYS:
            cage = Cage(way=way, may_fork=True)  # so it may send signals
            ended = run_caged([*PYTHON, code], folder=self.folder, seconds=10, cage=cage)
            self.assertEqual((ended.status, ended.stopped_for), (0, ""))
            (self.folder / "x").unlink()
            code_again = "import os\nos.kill(os.getpid(), 9)"
            with mock.patch.object(sandbox.time, "sleep"), self.assertRaisesRegex(
                sandbox.NotGraded, "the system ended a process"
            ):
                run_caged([*PYTHON, code_again], folder=self.folder, seconds=10, cage=cage)

    def test_a_full_disk_is_waited_for(self) -> None:
        code = "import sys; sys.exit(3)"
        full, free = mock.Mock(free=0), mock.Mock(free=1 << 40)
        run = [*PYTHON, code]
        # Full before the first attempt, and again when it failed.
        answers = [full, free, full, free, free, free]
        with (
            mock.patch.object(sandbox.shutil, "disk_usage", side_effect=answers) as asked,
            mock.patch.object(sandbox, "places_to_write", return_value={self.folder}),
            mock.patch.object(sandbox, "run_once", wraps=sandbox.run_once) as once,
        ):
            ended = run_caged(run, folder=self.folder, seconds=10, cage=Cage(way=WAYS[0]))
        self.assertEqual((ended.status, once.call_count), (3, 2))
        self.assertEqual(asked.call_count, 5)
        with (
            mock.patch.object(sandbox.shutil, "disk_usage", return_value=full),
            mock.patch.object(sandbox, "ROOM_SECONDS", 0),
            self.assertRaisesRegex(sandbox.NotGraded, "the disk is full"),
        ):
            run_caged(run, folder=self.folder, seconds=10, cage=Cage(way=WAYS[0]))

    def test_a_process_that_gets_no_processor_is_not_ended(self) -> None:
        command = ["/bin/sleep", "1"]
        for waited, stopped in ((0.0, "time"), (60.0, "")):
            use = sandbox.Use(0, 1, waited)
            with mock.patch.object(sandbox, "use_of", return_value=use):
                ended = run_caged(command, folder=self.folder, seconds=0.05, cage=Cage(way=WAYS[0]))
            self.assertEqual(ended.stopped_for, stopped)

    def test_the_environment_is_clean(self) -> None:
        os.environ["SEED"] = "7"
        self.addCleanup(os.environ.pop, "SEED")
        for ended in self.in_each(WAYS, "import os; print('SEED' in os.environ)"):
            self.assertEqual(ended.stdout, "False\n")

    def test_a_compiler_may_start_processes_and_make_folders(self) -> None:
        command = ["/bin/sh", "-c", "true & wait; mkdir x && touch x/y && rm -r x && echo done"]
        for way in WAYS:
            with self.subTest(way=way):
                ended = run_caged(
                    command, folder=self.folder, seconds=10, cage=Cage(way=way, may_fork=True)
                )
                self.assertEqual((ended.status, ended.stdout), (0, "done\n"), ended.stderr)

    def test_nothing_is_left_behind(self) -> None:
        for number, way in enumerate(WAYS):
            with self.subTest(way=way):
                word = f"60.{os.getpid()}{number}"
                command = ["/bin/sh", "-c", f"/bin/sleep {word} & echo done"]
                cage = Cage(way=way, may_fork=True)
                ended = run_caged(command, folder=self.folder, seconds=10, cage=cage)
                self.assertEqual(ended.stdout, "done\n")
                self.assertFalse(running(word))

    def test_programs_end_with_the_grader(self) -> None:
        root = Path(sandbox.__file__).resolve().parents[3]
        for number, way in enumerate(WAYS):
            with self.subTest(way=way):
                word = f"61.{os.getpid()}{number}"
                command = [sys.executable, "-c", GRADER, way, str(self.folder), word]
                environment = os.environ | {"PYTHONPATH": str(root)}
                with subprocess.Popen(command, env=environment) as grader:
                    self.assertTrue(becomes(True, word))
                    grader.kill()
                self.assertTrue(becomes(False, word))

    def test_a_way_is_tried_before_it_is_used(self) -> None:
        with mock.patch.object(sandbox.shutil, "which", return_value=None):
            self.assertFalse(sandbox.works.__wrapped__("bubblewrap"))
        # What runs programs here must also keep files from being read.
        for way in ("bubblewrap", "landlock"):
            if (way == "bubblewrap" and not shutil.which("bwrap")) or (
                way == "landlock" and LANDLOCK < 1
            ):
                continue
            ended = run_caged(["/bin/true"], folder=self.folder, seconds=10, cage=Cage(way=way))
            self.assertEqual(sandbox.works(way), ended.status == 0, way)

    def test_without_a_cage_nothing_runs(self) -> None:
        missing = mock.Mock(syscall=mock.Mock(return_value=-1))
        with mock.patch.object(confine, "libc", return_value=missing):
            with self.assertRaisesRegex(OSError, "no Landlock"):
                confine.close_file_system([], [], False)
        with mock.patch.object(sandbox, "works", return_value=False):
            with self.assertRaisesRegex(ToolError, "Install the package bubblewrap"):
                sandbox.best_way.__wrapped__()

    def test_an_interruption_ends_it(self) -> None:
        self.addCleanup(sandbox.interrupted.clear)
        begin = time.monotonic()
        threading.Timer(0.2, sandbox.interrupted.set).start()
        with self.assertRaises(sandbox.Interrupted):
            self.run_python(WAYS[0], "while True: pass", seconds=30)
        self.assertLess(time.monotonic() - begin, 15)


if __name__ == "__main__":
    unittest.main()
