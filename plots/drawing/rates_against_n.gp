# SPDX-License-Identifier: MIT
# Keys per second against the number of keys, with what the device's units allow the last own stage.

load shared.'/style.gp'
set multiplot
@heading
set lmargin at screen 0.09
set rmargin at screen 0.66
set tmargin at screen top_edge
set bmargin at screen 0.16
set title 'Kernels alone, keys per second'
set logscale xy
set format y '10^{%L}'
set xrange [n_low:n_high]
set yrange [rate_low:rate_high]
set xlabel 'keys' noenhanced
eval 'set xtics '.n_tics
set key at screen 0.985,0.84 reverse Left font ',15' samplen 3 spacing 1.1 noenhanced
lines = "plot for [i=0:rate_count-1] rate_file index i using 1:2:3:4 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, ".\
    "for [i=0:rate_count-1] rate_file index i using 1:2 with linespoints lt (i%7)+1 dt 1+i/7 title columnheader(1)"
if (limits > 0) {
    lines = lines.", for [i=0:limits-1] limit_file index i using 1:2 with lines lc rgb '#404040' lw 2 dt 2+i title columnheader(1)"
}
eval lines
unset multiplot
