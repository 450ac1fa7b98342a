# SPDX-License-Identifier: MIT
# The companion of figures 6.4 and 6.5 from the CPU engine's counters: what a warp does for one body.
# panels: 0.53

load shared.'/style.gp'
set multiplot
@heading
set style data boxes
set lmargin at screen 0.07
set rmargin at screen 0.50
set tmargin at screen top_edge
set bmargin at screen 0.22
set title 'A warp, for one body of the list' noenhanced
set yrange [0:mix_top]
set xrange [-0.6:3.6]
set xtics scale 0 rotate by 25 right noenhanced font ',17'
set key top left reverse Left font ',15'
set boxwidth 0.38
plot mix_file using ($0-0.2):2:xtic(1) skip 1 lt 4 title before_text, \
     mix_file using ($0+0.2):3 skip 1 lt 5 title after_text, \
     mix_file using ($0-0.2):2:(sprintf('%.2g', $2)) skip 1 with labels offset 0,0.7 font ',13' notitle, \
     mix_file using ($0+0.2):3:(sprintf('%.2g', $3)) skip 1 with labels offset 0,0.7 font ',13' notitle
@no_heading

set lmargin at screen 0.565
set rmargin at screen 0.985
set title 'Load requests for one body' noenhanced
set yrange [0:loads_top]
set xrange [-0.6:5.6]
set key top right noreverse Right font ',15'
plot loads_file using ($0-0.2):2:xtic(1) skip 1 lt 1 title 'global', \
     loads_file using ($0+0.2):3 skip 1 lt 3 title 'shared', \
     loads_file using ($0-0.2):2:(sprintf('%.2g', $2)) skip 1 with labels offset 0,0.7 font ',16' notitle, \
     loads_file using ($0+0.2):3:(sprintf('%.2g', $3)) skip 1 with labels offset 0,0.7 font ',16' notitle
unset multiplot
