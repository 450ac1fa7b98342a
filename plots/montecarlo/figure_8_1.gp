# SPDX-License-Identifier: MIT
# Figure 8.1: time against points. The dashed line is the rate of the last stage at its largest n. A run on
# this line spends its time on points, a run above it on starting up.

load shared.'/style.gp'
set linetype 1 pt 6 ps 2.6                # open marks: the stages overlap
set linetype 2 pt 4 ps 2
@heading
set lmargin at screen 0.10
set rmargin at screen 0.975
set tmargin at screen 0.86
set bmargin at screen 0.13
set logscale xy
set format x '10^{%L}'
set format y '%g'
set xlabel 'points' noenhanced
set ylabel 'time of a run (set-up, copies, kernels), s' noenhanced
set xrange [n_low:n_high]
set yrange [time_low:time_high]
set grid xtics ytics lt -1 lw 1 lc rgb '#e2e2e2'
set key bottom right reverse Left
thesis = ''
if (show_thesis) {
    thesis = ", thesis_file using 1:2 with points lt 8 title columnheader(1), range_file using (n_low):(range_time):($1-n_low):(0) skip 1 with vectors nohead lc rgb grey lw 5 notitle"
    set label 1 said_label at said_n, said_time right offset -1,0.1 font ',15' textcolor rgb '#606060'
    set label 2 total_label at total_n, total_time left offset 1.2,0.3 font ',15' textcolor rgb '#606060'
    set label 3 range_label at range_n, range_time right offset 0,0.8 font ',15' textcolor rgb '#606060'
}
plot x/rate with lines lc rgb '#b0b0b0' lw 2 dt 2 title rate_text, \
     for [i=0:time_count-1] time_file index i using 1:2:3:4 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, \
     for [i=0:time_count-1] time_file index i using 1:2 with linespoints lt (i == 2 ? 6 : i+1) title columnheader(1) @thesis
