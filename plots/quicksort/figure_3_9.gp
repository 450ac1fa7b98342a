# SPDX-License-Identifier: MIT
# Figure 3.9: what shared memory and the first step outside of the loops gain.

load shared.'/style.gp'
load shared.'/bar_panels.gp'
