# SPDX-License-Identifier: MIT
# The two panels that compare stages at one n: the time of each stage, and ratios of these times.
# panels: 0.525

set multiplot
@heading
set lmargin at screen 0.10
set rmargin at screen 0.50
set tmargin at screen top_edge
set bmargin at screen 0.22
set title time_title.', '.gain_n.' '.unit_text.', '.time_unit noenhanced
set xrange [-0.6:time_count-0.4]
set yrange [0:time_top]
set xtics scale 0 rotate by 25 right noenhanced font ',17'
unset key
plot time_file using 0:2:xtic(1) skip 1 with boxes lt 1, \
     time_file using 0:3:(0):($4-$3) skip 1 with vectors nohead lc rgb '#b0b0b0' lw 2, \
     time_file using 0:4:(sprintf('%.3g', $2)) skip 1 with labels offset 0,0.7 font ',15'
@no_heading
set key
load shared.'/gain_panel.gp'
unset multiplot
