# SPDX-License-Identifier: MIT
"""Figures of the Monte Carlo chapter: 8.1, 8.2, and the estimate's error with its band."""

from __future__ import annotations

import math

from drawing import (
    Block,
    Drawing,
    Figure,
    Source,
    check_stages,
    device_label,
    kernel_engine,
    log_range,
    provenance,
    short_count,
    short_ratio,
    short_time,
)
from measurements import DataError, newest, times

CHAPTER = "montecarlo"
KERNEL_STAGES = ("01_shared_reduction", "02_shuffle_reduction", "03_64bit_counts")
LAST_STAGE = KERNEL_STAGES[-1]
# One sample is 4 with probability pi/4, else 0: its standard deviation is sqrt(pi (4 - pi)) = 1.642.
SAMPLE_DEVIATION = math.sqrt(math.pi * (4 - math.pi))
ESTIMATE_FIELD = "estimate"


def rate_words(rate: float) -> str:
    size, word = (1e9, "billion") if rate >= 1e9 else (1e6, "million")
    digits = 0 if rate >= 100 * size else 1 if rate >= 10 * size else 2
    return f"{rate / size:.{digits}f} {word} samples a second"


def prepare_samples(source: Source) -> Drawing:
    """Figure 8.1: time against samples, and what the thesis says of times below 2^32."""
    rows = source.rows(CHAPTER)
    engine = kernel_engine(rows)
    # Up to 1e9 the error band's runs would only repeat the start-up time.
    smallest = 1_000_000_000 if source.kind == "recorded" else 1_000_000
    rows = newest([row for row in rows if row.engine == engine and row.n >= smallest])
    check_stages(rows, KERNEL_STAGES, source.rows_path(CHAPTER), f"{engine}, n from {smallest}")
    series = {stage: times([row for row in rows if row.stage == stage]) for stage in KERNEL_STAGES}
    last = series[LAST_STAGE][-1]
    rate = last.n / last.median
    thesis = source.published("8.1", "time")[0]
    low = source.published("8.1", "time_low")[0]
    high = source.published("8.1", "time_high")[0]
    total = source.published("8.2", "time")
    everything = [point for points in series.values() for point in points]
    recorded = source.kind == "recorded"
    largest = max([point.n for point in everything] + [one.n for one in total if recorded])
    device = device_label(rows, engine)
    shown = [value for point in everything for value in (point.lower, point.upper)]
    time_low, time_high = log_range(shown + ([low.value, thesis.value] if recorded else []), 0.05)
    return Drawing(
        tables={
            "time": [Block(stage, [(point.n, point.median, point.lower, point.upper)
                                   for point in points]) for stage, points in series.items()],
            "thesis": [Block("GTX 980, 2016",
                             [(thesis.n, thesis.value)]
                             + [(one.n, one.value) for one in total if one.stage == LAST_STAGE])],
            "range": [Block("GTX 980, 2016 (8.4.1)", [(low.n, low.value, high.value)])],
        },
        variables={
            "show_thesis": int(recorded), "rate": rate,
            "n_low": min(p.n for p in everything) / 1.5, "n_high": largest * 1.6,
            "time_low": time_low, "time_high": time_high,
            "rate_text": rate_words(rate),
        },
        subtitle=provenance(rows, engine, source.kind),
        emulated=engine == "emu",
        ours=f"{short_count(last.n)} samples in {short_time(last.median)}, {rate_words(rate)}.",
        alt=f"Line chart of time against samples for {', '.join(KERNEL_STAGES)} on {device}, both axes "
            f"logarithmic, with a line at {rate_words(rate)} and the thesis' "
            "points.")


def prepare_cpu_gpu(source: Source) -> Drawing:
    """Figure 8.2: the serial stage against the kernels."""
    path = source.rows_path(CHAPTER)
    rows = source.rows(CHAPTER)
    engine = kernel_engine(rows)
    serial = newest([row for row in rows if row.stage == "00_cpu"])
    check_stages(serial, ("00_cpu",), path, "the serial stage")
    sizes = {row.n for row in serial}
    kernels = newest([row for row in rows if row.engine == engine and row.n in sizes])
    check_stages(kernels, KERNEL_STAGES, path, f"{engine}, at the n of 00_cpu")
    series = {"00_cpu": times(serial)}
    for stage in KERNEL_STAGES:
        series[stage] = times([row for row in kernels if row.stage == stage])
    at = {point.n: point.median for point in series[LAST_STAGE]}
    gains = [(point.n, point.median / at[point.n]) for point in series["00_cpu"] if point.n in at]
    thesis_times = source.published("8.2", "time")
    thesis_gain = source.published("8.2", "speedup_over_cpu")[0]
    recorded = source.kind == "recorded"
    device, host = device_label(kernels, engine), serial[0].device
    everything = [point for points in series.values() for point in points]
    shown = [value for point in everything for value in (point.lower, point.upper)]
    time_low, time_high = log_range(
        shown + ([one.value for one in thesis_times] if recorded else []), 0.2)
    gain_low, gain_high = log_range(
        [gain for _, gain in gains] + ([thesis_gain.value] if recorded else []), 0.2)
    n, best = gains[-1]
    return Drawing(
        tables={
            "time": [Block(stage, [(point.n, point.median, point.lower, point.upper)
                                   for point in points]) for stage, points in series.items()],
            "gain": [Block(LAST_STAGE, gains)],
            "thesis": [Block("GTX 980 and its CPU, 2016",
                             [(one.n, one.value) for one in thesis_times])],
            "thesisgain": [Block("GTX 980, 2016", [(thesis_gain.n, thesis_gain.value)])],
        },
        variables={
            "show_thesis": int(recorded), "n_low": min(sizes) / 1.5,
            "n_high": max([*sizes, thesis_gain.n] if recorded else sizes) * 1.7,
            "time_low": time_low, "time_high": time_high,
            "gain_low": gain_low, "gain_high": gain_high,
        },
        subtitle=provenance(kernels, engine, source.kind, host),
        emulated=engine == "emu",
        ours=f"At {short_count(n)} samples {LAST_STAGE} is {short_ratio(best)} times as fast as 00_cpu on one core "
             f"of {host}.",
        alt=f"Line chart of time against samples, 00_cpu above the kernels of {device}, and of the "
            f"speed-up over 00_cpu: {short_ratio(best)} at {short_count(n)} samples, beside the thesis' 203.9 at "
            "6.4 G samples.")


def prepare_error(source: Source) -> Drawing:
    """The estimate's error against samples: it must shrink as 1.642 / sqrt(N)."""
    path = source.reports_path(CHAPTER)
    reports = [one for one in source.reports(CHAPTER)
               if one.stage == LAST_STAGE and one.field == ESTIMATE_FIELD]
    engine = "gpu" if any(one.engine == "gpu" for one in reports) else "emu"
    reports = [one for one in reports if one.engine == engine]
    if not reports:
        raise DataError(f"{path}: no field '{ESTIMATE_FIELD}' of {LAST_STAGE}")
    estimates = {}
    for one in reports:
        try:
            estimate = float(one.value)
        except ValueError:
            estimate = math.nan
        if not math.isfinite(estimate):
            raise DataError(f"{path}: the estimate '{one.value}' at n = {one.n} is no number")
        estimates[(one.n, one.seed)] = estimate
    # An estimate that hits pi's digits as printed would lie at minus infinity on the logarithmic axis.
    points = [(n, max(abs(estimate - math.pi), 1e-12))
              for (n, _), estimate in sorted(estimates.items())]
    inside = sum(error <= SAMPLE_DEVIATION / math.sqrt(n) for n, error in points)
    inside_two = sum(error <= 2 * SAMPLE_DEVIATION / math.sqrt(n) for n, error in points)
    share, share_two = 100 * inside / len(points), 100 * inside_two / len(points)
    rows = newest([row for row in source.rows(CHAPTER) if row.engine == engine])
    seeds = len({seed for _, seed in estimates})
    sizes = [n for n, _ in points]
    low, high = min(sizes), max(sizes)
    device = device_label(rows, engine)
    day = max(row.date for row in rows)[:10]
    origin = "recorded" if source.kind == "recorded" else "measured here"
    floor = min(error for _, error in points)
    # A few lucky estimates must not set the axis for all.
    floor = max(floor, SAMPLE_DEVIATION / math.sqrt(high) / 300)
    return Drawing(
        tables={"error": [Block(f"|estimate − π|, one point a seed ({seeds} seeds)",
                                [(n, max(error, floor)) for n, error in points])]},
        variables={"deviation": SAMPLE_DEVIATION, "n_low": low / 2, "n_high": high * 2,
                   "error_low": floor / 2, "error_high": 6 * SAMPLE_DEVIATION / math.sqrt(low)},
        emulated=engine == "emu",
        subtitle=f"{device}, {origin} {day}. {len(points)} estimates at {short_count(low)} to {short_count(high)}: "
                 f"{share:.0f} % within one standard error (68 due), {share_two:.0f} % within two (95).",
        ours=f"{inside} of {len(points)} estimates lie within one standard error and {inside_two} within "
             "two: the error falls as 1.642/√N, so one more digit of pi costs a hundred times "
             "the samples. Runs of one seed share their first samples, so its points move together.",
        alt=f"Scatter chart of the estimate's absolute error against samples from {short_count(low)} to "
            f"{short_count(high)} for {seeds} seeds, both axes logarithmic, with the bands of one and two "
            f"standard errors 1.642/√N; {share:.0f} % of the points lie in the first.")


FIGURES = (
    Figure("figure_8_1", "Figure 8.1", CHAPTER, "Monte Carlo, time against samples",
           "Time doubles with the samples once the start-up no longer dominates (8.4.1). Its sections "
           "disagree on what lies below: 8.3 gives 1 second for 2^32 samples, 8.4.1 a hundredth.",
           prepare_samples, in_readme=True),
    Figure("figure_8_2", "Figure 8.2", CHAPTER, "Monte Carlo, CPU against GPU",
           "238.62 s against 1.17 s at 6.4 billion samples, a speed-up of 203.9, most of the GPU's time "
           "being its start-up (8.4.2).",
           prepare_cpu_gpu, in_readme=True),
    Figure("montecarlo_error", "", CHAPTER, "Monte Carlo, the estimate's error and its band",
           "The thesis shows none.", prepare_error, in_readme=True),
)
