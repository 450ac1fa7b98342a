# SPDX-License-Identifier: MIT
"""The archives that subprojects/*.wrap name, made from Debian's source packages. Debian's copy is
the upstream one byte for byte, or packed anew: then a copy of the wrap gets its hash."""

import gzip
import hashlib
import lzma
import re
import subprocess
from pathlib import Path

from common.tools.lib.errors import EXIT_NO_DEVICE, ToolError
from tests.fresh.debian import find_mirror

SUITE = "trixie"  # has the wraps' versions
PACKAGES = {"cli11": "cli11", "nlohmann_json": "nlohmann-json3", "gtest": "googletest"}
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def run_apt(folder: Path, *words: str) -> None:
    """apt-get with lists and settings of its own, which needs no root."""
    made = subprocess.run(
        ["apt-get", "-q", *words],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "APT_CONFIG": str(folder / "apt.conf")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=600,
    )
    wrong = re.search(r"^(E: .*|W: Failed to fetch.*)$", made.stdout, re.MULTILINE)
    if made.returncode != 0 or wrong:
        reason = wrong[1] if wrong else f"apt-get {words[0]} failed"
        raise ToolError(f"no source packages of Debian {SUITE}: {reason}", EXIT_NO_DEVICE)


def download(folder: Path) -> dict[str, Path]:
    """The upstream archives in this folder, by the names of their wraps."""
    for name in ("lists/partial", "cache/archives/partial", "state"):
        (folder / name).mkdir(parents=True)
    (folder / "apt.conf").write_text(
        f'Dir::Etc::SourceList "{folder}/sources.list";\nDir::Etc::SourceParts "-";\n'
        f'Dir::State "{folder}/state";\nDir::State::Lists "{folder}/lists";\n'
        f'Dir::Cache "{folder}/cache";\nAcquire::Languages "none";\n'
        'APT::Sandbox::User "";\nAcquire::Retries "1";\nAcquire::http::Timeout "20";\n',
        encoding="utf-8",
    )
    (folder / "sources.list").write_text(
        f"deb-src [signed-by={KEYRING}] {find_mirror(SUITE, '')} {SUITE} main\n", encoding="utf-8"
    )
    run_apt(folder, "update")
    # The .dsc is not needed: apt checks the archives by its signed lists.
    run_apt(folder, "source", "--download-only", "--tar-only", *PACKAGES.values())
    return {
        wrap: next(folder.glob(f"{package}_*.orig.tar.*")) for wrap, package in PACKAGES.items()
    }


def fill_cache(archives: dict[str, Path], subprojects: Path) -> list[str]:
    """Puts the archives where Meson looks for them, and returns the wraps that got another hash."""
    cache = subprojects / "packagecache"
    cache.mkdir()
    changed = []
    for wrap, archive in archives.items():
        path = subprojects / f"{wrap}.wrap"
        text = path.read_text(encoding="utf-8")
        keys = dict(re.findall(r"^(\w+) = (.*)$", text, re.MULTILINE))
        data = archive.read_bytes()
        if archive.suffix == ".xz":
            data = gzip.compress(lzma.decompress(data), compresslevel=1, mtime=0)
        found = hashlib.sha256(data).hexdigest()
        if found != keys["source_hash"]:
            changed.append(wrap)
            path.write_text(text.replace(keys["source_hash"], found), encoding="utf-8")
        (cache / keys["source_filename"]).write_bytes(data)
    return changed
