# SPDX-License-Identifier: MIT
# Figure 3.10: a sort in one launch against a launch a step.

load plots.'/style.gp'
load plots.'/bar_panels.gp'
