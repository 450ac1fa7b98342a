# SPDX-License-Identifier: MIT
# Bandwidth of Floyd-Warshall's kernels against the number of vertices. Dashed: the most that the device allows.

load shared.'/style.gp'
colour(i) = i == 2 ? 6 : 2*i + 1
reach = show_reach ? ", reach_file using 1:2 with lines lc rgb '#303030' lw 2.5 dt 3 title columnheader(1)" : ''
@heading
set lmargin at screen 0.085
set rmargin at screen 0.985
set tmargin at screen top_edge
set bmargin at screen 0.13
set logscale xy
set xlabel 'vertices' noenhanced
set xrange [n_low:n_high]
eval 'set xtics '.n_tics
set format y '%g'
set title 'Distances read by the kernels, GB/s' noenhanced
set yrange [rate_low:rate_high]
set key top left reverse Left samplen 2
if (show_reach && fills > n_low && fills < n_high) {
    set arrow 1 from first fills, graph 0 to first fills, graph 0.7 nohead lc rgb grey lw 2 dt 2
    set label 1 ' the matrix fills the L2 cache' at first fills, graph 0.04 left noenhanced font ',17' textcolor rgb '#505050'
}
plot for [i=0:rate_count-1] rate_file index i using 1:2:3:4 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, \
     for [i=0:rate_count-1] rate_file index i using 1:2 with linespoints lt colour(i) title columnheader(1) @reach
