# SPDX-License-Identifier: MIT
# Storms: the rate of the kernels against the threads per block, a panel per number of cells. Grey: the sizes that
# the source found best.
# panels: 0.345 0.645

load shared.'/style.gp'
set multiplot
@heading
set tmargin at screen top_edge
set bmargin at screen 0.14
set logscale x 2
set xrange [size_low:size_high]
eval 'set xtics '.size_tics
set xtics font ',15'
set xlabel 'threads per block' noenhanced font ',17'
set format y '%g'
set ytics font ',15'
set key top left reverse Left font ',15' samplen 2
width = 0.9/panels
array high[3]
do for [i=0:panels-1] { high[i+1] = value(sprintf('high_%d', i)) }
do for [i=0:panels-1] {
    set lmargin at screen 0.085 + width*i
    set rmargin at screen 0.085 + width*(i + 0.82)
    set yrange [0:high[i+1]]
    set title value(sprintf('title_%d', i)) noenhanced
    if (show_theirs) {
        set object 1 rectangle from best_low/1.18, graph 0 to best_high*1.18, graph 0.8 behind fc rgb '#ececec' fs solid noborder
        set label 1 'best in 2018' at sqrt(best_low*best_high), graph 0.03 center noenhanced font ',14' textcolor rgb '#606060'
    }
    if (i == 0) { set label 2 '10⁹ updates of a cell per second of kernel time' at screen 0.015,0.475 center rotate by 90 noenhanced font ',17' }
    file = value(sprintf('rate%d_file', i))
    plot for [k=0:1] file index k using 1:2:3:4 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, \
         for [k=0:1] file index k using 1:2 with linespoints lt (k == 0 ? 1 : 6) title columnheader(1)
    @no_heading
    unset label 2
    unset key
}
unset multiplot
