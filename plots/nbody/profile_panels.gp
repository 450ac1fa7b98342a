# SPDX-License-Identifier: MIT
# The two panels of figures 6.4 and 6.5: which instructions run, and how busy they keep the multiprocessor.
# panels: 0.53

set multiplot
@heading
set style data boxes
unset key

set lmargin at screen 0.09
set rmargin at screen 0.50
set tmargin at screen top_edge
set bmargin at screen 0.22
set title 'Instructions per pair of bodies' noenhanced
set yrange [0:mix_top]
set xtics scale 0 rotate by 25 right noenhanced font ',17'
plot mix_file using 0:2:xtic(1) skip 1 lt 1 notitle, \
     mix_file using 0:2:(sprintf('%.1f', $2)) skip 1 with labels offset 0,0.7 font ',16' notitle
@no_heading

set lmargin at screen 0.575
set rmargin at screen 0.985
set title 'Utilisation, % of the peak' noenhanced
set yrange [0:112]
set ytics 0,20,100
set xrange [-0.6:*]
set arrow 1 from graph 0, first thesis_use to graph 1, first thesis_use nohead lc rgb grey lw 3 dt 2 back
set label 1 thesis_label at graph 0.99, first thesis_use right offset 0,0.6 noenhanced textcolor rgb '#606060' font ',16'
crossed(use) = use < thesis_use && use > thesis_use - 9  # the line would cross a number above the bar
plot use_file using 0:2:xtic(1) skip 1 lt 4 notitle, \
     use_file using 0:(crossed($2) ? NaN : $2):(sprintf('%.0f', $2)) skip 1 with labels offset 0,0.7 font ',16' notitle, \
     use_file using 0:(crossed($2) ? $2 : NaN):(sprintf('%.0f', $2)) skip 1 with labels offset 0,-0.8 font ',16' textcolor rgb 'white' notitle
unset multiplot
