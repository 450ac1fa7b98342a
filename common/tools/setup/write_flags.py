#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write build/count.json, the flags that `make try` builds with for counting, while Meson configures:
write_flags.py OUTPUT COMPILER-FLAG… --link LINKER-FLAG…"""

import json
import sys
from pathlib import Path


def main() -> None:
    output, *flags = sys.argv[1:]
    i = flags.index("--link")
    Path(output).write_text(json.dumps({"compile": flags[:i], "link": flags[i + 1:]}, indent=1) + "\n",
                            encoding="utf-8")


if __name__ == "__main__":
    main()
