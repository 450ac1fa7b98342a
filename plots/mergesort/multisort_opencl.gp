# SPDX-License-Identifier: MIT
# The same MultiSort in CUDA and OpenCL: the times of both kernels, and the ratio of their sums, ours and the
# printed one.
# panels: 0.35 0.675

load shared.'/style.gp'
theirs = show_printed ? ", printed_file using 1:2 with linespoints lt 8 title columnheader(1)" : ''
set multiplot
@heading
set tmargin at screen top_edge
set bmargin at screen 0.14
set logscale x 2
set logscale y
set format x '2^{%L}'
set format y '%g'
set xrange [n_low:n_high]
set yrange [time_low:time_high]
set xtics font ',15'
set ytics font ',15'
set xlabel 'keys' noenhanced font ',17'
set key top left reverse Left font ',14' samplen 1.8
colour(i) = i ? 3 : 1
set lmargin at screen 0.065
set rmargin at screen 0.34
set title insertion_title noenhanced
plot for [i=0:1] insertion_file index i using 1:2 with linespoints lt colour(i) title columnheader(1)
@no_heading
set lmargin at screen 0.385
set rmargin at screen 0.66
set title merges_title noenhanced
plot for [i=0:1] merges_file index i using 1:2 with linespoints lt colour(i) title columnheader(1)
set lmargin at screen 0.72
set rmargin at screen 0.985
set title 'Time of OpenCL over CUDA' noenhanced
set yrange [ratio_low:ratio_high]
plot ratio_file using 1:2 with linespoints lt 1 title columnheader(1), \
     1 with lines lc rgb '#404040' lw 1.5 dt 3 notitle @theirs
unset multiplot
