# SPDX-License-Identifier: MIT
# Figure 3.12: the stages of the big quicksort against the number of keys.

load plots.'/style.gp'
set multiplot
@heading
set lmargin at screen 0.085
set rmargin at screen 0.51
set tmargin at screen top_edge
set bmargin at screen 0.20
set logscale xy
set xlabel 'keys' noenhanced
set xrange [n_low:n_high]
eval 'set xtics '.n_tics
set format y '%g'
set title 'Time of a run (set-up, copies, kernels), s' noenhanced
set yrange [time_low:time_high]
set key top left reverse Left font ',15' samplen 1.5 spacing 1.05 maxrows 4
colour(i) = i == 0 ? 1 : i + 2
plot for [i=0:time_count-1] time_file index i using 1:2:3:4 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, \
     for [i=0:time_count-1] time_file index i using 1:2 with linespoints lt colour(i) title columnheader(1)
@no_heading
load plots.'/gain_panel.gp'
unset multiplot
