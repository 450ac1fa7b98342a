# SPDX-License-Identifier: MIT
# Storms, from a trace: the layer after each wave (thin: before its relaxation), its peaks and its maximum.

load shared.'/style.gp'
@heading
set lmargin at screen 0.10
set rmargin at screen 0.98
set tmargin at screen 0.79
set bmargin at screen 0.115
set xlabel 'cell' noenhanced
set ylabel 'energy of the cell' noenhanced
set xrange [0:n]
set yrange [bottom:top]
set key at screen 0.985,0.885 right top horizontal Left reverse samplen 1.5 maxcols 4 font ',15'
array line[3] = ['#0072B2', '#009E73', '#CC79A7']
dark = '#202020'
plot for [i=0:relaxed_count-1] relaxed_file index i using 1:2 with lines lw 3.5 lc rgb line[i+1] title columnheader(1), \
     for [i=0:updated_count-1] updated_file index i using 1:2 skip 1 with lines lw 1.2 lc rgb line[i+1] notitle, \
     NaN with lines lw 1.2 lc rgb dark title 'thin: before the relaxation', \
     for [i=0:before_count-1] before_file index i using 1:2 skip 1 with points pt 8 ps 1 lw 2 lc rgb dark notitle, \
     NaN with points pt 8 ps 1 lw 2 lc rgb dark title 'tallest before the relaxation', \
     for [i=0:peaks_count-1] peaks_file index i using 1:2 skip 1 with points pt 6 ps 0.9 lw 2 lc rgb dark notitle, \
     NaN with points pt 6 ps 0.9 lw 2 lc rgb dark title 'peaks', \
     for [i=0:maximum_count-1] maximum_file index i using 1:2 skip 1 with points lt 6 pt 7 ps 1.2 notitle, \
     NaN with points lt 6 pt 7 ps 1.2 title 'maximum'
