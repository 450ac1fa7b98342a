# SPDX-License-Identifier: MIT
# Monte Carlo: the estimate's absolute error against points, with one and two standard errors.

load shared.'/style.gp'
@heading
set lmargin at screen 0.09
set rmargin at screen 0.975
set tmargin at screen 0.86
set bmargin at screen 0.13
set logscale xy
set format x '10^{%L}'
set format y '10^{%L}'
set xlabel 'points N' noenhanced
set ylabel 'absolute error of the estimate' noenhanced
set xrange [n_low:n_high]
set yrange [error_low:error_high]
set samples 200
set key top right
plot '+' using 1:(error_low):(2*deviation/sqrt($1)) with filledcurves lc rgb '#eaf4fb' title 'two standard errors', \
     '+' using 1:(error_low):(deviation/sqrt($1)) with filledcurves lc rgb '#cfe7f6' title sprintf('one standard error, %.3f/√N', deviation), \
     deviation/sqrt(x) with lines lc rgb '#0072B2' lw 2 notitle, \
     error_file using 1:2 with points pt 7 ps 1.1 lc rgb '#D55E00' title columnheader(1)
