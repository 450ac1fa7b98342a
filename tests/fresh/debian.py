# SPDX-License-Identifier: MIT
"""An empty Debian, by debootstrap."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from common.tools.lib.errors import EXIT_FAILURE, EXIT_NO_DEVICE, ToolError
from tests.fresh.options import ARCHITECTURES
from tests.fresh.root import Root, mount

APT_HELPER = "/usr/lib/apt/apt-helper"
OLDEST_TAR = 7 * 24 * 3600  # seconds; an older one is made anew
ARCHIVES = "/var/cache/apt/archives"
CCACHE = "/var/cache/ccache"
BINFMT = Path("/proc/sys/fs/binfmt_misc")
# The first bytes of an executable for AArch64, and which of their bits count. F: the emulator is
# opened now, so it need not lie in the root.
AARCH64 = (
    rb":fresh:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
    rb":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
    rb":/usr/bin/qemu-aarch64-static:F"
)


def said_by(*command: str) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def apt_proxies() -> dict[str, str]:
    """The proxies that this machine's apt is configured to use: `http` and `https`."""
    wanted = [word for name in ("http", "https") for word in (name, f"Acquire::{name}::Proxy/")]
    found = re.findall(r"^(\w+)='(.*)'$", said_by("apt-config", "shell", *wanted), re.MULTILINE)
    proxies = {name: address for name, address in found if address not in ("", "DIRECT")}
    for name in ("http", "https"):
        address = os.environ.get(f"{name}_proxy") or os.environ.get(f"{name.upper()}_PROXY")
        if address:
            proxies.setdefault(name, address)
    return proxies


def mirrors() -> Iterator[str]:
    """What this machine's apt uses, each once."""
    listed = said_by("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    yield from dict.fromkeys(line.rstrip("/") for line in listed.splitlines())


def find_mirror(suite: str, given: str) -> str:
    """The first mirror that has this suite of Debian."""
    for mirror in [given] if given else mirrors():
        with tempfile.TemporaryDirectory() as folder:
            release = Path(folder) / "Release"
            command = [APT_HELPER, "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20"]
            command += ["download-file", f"{mirror}/dists/{suite}/InRelease", str(release)]
            subprocess.run(command, capture_output=True, check=False)
            if release.exists() and "\nOrigin: Debian\n" in release.read_text(encoding="utf-8"):
                return mirror
    by = f"{given} has" if given else "apt's sources on this machine have, or the network is down:"
    raise ToolError(f"skipped: no Debian {suite} that {by}", EXIT_NO_DEVICE)


def emulate(architecture: str, mark: Path) -> None:
    """Lets the kernel run another processor's executables by qemu. The mark tells who removes the
    folder that the kernel must forget it."""
    name = ARCHITECTURES[architecture]
    if name == os.uname().machine:
        return
    if not (BINFMT / "status").exists():
        mount("-t", "binfmt_misc", "none", BINFMT)
    if (BINFMT / f"qemu-{name}").exists() or (BINFMT / "fresh").exists():
        return
    mark.touch()
    (BINFMT / "register").write_bytes(AARCH64)


class Debian:
    """One suite for one architecture, with its cache."""

    def __init__(self, suite: str, architecture: str, cache: Path | None, mirror: str) -> None:
        self.suite = suite
        self.architecture = architecture or said_by("dpkg", "--print-architecture").strip()
        self.cache = cache
        self.mirror = find_mirror(suite, mirror)
        name = f"{suite}-{self.architecture}"
        self.tar = cache / f"{name}.tar" if cache else None
        self.archives = cache / f"{name}-archives" if cache else None
        self.compiled = cache / f"{name}-ccache" if cache else None

    def make(self, root: Root) -> None:
        """Fills the root's folder, which is empty. Only what is essential, and apt."""
        if self.tar and self.tar.exists() and time.time() - self.tar.stat().st_mtime < OLDEST_TAR:
            subprocess.run(["tar", "-xf", self.tar, "-C", root.folder], check=True)
        else:
            self.bootstrap(root)
        for name in ("resolv.conf", "hosts"):
            if Path("/etc", name).exists():
                root.write(f"/etc/{name}", Path("/etc", name).read_text(encoding="utf-8"))
        # As in Debian's images: no file of the root must survive a loss of power.
        root.write("/etc/dpkg/dpkg.cfg.d/90unsafe-io", "force-unsafe-io\n")
        # A mirror may be a snapshot of some weeks ago.
        root.write("/etc/apt/apt.conf.d/90valid", 'Acquire::Check-Valid-Until "false";\n')
        proxies = [f'Acquire::{name}::Proxy "{url}";\n' for name, url in apt_proxies().items()]
        root.write("/etc/apt/apt.conf.d/90proxies", "".join(proxies))
        self.copy_archives(self.archives, root.path(ARCHIVES))

    def bootstrap(self, root: Root) -> None:
        proxies = {f"{name}_proxy": address for name, address in apt_proxies().items()}
        command = ["debootstrap", "--variant=minbase", f"--arch={self.architecture}"]
        made = subprocess.run(
            [*command, self.suite, str(root.folder), self.mirror],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **proxies},
            check=False,
        )
        if made.returncode != 0:
            said = (made.stdout.strip().splitlines() or [""])[-1]
            raise ToolError(f"debootstrap {self.suite} failed: {said}", EXIT_FAILURE)
        if self.tar:
            partial = self.tar.with_name(f"{self.tar.name}.{os.getpid()}.partial")
            try:
                subprocess.run(["tar", "-cf", partial, "-C", root.folder, "."], check=True)
                partial.replace(self.tar)
            finally:
                partial.unlink(missing_ok=True)

    def share_compiled(self, root: Root) -> None:
        """All roots of this suite use one cache of compiled files, whoever compiles, and where."""
        assert self.compiled
        self.compiled.mkdir(exist_ok=True)
        self.compiled.chmod(0o777)
        root.path(CCACHE).mkdir()
        mount("--bind", self.compiled, root.path(CCACHE))
        root.environment |= {"CCACHE_DIR": CCACHE, "CCACHE_UMASK": "000", "CCACHE_NOHASHDIR": "1"}

    def keep_archives(self, root: Root) -> None:
        if self.archives:
            self.archives.mkdir(exist_ok=True)
            self.copy_archives(root.path(ARCHIVES), self.archives)

    @staticmethod
    def copy_archives(source: Path | None, target: Path) -> None:
        """The packages' files, so that they are downloaded once."""
        for package in source.glob("*.deb") if source else []:
            if not (target / package.name).exists():
                partial = target / f".{package.name}.{os.getpid()}"
                shutil.copy2(package, partial)
                partial.replace(target / package.name)
