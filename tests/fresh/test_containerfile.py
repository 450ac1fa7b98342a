# SPDX-License-Identifier: MIT
"""The steps of a Containerfile: what is read, what is refused, and what a step leaves."""

import json
import shlex
import tempfile
import unittest
from pathlib import Path

from common.tools.lib.errors import DataError
from common.tools.lib.stages import ROOT
from tests.fresh.containerfile import Builder, Step, read_containerfile
from tests.fresh.root import Root

REFUSED = {
    "RUN true": "1: there must be one FROM, and it must be first",
    "FROM debian:13\nFROM debian:12": "2: there must be one FROM, and it must be first",
    "FROM debian:13\n\nADD a b": "3: 'ADD' is not known here",
    "FROM debian:13\nRUN a && \\\n    b\nEXPOSE 80": "4: 'EXPOSE' is not known here",
    'FROM debian:13\nRUN ["true"]': "2: RUN in a form that is not known here",
    "FROM debian:13\nCOPY --from=a b c": "2: COPY in a form that is not known here",
    "FROM debian:13\nUSER": "2: USER in a form that is not known here",
    "FROM debian:13\nRUN true \\": " the last step does not end",
    "# nothing": " has no step",
}


class ContainerfileTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.root = Root(self.folder / "root")
        self.root.write(
            "/etc/passwd", "root:x:0:0::/root:/bin/sh\nstudent:x:7:7::/home/s:/bin/sh\n"
        )

    def read(self, text: str) -> list[Step]:
        path = self.folder / "Containerfile"
        path.write_text(text, encoding="utf-8")
        return read_containerfile(path)

    def build(self, *steps: str, **arguments: str) -> Builder:
        builder = Builder(self.root, self.folder, arguments)
        for step in self.read("\n".join(["FROM debian:13", *steps]))[1:]:
            builder.run(step)
        return builder

    def assert_refused(self, said: str, *steps: str) -> None:
        with self.assertRaises(DataError) as caught:
            self.build(*steps)
        self.assertEqual(str(caught.exception), f"{self.folder}/Containerfile:2: {said}")

    def test_lines_and_comments(self) -> None:
        steps = self.read("# a\nFROM debian:13\n\nRUN a && \\\n    # b\n    c\nUSER d\n")
        self.assertEqual([step.text for step in steps], ["debian:13", "a && c", "d"])
        self.assertEqual(steps[2].place, f"{self.folder}/Containerfile:7")

    def test_what_is_not_known_is_refused_with_its_line(self) -> None:
        for text, said in REFUSED.items():
            with self.subTest(text=text), self.assertRaises(DataError) as caught:
                self.read(text)
            self.assertEqual(str(caught.exception), f"{self.folder}/Containerfile:{said}")

    def test_an_unknown_image(self) -> None:
        builder = Builder(self.root, self.folder, {})
        self.assertEqual(builder.suite_of(Step("f:1", "FROM", "debian:trixie")), "trixie")
        with self.assertRaisesRegex(DataError, "f:1: FROM 'fedora' is not known here"):
            builder.suite_of(Step("f:1", "FROM", "fedora"))

    def test_variables(self) -> None:
        builder = self.build(
            "ARG WHO=student", "ENV KIND=$WHO-${WHO}", "USER $WHO", "WORKDIR /a/$WHO"
        )
        self.assertEqual(self.root.environment["KIND"], "student-student")
        self.assertEqual((builder.user, builder.folder), ("student", "/a/student"))
        self.assertTrue((self.root.folder / "a" / "student").is_dir())
        self.assertEqual(self.build("ARG WHO=student", "USER $WHO", WHO="root").user, "root")
        self.assert_refused("WHO has no value", "USER $WHO")
        self.assert_refused("ENV in a form that is not known here", "ENV A B")
        self.assert_refused("ENV in a form that is not known here", 'ENV A="b c"')

    def test_an_unknown_user(self) -> None:
        with self.assertRaisesRegex(Exception, "nobody: there is no such user in the root"):
            self.build("USER nobody")

    def test_copies(self) -> None:
        (self.folder / "from" / "sub").mkdir(parents=True)
        (self.folder / "from" / "sub" / "file").write_text("text", encoding="utf-8")
        self.build("WORKDIR /w", "COPY from /to", "COPY from/sub/file x/", "COPY from/sub/file y")
        for name in ("to/sub/file", "w/x/file", "w/y"):
            self.assertEqual((self.root.folder / name).read_text(encoding="utf-8"), "text")
        self.assert_refused("COPY '../a': there is no such file", "COPY ../a b")
        self.assert_refused("COPY 'none': there is no such file", "COPY none b")
        self.assert_refused("COPY in a form that is not known here", "COPY a b c")

    def test_links_lead_into_the_root(self) -> None:
        (self.root.folder / "run").mkdir()
        (self.root.folder / "var").mkdir()
        (self.root.folder / "var" / "run").symlink_to("/run")
        (self.root.folder / "up").symlink_to("../../../run")
        self.build("WORKDIR /var/run/a", "WORKDIR /up/b")
        self.assertTrue((self.root.folder / "run" / "a").is_dir())
        self.assertTrue((self.root.folder / "run" / "b").is_dir())


class OurFilesTest(unittest.TestCase):
    def test_the_course_s_own(self) -> None:
        steps = read_containerfile(ROOT / "Containerfile")
        self.assertEqual(Builder(Root(Path("/none")), ROOT, {}).suite_of(steps[0]), "trixie")
        for step in steps:  # whatever is installed comes from Debian
            if step.instruction == "RUN":
                self.assertFalse({"pip", "curl", "wget"} & set(shlex.split(step.text)), step)

    def test_the_development_container_uses_it(self) -> None:
        folder = ROOT / ".devcontainer"
        said = json.loads((folder / "devcontainer.json").read_text(encoding="utf-8"))
        build = said["build"]
        self.assertEqual((folder / build["dockerfile"]).resolve(), ROOT / "Containerfile")
        self.assertEqual((folder / build["context"]).resolve(), ROOT)
        arguments = [
            step.text.partition("=")[0]
            for step in read_containerfile(ROOT / "Containerfile")
            if step.instruction == "ARG"
        ]
        self.assertLessEqual(set(build["args"]), set(arguments))
        self.assertEqual(said["remoteUser"], build["args"]["USER"])

    def test_the_build_folder_is_not_sent_to_the_engine(self) -> None:
        lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
        sources = [
            step.text.split()[0].rstrip("/")
            for step in read_containerfile(ROOT / "Containerfile")
            if step.instruction == "COPY"
        ]
        self.assertEqual(lines, ["*", *[f"!{source}" for source in sources]])


if __name__ == "__main__":
    unittest.main()
