# SPDX-License-Identifier: MIT
# Figure 8 of Gaudiani 2012: the shares of a run, for every stage. The printed share of the copies is grey.

load shared.'/style.gp'
set multiplot
@heading
set lmargin at screen 0.17
set rmargin at screen 0.89
set tmargin at screen 0.74
set bmargin at screen 0.12
set border 1
set xrange [0:100]
set yrange [rows-0.4+show_then:-0.6]
set xtics 0,20 format '%g %%'
unset ytics
unset grid
set key at screen 0.165,0.82 left top horizontal maxrows 1 reverse Left font ',17' samplen 1.4
set label 3 'copies' at 100,-0.62 left offset 1.2,0 font ',17'
array colours[4] = ['#0072B2', '#E69F00', '#CC79A7', '#c9d6df']
set style fill solid 1.0 noborder
if (show_then) {
    set object 1 rectangle from 0,rows-0.33 to then,rows+0.33 fc rgb grey fs solid noborder
    set object 2 rectangle from then,rows-0.33 to 100,rows+0.33 fs empty border lc rgb grey dt 3
    set label 1 then_name at 0,rows right offset -0.8,0 font ',16' noenhanced textcolor rgb '#505050'
    set label 2 then_words at 100,rows left offset 1.2,0 font ',16' noenhanced textcolor rgb '#505050'
}
plot for [i=0:3] shares_file index i using 2:1:2:3:($1-0.33):($1+0.33) with boxxyerror lc rgb colours[i+1] title columnheader(1), \
     names_file using (0):1:2 skip 1 with labels right offset -0.8,0 font ',16' noenhanced notitle, \
     copies_file using (100):1:2 skip 1 with labels left offset 1.2,0 font ',16' notitle
unset multiplot
