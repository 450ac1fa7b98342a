# SPDX-License-Identifier: MIT
# A chapter's ladder: the time of each stage on a logarithmic axis. The letters are large, because the site's first
# page shows nine ladders.

load shared.'/style.gp'
letters = sprintf(',%.1f', (format eq 'svg' ? 1.3 : 1.0)*31)
@heading
set lmargin at screen 0.14
set rmargin at screen 0.97
set tmargin at screen 0.88
set bmargin at screen 0.16
set logscale y
set yrange [time_low:time_high]
eval 'set ytics '.time_marks
set ytics font letters
set xrange [-0.7:stages - 0.3]
eval 'set xtics '.stage_marks
set xtics scale 0 font letters noenhanced
# The site cuts this strip off, and has one key for all ladders.
set key at screen 0.995,0.98 right horizontal font ',11.5' samplen 0.5 width -3 noenhanced
if (exists('library_count')) {
    stats library_file using 2 skip 1 nooutput
    set arrow 1 from -0.7,STATS_min to stages-0.3,STATS_min nohead lc rgb '#E69F00' lw 4 dt 2 back
}
parts = "for [i=0:path_count-1] path_file index i using 1:2 with lines lc rgb '#c4c4c4' lw 3 notitle, \
    whole_file using 1:2:(0):($3-$2) skip 1 with vectors nohead lc rgb '#c4c4c4' lw 8 notitle"
if (exists('limit_count')) {
    parts = parts.", limit_file using ($1-0.42):2:(0.84):(0) skip 1 with vectors nohead lc rgb '#D55E00' lw 7 title 'least time'"
}
if (exists('source_count')) { parts = parts.", source_file using 1:2 with points pt 7 ps 3.2 lc rgb grey title columnheader(1)" }
if (exists('course_count')) { parts = parts.", course_file using 1:2 with points pt 7 ps 3.2 lc rgb '#0072B2' title columnheader(1)" }
if (exists('library_count')) { parts = parts.", library_file using 1:2 with points pt 13 ps 4 lc rgb '#E69F00' title columnheader(1)" }
if (exists('serial_count')) { parts = parts.", serial_file using 1:2 with points pt 5 ps 3.2 lc rgb '#000000' title columnheader(1)" }
plot @parts
