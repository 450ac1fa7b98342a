# SPDX-License-Identifier: MIT
# A plane from (left, low) to (right, high) with one scale, in the middle of the picture. Loaded by the scripts of this
# folder after the style.

set multiplot
@heading
unset tics
unset grid
unset key
unset border
span = right - left > high - low ? right - left : high - low
span = span > 0 ? span : 1
left = left - 0.03*span
right = right + 0.03*span
low = low - 0.03*span
high = high + 0.03*span
set xrange [left:right]
set yrange [low:high]
# The box below the heading has 1536 x 765 pixels.
scale = 1536/(right - left) < 765/(high - low) ? 1536/(right - left) : 765/(high - low)
set lmargin at screen 0.5 - scale*(right - left)/2/1600
set rmargin at screen 0.5 + scale*(right - left)/2/1600
set tmargin at screen 0.455 + scale*(high - low)/2/900
set bmargin at screen 0.455 - scale*(high - low)/2/900
