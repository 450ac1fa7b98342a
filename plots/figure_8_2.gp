# SPDX-License-Identifier: MIT
# Figure 8.2: the serial stage against the kernels: times, and the last kernel's speed-up.

load plots.'/style.gp'
set linetype 1 pt 6 ps 2.6                # open marks: the stages lie on one another
set linetype 2 pt 4 ps 2
thesis_times = show_thesis ? ", thesis_file using 1:2 with points lt 8 title columnheader(1)" : ''
thesis_gain = show_thesis ? ", thesisgain_file using 1:2 with points lt 8 title columnheader(1)" : ''
set multiplot
@heading
set lmargin at screen 0.085
set rmargin at screen 0.49
set tmargin at screen top_edge
set bmargin at screen 0.13
set logscale xy
set xlabel 'samples' noenhanced
set xrange [n_low:n_high]
set format x '10^{%L}'
set format y '%g'
set title 'Time of a run (set-up, copies, kernels), s' noenhanced
set yrange [time_low:time_high]
set key top left reverse Left font ',15' samplen 1.5 spacing 1.05 maxrows 3
plot for [i=0:time_count-1] time_file index i using 1:2:3:4 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, \
     time_file index 0 using 1:2 with linespoints lt 7 title columnheader(1), \
     for [i=1:time_count-1] time_file index i using 1:2 with linespoints lt (i == 3 ? 6 : i) title columnheader(1) @thesis_times
@no_heading

set lmargin at screen 0.575
set rmargin at screen 0.985
set title 'Speed-up over the serial stage' noenhanced
set format y '%g'
set yrange [gain_low:gain_high]
set key top left reverse Left font ',17'
plot gain_file index 0 using 1:2 with linespoints lt 6 title columnheader(1) @thesis_gain
unset multiplot
