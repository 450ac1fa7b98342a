# SPDX-License-Identifier: MIT
# Figure 3.10: a sort in one launch against one launch per step.

load shared.'/style.gp'
load shared.'/bar_panels.gp'
