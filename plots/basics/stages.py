# SPDX-License-Identifier: MIT
"""The stages of the basics chapter."""

from __future__ import annotations

from plots.records.stages import stages_of

STAGES = stages_of("basics")
