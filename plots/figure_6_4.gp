# SPDX-License-Identifier: MIT
# Figure 6.4: instructions and utilisation before rsqrtf replaced division and square root.

load plots.'/style.gp'
load plots.'/profile_panels.gp'
