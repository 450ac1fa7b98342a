# SPDX-License-Identifier: MIT
# Figure 3.2: one list partitioned by several blocks, from a trace: tiles, both parts of each, and their places.

load shared.'/style.gp'
@heading
set lmargin at screen 0.10
set rmargin at screen 0.965
set tmargin at screen 0.83
set bmargin at screen 0.07
unset border
unset tics
unset grid
unset key
set xrange [-count*0.005:count*1.005]
set yrange [-0.4:4.6]
set label 1 'list' at -count*0.012,top_row right font ',18'
set label 2 'each tile' at -count*0.012,middle_row right font ',18'
set label 3 'copy' at -count*0.012,bottom_row right font ',18'
set style fill transparent solid 0.22 noborder
colour(i) = int(word(band_colours, i + 1))
plot for [i=0:bands_count-1] bands_file index i using 1:2 skip 1 with filledcurves closed lt colour(i), \
     boxes_file using (($1+$2)/2):(($3+$4)/2):1:2:3:4:5 skip 1 with boxxyerror lc variable fs solid 0.75 border lc rgb '#ffffff', \
     texts_file using 1:2:3 skip 1 with labels center font ',16' noenhanced, \
     asked_file using (count*0.5):1:2 skip 1 with labels center font ',16' noenhanced
