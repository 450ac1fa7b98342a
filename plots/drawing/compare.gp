# SPDX-License-Identifier: MIT
# make compare: the kernel time of every stage of a chapter on one input.

load shared.'/style.gp'
@heading
set lmargin at screen 0.09
set rmargin at screen 0.975
set tmargin at screen 0.86
set bmargin at screen 0.22
set ylabel 'kernels, ms (median, quartiles)' noenhanced
set format y '%g'
# The axis is linear as long as the fastest stage is visible. On a logarithmic axis a box starts at its lower end.
if (time_high > 40*time_low) set logscale y
set yrange [(time_high > 40*time_low ? time_low : 0):time_high]
set xrange [-0.6:stages - 0.4]
set xtics scale 0 rotate by 20 right noenhanced font ',17'
unset key
plot time_file using 0:2:xtic(1) skip 1 with boxes lt 1, \
     time_file using 0:2:3:4 skip 1 with yerrorbars lc rgb '#b0b0b0' lw 2 pt 0, \
     time_file using 0:2:(sprintf('%.4g', $2)) skip 1 with labels offset 0,0.8 font ',16'
