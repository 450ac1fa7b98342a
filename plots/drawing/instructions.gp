# SPDX-License-Identifier: MIT
# The instructions of each stage per unit of work: a bar per stage, a colour per class.

load shared.'/style.gp'
@heading
set lmargin at screen 0.09
set rmargin at screen 0.80
set tmargin at screen top_edge
set bmargin at screen 0.22
set title unit_title noenhanced
set style histogram rowstacked
set boxwidth 0.7
set xrange [-0.6:bars-0.4]
set yrange [0:total_top]
set xtics scale 0 rotate by 25 right noenhanced font ',17'
set key at screen 0.985,0.80 right noenhanced Right invert font ',15'
plot for [i=0:mix_count-1] mix_file index i using 2:xtic(1) with histograms lt i+1 title columnheader(1), \
     total_file using 0:2:(sprintf('%.3g', $2)) skip 1 with labels offset 0,0.7 font ',16' notitle
