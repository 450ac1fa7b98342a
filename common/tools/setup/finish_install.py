# SPDX-License-Identifier: MIT
"""Finishes an installation, which nothing changes afterwards. Meson runs it when it has copied
the files.

    finish_install.py FOLDER-BELOW-THE-PREFIX

It makes the headers of forwarding.txt, compiles the Python modules, and precompiles what a CUDA
source begins with: for the counting engine, with the g++ that programs are compiled with later. If
that is another g++ one day, it ignores the precompiled header. A precompiled header holds the paths
of what it was made of, so with DESTDIR there is none.
"""

import compileall
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ENGINE = "count"  # most programs are for this one, and a header takes some 70 MB


def main() -> int:
    destination = os.environ.get("DESTDIR", "")
    root = Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"]) / sys.argv[1]
    os.umask(0o022)  # other users read these files
    sys.pycache_prefix = None  # bytecode lies beside the modules, not where make keeps the course's
    for folder in list((root / "common").rglob("__pycache__")):
        shutil.rmtree(folder)
    source, built = root / "common/emulator", root / "build/common/emulator"
    subprocess.run(
        [
            sys.executable,
            str(source / "translator/forwarding.py"),
            str(source / "libraries/forwarding.txt"),
            str(built / "libraries/forwarding"),
        ],
        check=True,
    )
    compiled = compileall.compile_dir(
        root / "common",
        quiet=1,
        stripdir=destination or None,
        invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH,
    )
    if not compiled:
        return 1
    header = built / "precompiled" / f"program_{ENGINE}.hpp"
    output = header.with_name(f"{header.name}.gch")
    output.unlink(missing_ok=True)
    if destination:
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        words = [ENGINE, str(header), str(output), str(Path(scratch) / "depfile")]
        environment = {key: one for key, one in os.environ.items() if key != "COURSE_BUILD"}
        return subprocess.run(
            [sys.executable, "-m", "common.tools.programs.precompile", *words],
            env=environment | {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=root,
            check=False,
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
