# SPDX-License-Identifier: MIT
# The three panels of one table of Herrero and Troiani 2024: sorted, random and reversed keys. Ours are blue,
# theirs grey. Dashed lines are the bounds of either device's memory bandwidth.
# panels: 0.345 0.665

load shared.'/style.gp'
dark = '#303030'
printed = show_printed ? ", printed_file index i using 1:2 with linespoints lt 8 dt 1 pt 7 ps 1.1 title columnheader(1)" : ''
printed_least = show_printedbound ? ", printedbound_file index i using 1:2 with lines lc rgb dark lw 2.5 dt 3 title columnheader(1)" : ''
our_least = show_ourbound ? ", ourbound_file index i using 1:2 with lines lt 1 lw 2.5 dt 3 title columnheader(1)" : ''
beside = show_more ? ", more_file index i using 1:2 with linespoints lc rgb '#CC79A7' lw 2 dt 2 pt 6 ps 1.1 title columnheader(1)" : ''
set multiplot
@heading
set tmargin at screen top_edge
set bmargin at screen 0.14
set logscale x 2
set logscale y
set xrange [x_low:x_high]
set yrange [y_low:y_high]
set xtics scale 0.6 font ',15'
set ytics font ',15'
# A label such as 100000 would reach the axis' title.
set format y '10^{%T}'
set label 103 value_title at screen 0.015,screen 0.475 center rotate by 90 noenhanced font ',17'
if (power_tics) { set format x '2^{%L}' } else { set format x '%.0f' }
set xlabel x_title noenhanced font ',17'
set key top left reverse Left font ',14' samplen 1.8 spacing 1.0
titles = sprintf('"%s" "%s" "%s"', title_0, title_1, title_2)
do for [i=0:2] {
    set lmargin at screen 0.075 + 0.32*i
    set rmargin at screen 0.335 + 0.32*i
    set title word(titles, i+1) noenhanced
    plot ours_file index i using 1:2 with linespoints lt 1 lw 3 pt 7 ps 1.2 title columnheader(1) @printed @printed_least @our_least @beside
    @no_heading
    unset label 103
    unset key
}
unset multiplot
