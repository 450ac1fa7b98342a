# SPDX-License-Identifier: MIT
# The two panels that figures 6.6 and 6.7 share: time against bodies, and each stage's speed-up over the
# stage before. Linear axes, as in the thesis: on logarithmic ones 10 % of difference would be one line.

set multiplot
@heading
set lmargin at screen 0.075
set rmargin at screen 0.50
set tmargin at screen top_edge
set bmargin at screen 0.20
set title 'Time of a run, '.time_unit noenhanced
set xlabel 'bodies' noenhanced
set xrange [0:n_top]
set yrange [0:time_top]
eval 'set xtics '.n_tics
set key top left reverse Left
plot for [i=0:time_count-1] time_file index i using 1:2:3:4 skip 1 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, \
     for [i=0:time_count-1] time_file index i using 1:2 with linespoints lt i+1 title columnheader(1)
@no_heading

set lmargin at screen 0.565
set rmargin at screen 0.985
set title 'Speed-up over the stage before, '.gain_n.' bodies' noenhanced
unset xlabel
set style data histograms
set style histogram clustered gap 1
set boxwidth 0.9 relative
set xrange [-0.6:*]
set yrange [0:gain_top]
set xtics autofreq rotate by -28 noenhanced
set key top left reverse Left
shift = gain_count > 1 ? 0.17 : 0
plot gain_file index 0 using 2:xtic(1) lt 1 title columnheader(1), \
     for [i=1:gain_count-1] gain_file index i using 2 lc rgb grey title columnheader(1), \
     for [i=0:gain_count-1] gain_file index i using ($0+(2*i-1)*shift):2:(sprintf('%.2f', $2)) skip 1 with labels offset 0,0.7 font ',15' notitle
unset multiplot
