# SPDX-License-Identifier: MIT
# A chapter's ladder: the rate of each stage on a logarithmic axis, with its name, its gain and its share. The letters
# are large, because the site's first page shows nine ladders.

load shared.'/style.gp'
letters = sprintf(',%.1f', (format eq 'svg' ? 1.3 : 1.0)*28)
names = sprintf(',%.1f', (format eq 'svg' ? 1.3 : 1.0)*name_letters)
numbers = sprintf(',%.1f', (format eq 'svg' ? 1.3 : 1.0)*number_letters)
@heading
set lmargin at screen 0.16
set rmargin at screen 0.98
set tmargin at screen 0.88
set bmargin at screen 0.05 + (upright ? 0.0008 : 0.00056)*longest*name_letters
size = upright ? 2.1 : 3.2
above = upright ? 'rotate by 90 left offset 0,1' : 'offset 0,1.3'
below = upright ? 'rotate by 90 right offset 0,-1' : 'offset 0,-1.3'
set logscale y
set yrange [rate_low:rate_high]
eval 'set ytics '.rate_marks
set ytics font letters
set xrange [-0.7:stages - 0.3]
eval 'set xtics '.stage_marks
set xtics scale 0 rotate by (upright ? 90 : 45) right font names noenhanced
if (core ne '') { set label 1 core at graph 0.01,0.95 left font names textcolor rgb '#505050' noenhanced }
# The site cuts this strip off, and has one key for all ladders.
set key at screen 0.995,0.98 right horizontal font ',11.5' samplen 0.5 width -3 noenhanced
if (exists('library_count')) {
    stats library_file using 2 skip 1 nooutput
    set arrow 1 from -0.7,STATS_max to stages-0.3,STATS_max nohead lc rgb '#E69F00' lw 4 dt 2 back
}
parts = "for [i=0:path_count-1] path_file index i using 1:2 with lines lc rgb '#c4c4c4' lw 3 notitle, \
    whole_file using 1:2:(0):($3-$2) skip 1 with vectors nohead lc rgb '#c4c4c4' lw 8 notitle"
if (exists('limit_count')) {
    parts = parts.", limit_file using ($1-0.42):2:(0.84):(0) skip 1 with vectors nohead lc rgb '#D55E00' lw 7 title 'at most'"
}
if (exists('source_count')) { parts = parts.", source_file using 1:2 with points pt 7 ps size lc rgb grey title columnheader(1)" }
if (exists('course_count')) { parts = parts.", course_file using 1:2 with points pt 7 ps size lc rgb '#0072B2' title columnheader(1)" }
if (exists('library_count')) { parts = parts.", library_file using 1:2 with points pt 13 ps 1.25*size lc rgb '#E69F00' title columnheader(1)" }
if (exists('gains_count')) { parts = parts.", gains_file using 1:2:3 skip 1 with labels ".above." font numbers notitle" }
if (exists('shares_count')) { parts = parts.", shares_file using 1:2:3 skip 1 with labels ".below." font numbers textcolor rgb '#505050' notitle" }
plot @parts
