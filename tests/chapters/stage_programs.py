# SPDX-License-Identifier: MIT
"""A chapter's executables on one engine, and a run of one: what the chapters' tests in Python share."""

import json
import os
import subprocess
from pathlib import Path


def load_programs(stages_json: Path, engine: str, chapter: str) -> dict[str, Path]:
    """By the stages' names without the chapter; on "emu" with the serial stage, and without those that are wrong
    on purpose."""
    programs = {}
    for record in json.loads(stages_json.read_text(encoding="utf-8")):
        executables = record["executables"]
        found = "cpu" if engine == "emu" and "cpu" in executables else engine
        if record["chapter"] == chapter and found in executables and not record["race_on_purpose"]:
            programs[record["name"]] = stages_json.parent / executables[found]
    return programs


def execute(program: Path, *arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
    """With these settings of the CPU engine and none of the caller's."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")}
    return subprocess.run([str(program), *map(str, arguments)], env=environment | settings, text=True,
                          capture_output=True, check=False, timeout=300)
