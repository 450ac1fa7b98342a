# SPDX-License-Identifier: MIT
# Figure 6.6: the stages' times for one force evaluation.

load plots.'/style.gp'
load plots.'/stage_panels.gp'
