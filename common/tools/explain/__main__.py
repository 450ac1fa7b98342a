# SPDX-License-Identifier: MIT
"""make explain FILE=my.cu | STAGE=nbody/03_shared_tiles [DEVICE=gtx980|…] [ARGS=…] [JSON=FILE|-]

Runs a program on the CPU engine with counters. For each line that wastes, it says why and what to
change. Then it says the least time that the counted work allows on a device: a lower bound, which
no run can beat, and no time.
"""

from common.tools.explain.devices import chosen_device
from common.tools.explain.report import explain
from common.tools.lib.stages import ToolError, arguments, load_stages, run_tool, variable
from common.tools.programs.stage_or_file import find_counted


def chosen() -> tuple[str, str]:
    """The variable that names the program, and its value."""
    given = [(name, variable(name)) for name in ("FILE", "STAGE") if variable(name)]
    if len(given) != 1:
        raise ToolError("name one program: FILE=my.cu or STAGE=nbody/03_shared_tiles")
    return given[0]


def main() -> int:
    name, value = chosen()
    device = chosen_device(variable("DEVICE"))
    stage = find_counted(load_stages(), value, name)
    return explain(stage, arguments(), device, variable("JSON"), "JSON")


if __name__ == "__main__":
    run_tool(main)
