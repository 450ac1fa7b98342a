# SPDX-License-Identifier: MIT
# Figure 6.5: instructions and utilisation after rsqrtf replaced division and square root.

load plots.'/style.gp'
load plots.'/profile_panels.gp'
