# SPDX-License-Identifier: MIT
# A sort from host to host: copies on the bus, and sorts and merges beside them.

load shared.'/style.gp'
@heading
set lmargin at screen 0.13
set rmargin at screen 0.975
set tmargin at screen 0.80
set bmargin at screen 0.12
set border 1
set grid noytics xtics lt -1 lw 1 lc rgb '#e2e2e2'
set xlabel time_title noenhanced
set xrange [0:right]
set yrange [lanes-0.4:-0.6]
unset ytics
set key at screen 0.975,0.86 right horizontal samplen 1.5
set style fill solid 0.9 border lc rgb '#ffffff'
# Many pieces are narrower than a border of normal width: thin borders, and none around merges.
plot copy_file using (($1+$2)/2):3:1:2:($3-0.38):($3+0.38) skip 1 with boxxyerror lt 1 lw 0.5 title 'copy', \
     sort_file using (($1+$2)/2):3:1:2:($3-0.38):($3+0.38) skip 1 with boxxyerror lt 6 lw 0.5 title 'sort of a chunk', \
     merge_file using (($1+$2)/2):3:1:2:($3-0.38):($3+0.38) skip 1 with boxxyerror lt 3 fs solid 0.9 noborder \
         title 'merge of a slice', \
     lanes_file using (0):1:2 skip 1 with labels right offset -0.6,0 font ',15' noenhanced notitle
