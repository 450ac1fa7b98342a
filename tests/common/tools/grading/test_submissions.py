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

from common.tools.grading import archives, caged, submissions
from common.tools.grading.archives import Contents
from common.tools.grading.submissions import Submission, find_submissions, read_submission
from common.tools.labs.catalogue import load_labs
from common.tools.labs.policy import LARGEST
from common.tools.lib.stages import ToolError
from tests.common.tools.grading.attacks import RIGHT, need_cage

need_cage()
LAB = load_labs()[RIGHT]
PLACE = f"{LAB.folder_name}/{LAB.file_name}"


class ArchiveTest(unittest.TestCase):
    """What makes folders and archives."""

    def setUp(self) -> None:
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = Path(home.name)

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


class ReadingTest(ArchiveTest):
    def read(self, name: str) -> Contents:
        return archives.read(self.home / name, {PLACE: LAB.name}, LARGEST)

    def assert_read(self, name: str, data: bytes = b"text") -> None:
        found = self.read(name)
        self.assertEqual((found.files, found.problems), ({LAB.name: data}, {}))

    def assert_refused(self, name: str, part: str) -> None:
        found = self.read(name)
        self.assertEqual(found.files, {})
        self.assertEqual(len(found.problems), 1)
        self.assertIn(part, next(iter(found.problems.values())))

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
        with mock.patch.object(archives, "MOST_MEMBERS", 1):
            self.assert_refused("anna", "more than 1 files")
        deep = self.home / "bob" / "/".join("x" * 20) / PLACE
        deep.parent.mkdir(parents=True)
        deep.write_bytes(b"text")
        self.assertEqual(self.read("bob"), Contents())

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
        read.assert_called_once_with(LARGEST + 1)  # not the whole of it
        self.make_tar("a.tar.gz", {PLACE: bomb})
        self.assert_refused("a.tar.gz", "longer than 256 KiB")
        with mock.patch.object(archives, "MOST_BYTES", 1 << 20):
            self.make_tar("b.tar.gz", {"other": bomb, PLACE: b"text"})
            self.assert_refused("b.tar.gz", "has more than 1 MiB")
        with mock.patch.object(archives, "MOST_MEMBERS", 3):
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
        found, strays = find_submissions(self.home)
        self.assertEqual([one.student for one in found], ["anna", "bob", "carl", "dora"])
        self.assertEqual(strays, ["link"])

    def test_what_is_wrong_with_one_is_no_other_s_problem(self) -> None:
        (self.home / "bob").mkdir()
        (self.home / "anna").mkdir()
        for name in ("anna.zip", "readme.txt"):
            (self.home / name).write_bytes(b"")
        for raw in (b"an\nna", b"an\xff", "é".encode() * 127):
            os.mkdir(os.fsencode(self.home) + b"/" + raw)
        found, strays = find_submissions(self.home)
        names = [one.student for one in found]
        self.assertEqual(names, ["an\\nna", "an\\xff", "anna", "bob", "é" * 127])
        self.assertEqual(strays, ["readme.txt"])
        self.assertEqual(found[2].problems, {"": "handed in twice: anna and anna.zip"})
        self.assertEqual([one.problems for one in (*found[:2], *found[3:])], [{}] * 4)
        # Each has a name for files, and no two have the same.
        self.assertTrue(all(len(one.place.encode()) <= 120 for one in found))
        self.assertEqual(len({one.place for one in found}), 5)

    def test_a_missing_or_empty_folder(self) -> None:
        with self.assertRaisesRegex(ToolError, "there is no such folder"):
            find_submissions(self.home / "none")
        with self.assertRaisesRegex(ToolError, "has no submissions"):
            find_submissions(self.home)


class CagedTest(ArchiveTest):
    """Archives that were made to end the grading of a class."""

    def hand_in(self, name: str) -> Submission:
        one = Submission("anna", self.home / name)
        read_submission(one, [LAB])
        return one

    def assert_not_readable(self, name: str, part: str) -> None:
        found = self.hand_in(name)
        self.assertEqual((found.files, list(found.problems)), ({}, [""]))
        self.assertRegex(found.problems[""], part)

    def test_usual_ones_are_read(self) -> None:
        self.make_tar("a.tar.xz", {PLACE: b"text"})
        self.make_zip("ü b.zip", {PLACE: b"text"})
        place = self.home / "anna" / PLACE
        place.parent.mkdir(parents=True)
        place.write_bytes(b"text")
        for name in ("a.tar.xz", "ü b.zip", "anna"):
            found = self.hand_in(name)
            self.assertEqual((found.files, found.problems), ({LAB.name: b"text"}, {}), name)

    def test_one_without_a_lab_s_file_is_named(self) -> None:
        self.make_zip("a.zip", {"basics.cu": b"text"})
        self.assert_not_readable("a.zip", f"a.zip: has no file such as {PLACE}")

    def test_one_wrong_byte(self) -> None:
        self.make_tar("a.tar.xz", {PLACE: os.urandom(3000)})
        whole = (self.home / "a.tar.xz").read_bytes()
        for place in range(6, len(whole), len(whole) // 8):
            wrong = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
            (self.home / "a.tar.xz").write_bytes(wrong)
            self.assert_not_readable("a.tar.xz", "a.tar.xz: cannot be read")

    def test_a_header_that_takes_hours(self) -> None:
        # Two million digits: Python looks for a word after each of them, which is quadratic.
        record = b"1" * 2_000_000 + b" path=x\n"
        info = tarfile.TarInfo("pax")
        info.type, info.size = tarfile.XHDTYPE, len(record)
        with (self.home / "a.tar").open("wb") as file:
            file.write(info.tobuf(tarfile.USTAR_FORMAT) + record + bytes(-len(record) % 512 + 1024))
        # A Python that has its security updates refuses such a header at once.
        with mock.patch.object(submissions, "SECONDS", 1):
            self.assert_not_readable("a.tar", "(did not end within 1 seconds|: invalid header)")

    def test_many_entries(self) -> None:
        (self.home / "anna").mkdir()
        for i in range(archives.MOST_MEMBERS + 1):
            (self.home / "anna" / str(i)).touch()
        self.assert_not_readable("anna", "has more than 20000 files")

    def test_memory_has_a_limit(self) -> None:
        self.make_tar("a.tar.bz2", {"other": bytes(64 << 20)})
        with mock.patch.object(caged, "MEMORY_BYTES", 1 << 20):
            self.assert_not_readable("a.tar.bz2", "reading it used too much memory")


if __name__ == "__main__":
    unittest.main()
