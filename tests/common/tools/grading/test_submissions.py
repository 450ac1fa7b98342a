# SPDX-License-Identifier: MIT
"""Folders and archives of students: right ones are read, and bad ones harm nobody else."""

import io
import os
import stat
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from common.tools.grading import submissions
from common.tools.grading.submissions import Submission, find_submissions, read_submission
from common.tools.labs.catalogue import load_labs
from common.tools.lib.stages import ToolError
from tests.common.tools.grading.attacks import RIGHT

LAB = load_labs()[RIGHT]
PLACE = f"{LAB.folder_name}/{LAB.file_name}"


class SubmissionTest(unittest.TestCase):
    def setUp(self) -> None:
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = Path(home.name)

    def read(self, name: str) -> Submission:
        return read_submission("anna", self.home / name, [LAB])

    def assert_read(self, name: str, data: bytes = b"text") -> None:
        found = self.read(name)
        self.assertEqual((found.files, found.problems), ({LAB.name: data}, {}))

    def assert_refused(self, name: str, part: str) -> None:
        found = self.read(name)
        self.assertEqual(found.files, {})
        self.assertEqual(len(found.problems), 1)
        self.assertIn(part, next(iter(found.problems.values())))

    def make_zip(self, name: str, members: dict[str, bytes], mode: int = 0) -> None:
        with zipfile.ZipFile(self.home / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for place, data in members.items():
                info = zipfile.ZipInfo(place)
                info.external_attr = mode << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, data)

    def make_tar(self, name: str, members: dict[str, bytes], kind: bytes = tarfile.REGTYPE) -> None:
        mode = {"gz": "w:gz", "xz": "w:xz", "bz2": "w:bz2"}.get(name.rpartition(".")[2], "w")
        with tarfile.open(self.home / name, mode) as archive:  # type: ignore[call-overload]
            for place, data in members.items():
                info = tarfile.TarInfo(place)
                info.type, info.size, info.linkname = kind, len(data), "/etc/passwd"
                archive.addfile(info, io.BytesIO(data))

    def test_folders(self) -> None:
        place = self.home / "anna" / "my" / PLACE
        place.parent.mkdir(parents=True)
        place.write_bytes(b"text")
        self.assert_read("anna")
        (place.parent.parent / "other.txt").write_bytes(b"more")
        (place.parent.parent / LAB.file_name).write_bytes(b"not in the lab's folder")
        self.assert_read("anna")

    def test_large_and_deep_folders(self) -> None:
        place = self.home / "anna" / PLACE
        place.parent.mkdir(parents=True)
        place.write_bytes(b"text")
        (self.home / "anna" / "a file before it").write_bytes(b"")
        with mock.patch.object(submissions, "MOST_MEMBERS", 1):
            self.assert_refused("anna", "more than 1 files")
        deep = self.home / "bob" / "/".join("x" * 20) / PLACE
        deep.parent.mkdir(parents=True)
        deep.write_bytes(b"text")
        self.assertEqual(self.read("bob"), Submission("anna"))

    def test_archives(self) -> None:
        for name in ("a.zip", "a.tar", "a.tar.gz", "a.tar.xz", "a.tar.bz2"):
            with self.subTest(name=name):
                make = self.make_zip if name.endswith("zip") else self.make_tar
                make(name, {f"anna/my/{PLACE}": b"text", "anna/TASK.md": b"task"})
                self.assert_read(name)

    def test_paths_that_leave_the_archive_write_nothing(self) -> None:
        before = sorted(self.home.rglob("*"))
        for prefix in ("../../../", "/", f"{self.home}/"):
            for name in ("a.zip", "a.tar"):
                make = self.make_zip if name.endswith("zip") else self.make_tar
                make(name, {prefix + PLACE: b"text", prefix + "other": b"evil"})
                self.assert_read(name)  # by the end of its path; it is only read
                (self.home / name).unlink()
        self.assertEqual(sorted(self.home.rglob("*")), before)
        self.assertFalse(Path("/other").exists())

    def test_links_are_refused(self) -> None:
        self.make_zip("a.zip", {PLACE: b"/etc/passwd"}, stat.S_IFLNK | 0o777)
        self.make_tar("a.tar", {PLACE: b""}, tarfile.SYMTYPE)
        self.make_tar("b.tar", {PLACE: b""}, tarfile.LNKTYPE)
        self.make_tar("c.tar", {PLACE: b""}, tarfile.FIFOTYPE)
        for name in ("a.zip", "a.tar", "b.tar", "c.tar"):
            self.assert_refused(name, "is a link, or")
        place = self.home / "anna" / PLACE
        place.parent.mkdir(parents=True)
        place.symlink_to("/etc/passwd")
        self.assert_refused("anna", "is a link, or")
        place.unlink()
        os.mkfifo(place)
        self.assert_refused("anna", "is a link, or")

    def test_links_to_folders_are_not_followed(self) -> None:
        real = self.home / "teacher" / PLACE
        real.parent.mkdir(parents=True)
        real.write_bytes(b"solution")
        (self.home / "anna").mkdir()
        (self.home / "anna" / LAB.folder_name).symlink_to(real.parent)
        self.assertEqual(self.read("anna").files, {})

    def test_bombs_are_refused(self) -> None:
        bomb = bytes(64 << 20)
        self.make_zip("a.zip", {PLACE: bomb})
        self.assert_refused("a.zip", "longer than 256 KiB")
        with mock.patch.object(zipfile.ZipExtFile, "read", return_value=b"") as read:
            self.read("a.zip")
        read.assert_called_once_with(submissions.LARGEST + 1)  # not the whole of it
        self.make_tar("a.tar.gz", {PLACE: bomb})
        self.assert_refused("a.tar.gz", "longer than 256 KiB")
        with mock.patch.object(submissions, "MOST_BYTES", 1 << 20):
            self.make_tar("b.tar.gz", {"other": bomb, PLACE: b"text"})
            self.assert_refused("b.tar.gz", "has more than 1 MiB")
        with mock.patch.object(submissions, "MOST_MEMBERS", 3):
            many = {f"file{i}": b"" for i in range(4)} | {PLACE: b"text"}
            self.make_zip("c.zip", many)
            self.make_tar("c.tar", many)
            self.assert_refused("c.zip", "more than 3 members")
            self.assert_refused("c.tar", "more than 3 members")

    def test_damaged_archives_are_refused(self) -> None:
        self.make_zip("a.zip", {PLACE: bytes(range(256)) * 40})
        self.make_tar("a.tar.gz", {PLACE: os.urandom(5000)})
        for name in ("a.zip", "a.tar.gz"):
            whole = (self.home / name).read_bytes()
            for damaged in (b"", b"no archive", whole[: len(whole) // 2], whole[len(whole) // 2 :]):
                (self.home / name).write_bytes(damaged)
                self.assertEqual(self.read(name).files, {}, (name, len(damaged)))
            for filler in (bytes(40), b"\xff" * 40):  # a wrong checksum, and no such block
                (self.home / name).write_bytes(whole[:60] + filler + whole[100:])
                self.assert_refused(name, "cannot be read")
        # What comes before the damage does not count either.
        self.make_tar("b.tar", {PLACE: b"text", "other": bytes(9000)})
        (self.home / "b.tar").write_bytes((self.home / "b.tar").read_bytes()[:4000])
        self.assert_refused("b.tar", "cannot be read")

    def test_two_files_for_a_lab_are_refused(self) -> None:
        self.make_zip("a.zip", {f"one/{PLACE}": b"1", f"two/{PLACE}": b"2", f"3/{PLACE}": b"3"})
        self.assert_refused("a.zip", "handed in twice")

    def test_the_class(self) -> None:
        for name in ("dora", "anna"):
            (self.home / name).mkdir()
        for name in ("carl.zip", "bob.TAR.GZ", ".hidden"):
            (self.home / name).write_bytes(b"")
        (self.home / "link").symlink_to("/etc")
        names = [student for student, _ in find_submissions(self.home)]
        self.assertEqual(names, ["anna", "bob", "carl", "dora"])
        (self.home / "anna.zip").write_bytes(b"")
        with self.assertRaisesRegex(ToolError, "anna: handed in twice"):
            find_submissions(self.home)
        (self.home / "anna.zip").unlink()
        (self.home / "an\nna").mkdir()
        with self.assertRaisesRegex(ToolError, "characters that cannot be printed"):
            find_submissions(self.home)
        (self.home / "an\nna").rmdir()
        (self.home / "notes.txt").write_bytes(b"")
        with self.assertRaisesRegex(ToolError, "neither a folder nor an archive"):
            find_submissions(self.home)

    def test_a_missing_or_empty_folder(self) -> None:
        with self.assertRaisesRegex(ToolError, "there is no such folder"):
            find_submissions(self.home / "none")
        with self.assertRaisesRegex(ToolError, "has no submissions"):
            find_submissions(self.home)


if __name__ == "__main__":
    unittest.main()
