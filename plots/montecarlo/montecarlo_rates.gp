# SPDX-License-Identifier: MIT
# Points per second of kernel time against points: the thesis' last stage and those after it.

load shared.'/style.gp'
@heading
set lmargin at screen 0.10
set rmargin at screen 0.975
set tmargin at screen 0.86
set bmargin at screen 0.13
set logscale xy
set format x '10^{%L}'
set format y '10^{%L}'
set xlabel 'points' noenhanced
set ylabel 'points per second of kernel time' noenhanced
set xrange [n_low:n_high]
set yrange [rate_low:rate_high]
set grid xtics ytics lt -1 lw 1 lc rgb '#e2e2e2'
set key top left reverse Left
# The library is the last stage, in grey; the others keep their order.
colour(i) = i == 5 ? 8 : i + 1
plot for [i=0:rate_count-1] rate_file index i using 1:2:3:4 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, \
     for [i=0:rate_count-1] rate_file index i using 1:2 with linespoints lt colour(i) title columnheader(1)
