# SPDX-License-Identifier: MIT
# The two panels that figures 6.6 and 6.7 share: time against bodies, and each stage's speed-up over the
# stage before. Linear axes, as in the thesis: on logarithmic ones 10 % of difference would be one line.

set multiplot
@heading
set lmargin at screen 0.075
set rmargin at screen 0.50
set tmargin at screen top_edge
set bmargin at screen 0.20
set title 'Time of a run (set-up, copies, kernels), '.time_unit noenhanced
set xlabel 'bodies' noenhanced
set xrange [0:n_top]
set yrange [0:time_top]
eval 'set xtics '.n_tics
set key top left reverse Left font ',15' samplen 1.5 spacing 1.05 maxrows 3
plot for [i=0:time_count-1] time_file index i using 1:2:3:4 with yerrorbars lc rgb '#b0b0b0' lw 1.5 pt -1 notitle, \
     for [i=0:time_count-1] time_file index i using 1:2 with linespoints lt i+1 title columnheader(1)
@no_heading

set lmargin at screen 0.565
set rmargin at screen 0.985
set title 'Speed-up over the stage before, '.gain_n.' bodies' noenhanced
unset xlabel
set xrange [-0.6:4.6]
set yrange [0:gain_top]
set ytics 0,0.5
unset xtics
set xtics scale 0 rotate by 25 right noenhanced font ',17'
set key top left reverse Left
# One bar a device in each group; the bars of a group fill 0.8 of its width.
width = with_thesis ? 0.4 : 0.8
place(i) = with_thesis ? (i - 0.5)*width : 0
set boxwidth width*0.94
thesis = with_thesis ? ", gain_file using ($0+place(1)):3 skip 1 with boxes lc rgb grey title thesis_key, \
    gain_file using ($0+place(1)):3:(sprintf('%.2f', $3)) skip 1 with labels offset 0,0.7 font ',15' notitle" : ''
plot gain_file using ($0+place(0)):2:xtic(1) skip 1 with boxes lt 1 title gain_key, \
     gain_file using ($0+place(0)):2:(sprintf('%.2f', $2)) skip 1 with labels offset 0,0.7 font ',15' notitle @thesis
unset multiplot
