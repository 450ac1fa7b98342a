# SPDX-License-Identifier: MIT
"""A fresh root from beginning to end. A stand-in for debootstrap makes a root with a shell only."""

import contextlib
import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from collections.abc import Iterator
from pathlib import Path

from common.tools.lib.stages import ROOT, ToolError
from tests.fresh.debian import APT_HELPER
from tests.fresh.options import parse

TRY = [sys.executable, "-m", "tests.fresh.try"]
WRONG = {
    "": "tests.fresh.try: the following arguments are required: root",
    "debian11": "'debian11': no such root; choose one of debian12, debian13, sid, or the path of "
    "a Containerfile",
    "sid --wrong": "tests.fresh.try: unrecognized arguments: --wrong",
    "sid --architecture z80": "--architecture 'z80': choose one of amd64, arm64",
    "sid --tree chapters": "--tree 'chapters': is not a git repository",
    "sid --cross": "--cross needs --architecture arm64, and neither --gxx, --user nor a Containerfile",
    "sid --ccache": "--ccache needs --cache FOLDER",
    "sid --gxx new": "--gxx 'new': is not a number",
    "sid --quick --commands true": "--quick and --commands cannot be combined",
    "Containerfile --gxx 11": "--gxx, --no-tomllib and --meson: a Containerfile says what is "
    "installed",
    "sid --build-arg A=B": "--build-arg: only a Containerfile has arguments",
    "Containerfile --build-arg AB": "--build-arg 'AB': is not NAME=VALUE",
}
# A root with a shell, and with programs that the preparation calls.
DEBOOTSTRAP = """#!/bin/sh
set -e
[ "$1 $2 $3 $5" = "--variant=minbase --arch=$(dpkg --print-architecture) sid $MIRROR" ]
mkdir -p "$4/bin" "$4/etc/apt/apt.conf.d" "$4/etc/dpkg/dpkg.cfg.d" "$4/root" "$4/home" "$4/tmp" "$4/var/log" "$4/var/cache/apt/archives"
echo root:x:0:0::/root:/bin/sh >"$4/etc/passwd"
echo root:x:0: >"$4/etc/group"
for file in /bin/sh $(ldd /bin/sh | grep -o '/[^ ]*'); do
    mkdir -p "$4$(dirname "$file")"
    cp -L "$file" "$4$file"
done
printf '#!/bin/sh\\n' >"$4/bin/apt-get"
printf '#!/bin/sh\\ncase $1 in sid) echo %s ;; esac\\n' >"$4/bin/make"
chmod +x "$4/bin/apt-get" "$4/bin/make"
"""


def processes_with(word: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0] == b"/bin/sh" and any(word.encode() in one for one in words):
            found.append(int(path.parent.name))
    return found


@contextlib.contextmanager
def killed_in_the_end(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        process.kill()


class Calling(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.folder.chmod(0o755)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.mirror = f"file:{self.folder}/mirror"
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(self.temporary),
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "MIRROR": self.mirror,
        }

    def call(self, *words: str) -> tuple[int, str, list[str]]:
        """The exit status, what stdout says, and the lines of stderr."""
        made = subprocess.run(
            [*TRY, *words],
            env=self.environment,
            cwd=ROOT,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=100,
        )
        self.assertEqual(list(self.temporary.iterdir()), [], "nothing may be left")
        return made.returncode, made.stdout, made.stderr.splitlines()


class TryTest(Calling):
    def test_a_wrong_call_is_one_line(self) -> None:
        for words, said in WRONG.items():
            with self.subTest(words=words):
                self.assertEqual(self.call(*words.split()), (2, "", [said]))

    def test_help_says_what_it_does(self) -> None:
        status, said, _ = self.call("--help")
        self.assertEqual(status, 0)
        self.assertIn("fresh root file system", said)

    def test_without_root_it_is_skipped(self) -> None:
        module = importlib.import_module("tests.fresh.try")
        with unittest.mock.patch("os.geteuid", return_value=1000), self.assertRaises(
            ToolError
        ) as caught:
            module.check_machine(parse(["sid"]))
        said = "skipped: only root may make a root file system"
        self.assertEqual((str(caught.exception), caught.exception.status), (said, 77))


@unittest.skipUnless(os.geteuid() == 0, "only root may make a root file system")
@unittest.skipUnless(Path(APT_HELPER).exists(), "there is no apt")
class FakeRootTest(Calling):
    def setUp(self) -> None:
        super().setUp()
        if subprocess.run(["unshare", "--mount", "true"], check=False).returncode != 0:
            self.skipTest("this machine permits no mounts")
        program = self.folder / "bin" / "debootstrap"
        program.parent.mkdir()
        program.write_text(DEBOOTSTRAP, encoding="utf-8")
        program.chmod(0o755)
        release = self.folder / "mirror" / "dists" / "sid" / "InRelease"
        release.parent.mkdir(parents=True)
        release.write_text("Hash: none\n\nOrigin: Debian\nSuite: unstable\n", encoding="utf-8")
        tree = self.folder / "tree"
        tree.mkdir()
        subprocess.run(["git", "init", "--quiet"], cwd=tree, check=True)
        for name in ("meson.build", "new", "ignored"):
            (tree / name).write_text(f"{name}\n", encoding="utf-8")
        (tree / ".gitignore").write_text("ignored\n", encoding="utf-8")
        subprocess.run(["git", "add", "meson.build", ".gitignore"], cwd=tree, check=True)
        self.words = ["sid", "--mirror", self.mirror, "--tree", str(tree)]

    def test_without_debootstrap_it_is_skipped(self) -> None:
        bin_folder = self.folder / "bin"
        (bin_folder / "debootstrap").unlink()
        for name in ("unshare", "setpriv", "git", "tar"):
            (bin_folder / name).symlink_to(shutil.which(name) or "/none")
        self.environment["PATH"] = str(bin_folder)
        said = "skipped: debootstrap is missing (package debootstrap)"
        self.assertEqual(self.call(*self.words), (77, "", [said]))

    def test_without_a_mirror_it_is_skipped(self) -> None:
        status, _, said = self.call("debian13", "--mirror", self.mirror)
        self.assertEqual(
            (status, said), (77, [f"skipped: no Debian trixie that {self.mirror} has"])
        )

    def test_commands_run_in_the_root_with_the_course(self) -> None:
        cache = self.folder / "cache"
        commands = [
            "echo a$HOME; [ -e meson.build ] && [ -e new ] && [ ! -e ignored ] && echo b$PWD",
            "[ ! -e /work ]",
            "echo c >/c",
        ]
        commands += [f"read word </c; [ $word = c ]; [ ! -e '{self.folder}' ]; [ -e /sys/devices ]"]
        for _ in range(2):  # the second time from the cache
            status, said, errors = self.call(
                *self.words, "--cache", str(cache), "--commands", *commands
            )
            self.assertEqual((status, errors), (0, []), said)
            self.assertIn("\na/root\nb/root/gpu-algorithms\n", said)
            self.assertEqual(len(re.findall(r"^ +\d+\.\d s  .*: ok$", said, re.MULTILINE)), 6, said)
            (self.folder / "bin" / "debootstrap").write_text(
                "#!/bin/sh\nexit 1\n", encoding="utf-8"
            )
        self.assertEqual([path.suffix for path in cache.glob("*.*")], [".tar"])

    def test_a_command_that_fails(self) -> None:
        status, said, errors = self.call(
            *self.words, "--commands", "true() { return 3; }; true", ":"
        )
        self.assertEqual((status, errors), (1, ["true() { return 3; }; true: exit status 3"]))
        self.assertNotIn("== :\n", said)

    def test_a_command_that_must_fail(self) -> None:
        words = [*self.words, "--fails", "sorry", "--commands", ":"]
        self.assertEqual(self.call(*words, "echo sorry; exit 1")[0], 0)
        for command, said in {
            "echo sorry": "echo sorry: did not fail",
            "exit 1": "exit 1: did not say 'sorry'",
        }.items():
            status, _, errors = self.call(*words, command)
            self.assertEqual((status, errors), (1, [said]))

    def test_a_debootstrap_that_fails(self) -> None:
        program = self.folder / "bin" / "debootstrap"
        program.write_text("#!/bin/sh\necho E: broken >&2\nexit 1\n", encoding="utf-8")
        status, _, errors = self.call(*self.words)
        self.assertEqual((status, errors), (1, ["debootstrap sid failed: E: broken"]))

    def test_a_user_without_rights(self) -> None:
        root_make = r"""printf '#!/bin/sh\nexit 0\n'"""
        program = self.folder / "bin" / "debootstrap"
        with program.open("a", encoding="utf-8") as file:
            file.write(f"{root_make} >/dev/null\n")
            file.write(
                "cat >\"$4/bin/make\" <<'EOF'\n#!/bin/sh\n"
                "[ -e /installed ] && echo made by $USER in $PWD && exit\n"
                "echo \"    su -c 'install it'\"\nexit 1\nEOF\n"
                "cat >\"$4/bin/su\" <<'EOF'\n#!/bin/sh\n[ \"$*\" = '-c install it' ] && : >/installed\nEOF\n"
                'chmod +x "$4/bin/su"\n'
            )
        status, said, errors = self.call(*self.words, "--user", "--commands", "make", ": >a")
        self.assertEqual((status, errors), (0, []), said)
        self.assertIn("made by student in /home/student/gpu-algorithms\n", said)
        # Without the administrator, the same command fails.
        status, said, errors = self.call(*self.words, "--commands", "make")
        self.assertEqual((status, errors), (1, ["make: exit status 1"]))

    def test_after_a_signal_nothing_is_left(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            mark = f"endless-{os.getpid()}-{number}"
            with self.subTest(signal=number.name), subprocess.Popen(
                [*TRY, *self.words, "--commands", f"while :; do : {mark}; done"],
                env=self.environment,
                cwd=ROOT,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # A shell's & ignores SIGINT, and so would what it has started.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            ) as process, killed_in_the_end(process):
                self.wait_for(lambda: bool(processes_with(mark)), "the command runs")
                process.send_signal(number)
                process.wait(timeout=60)
                self.wait_for(lambda: not processes_with(mark), "the command has ended")
                self.wait_for(lambda: not list(self.temporary.iterdir()), "the root is removed")
                mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
                self.assertNotIn(str(self.temporary), mounts)

    def wait_for(self, met, what: str) -> None:  # type: ignore[no-untyped-def]
        end = time.monotonic() + 60
        while not met():
            self.assertLess(time.monotonic(), end, f"waited too long until {what}")
            time.sleep(0.05)

    def test_a_containerfile(self) -> None:
        path = self.folder / "Containerfile"
        path.write_text(
            "FROM debian:sid\nARG WORD=x\nENV KIND=k\nRUN echo $WORD$KIND >/said\n"
            "COPY meson.build /copied/\nWORKDIR /course\n",
            encoding="utf-8",
        )
        command = (
            "read said </said; [ -e /copied/meson.build ] && [ -e new ] && echo $said $PWD $KIND"
        )
        words = [str(path), *self.words[1:], "--build-arg", "WORD=y", "--commands", command]
        status, said, errors = self.call(*words)
        self.assertEqual((status, errors), (0, []), said)
        self.assertIn("\nyk /course k\n", said)
        path.write_text("FROM debian:sid\nRUN exit 4\n", encoding="utf-8")
        status, _, errors = self.call(*words)
        self.assertEqual((status, errors), (1, [f"{path}:2: RUN failed with exit status 4"]))


if __name__ == "__main__":
    unittest.main()
