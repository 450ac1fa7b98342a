# SPDX-License-Identifier: MIT
# Figure 6.7: the stages' times for 100 leapfrog steps.

load plots.'/style.gp'
load plots.'/stage_panels.gp'
