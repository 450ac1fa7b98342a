# SPDX-License-Identifier: MIT
# Figure 6.5: instructions and utilisation after rsqrtf replaced division and square root.

load shared.'/style.gp'
load own.'/profile_panels.gp'
