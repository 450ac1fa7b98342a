# SPDX-License-Identifier: MIT
# A scene (scene.py): boxes, bars, lines, arrows, dots and texts on a page of 1600 by 900 units. Each block of a
# table has one style, which the variables <table>_colours, _fills, … list.

load shared.'/style.gp'
@heading
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
unset border
unset tics
unset grid
unset key
set xrange [0:1600]
set yrange [900:0]
# The letters of a PNG are a third larger than those of an SVG, the dots of an SVG than those of a PNG.
set label 102 font sprintf(',%.1f', (format eq 'svg' ? 1.3 : 1.0)*subtitle_size)
font_of(size) = sprintf(',%.1f', (format eq 'svg' ? 1.3 : 1.0)*real(size))
dot_scale = format eq 'svg' ? 0.65 : 1.0
parts = ''
if (exists('boxes_count')) {
    parts = parts.', for [i=0:boxes_count-1] boxes_file index i using (($1+$3)/2):(($2+$4)/2):1:3:2:4 skip 1 with boxxyerror fc rgb word(boxes_fills,i+1) fs solid 1.0 border lc rgb word(boxes_edges,i+1) lw 1.2'
}
if (exists('bars_count')) {
    parts = parts.', for [i=0:bars_count-1] bars_file index i using (($1+$3)/2):(($2+$4)/2):1:3:2:4 skip 1 with boxxyerror fc rgb word(bars_fills,i+1) fs solid 1.0 noborder'
}
if (exists('lines_count')) {
    parts = parts.', for [i=0:lines_count-1] lines_file index i using 1:2 skip 1 with lines lc rgb word(lines_colours,i+1) dt int(word(lines_dashes,i+1)) lw real(word(lines_widths,i+1))'
}
if (exists('arrows_count')) {
    parts = parts.', for [i=0:arrows_count-1] arrows_file index i using 1:2:3:4 skip 1 with vectors head size 9,20 fixed filled lc rgb word(arrows_colours,i+1) dt int(word(arrows_dashes,i+1)) lw real(word(arrows_widths,i+1))'
}
if (exists('dots_count')) {
    parts = parts.', for [i=0:dots_count-1] dots_file index i using 1:2 skip 1 with points pt 7 lc rgb word(dots_colours,i+1) ps dot_scale*real(word(dots_sizes,i+1))'
}
label(kind, placed) = exists(kind.'_count') ? sprintf(', for [i=0:%s_count-1] %s_file index i using 1:2:3 skip 1 with labels %s noenhanced font font_of(word(%s_sizes,i+1)) textcolor rgb word(%s_colours,i+1)', kind, kind, placed, kind, kind) : ''
parts = parts.label('center', 'center').label('left', 'left').label('right', 'right').label('upright', 'center rotate by 90')
plot_all = 'plot '.parts[3:*]
@plot_all
