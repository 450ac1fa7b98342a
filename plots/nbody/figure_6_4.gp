# SPDX-License-Identifier: MIT
# Figure 6.4: instructions and utilisation before rsqrtf replaced division and square root.

load shared.'/style.gp'
load own.'/profile_panels.gp'
