# SPDX-License-Identifier: MIT
"""What a tool creates in the course's tree, all of it or nothing: `make stage` and `make chapter`.

    with Creation() as made:
        made.write(path, text)  # a new file or an old one, in folders that need not exist
        made.copy(folder, new_folder)
        made.expect(path)  # the command below writes it
        made.run("a", "command")

If the block ends by an error or a signal, new files and folders are removed again, and edited files
have their old text.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType

from common.tools.lib.files import write_whole
from common.tools.lib.stages import EXIT_FAILURE, ROOT, DataError, ToolError

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 20  # seconds that a command has for its own clean-up, after the signal


class Creation:
    """Each path is remembered before it is touched: a signal may come between the two."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.new: list[Path] = []
        self.old: dict[Path, bytes] = {}

    def __enter__(self) -> Creation:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            return
        handlers = {number: signal.signal(number, signal.SIG_IGN) for number in SIGNALS}
        try:
            self._undo()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def expect(self, path: Path) -> None:
        """The block, or a command in it, creates this file or folder or changes this file."""
        if any(path.is_relative_to(new) for new in self.new):
            return
        if path.exists():
            self.old[path] = path.read_bytes()
            return
        while not path.parent.exists():
            path = path.parent
        self.new.append(path)

    def write(self, path: Path, text: str) -> None:
        self.expect(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)

    def copy(self, source: Path, folder: Path) -> None:
        """A folder with all that is in it."""
        self.expect(folder)
        shutil.copytree(source, folder)

    def run(self, *command: str) -> None:
        """A command in the root. It has a group of its own, so a signal reaches its children, too,
        and they have ended before anything is removed."""
        sys.stdout.flush()
        child = subprocess.Popen(command, cwd=self.root, start_new_session=True)
        try:
            status = child.wait()
        except BaseException:
            self._end(child)
            raise
        if status != 0:
            raise ToolError(f"failed: {' '.join(command)}", EXIT_FAILURE)

    @staticmethod
    def _end(child: subprocess.Popen[bytes]) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(PATIENCE)
                break

    def _undo(self) -> None:
        # What is removed first makes room on a full disk for the old texts.
        for path in reversed(self.new):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        failures = []
        for path, text in self.old.items():
            try:
                if not path.exists() or path.read_bytes() != text:
                    write_whole(path, text.decode("utf-8"))
            except (DataError, OSError) as error:
                failures.append(str(error))
        if failures:
            raise DataError(f"not restored: {'; '.join(failures)}")
