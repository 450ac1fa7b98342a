# SPDX-License-Identifier: MIT
"""Which run of the tests this is."""

import os

QUICK = os.environ.get("COUNTED_STAGES") == "early"  # that of `make test`; the long tests do more
