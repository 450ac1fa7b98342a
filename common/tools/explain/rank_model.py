# SPDX-License-Identifier: MIT
"""How long a stage takes on several GPUs: a model of bytes, messages and latencies.

Each rank does 1/P of the kernels' work, and then communicates. A collective costs its latency and
its bytes, by the rates of links.toml. Up to eight ranks are on one host; more of them also use the
network. What is hidden behind kernels costs only what exceeds them.

    python3 -m common.tools.explain.rank_model    prints the predictions for 2, 4, 8 and 64 ranks
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

from common.tools.lib.files import parse_toml, read_text

LINKS = Path(__file__).with_name("links.toml")
RANKS_PER_HOST = 8
# What a partition of keys reaches, bytes read and written per second: 2^28 keys in 0.98 ms on an
# H200.
KEY_RATE = 2.2e12
QUICKSORT_SECONDS = 20.1e-3  # 2^30 keys
LAUNCH = 5e-6  # of a kernel whose result the next one waits for
# Merge sort limit/05 on an H100, per key: five passes of three levels take 5.15 ms for 2^28 keys,
# and their searches 0.99 ms (Nsight Compute).
MERGE_LEVEL, MERGE_SEARCH = 5.15e-3 / 15 / 2**28, 0.99e-3 / 5 / 2**28
STORMS_SECONDS = 3.55e-3  # long: 10^6 cells, 4 waves of 5000 particles
# With narrow tiles, a half, a quarter and an eighth of these cells take 2.01, 1.62 and 1.47 ms on
# one H200. The rounds of a tile follow one another, which takes a time that does not depend on the
# number of tiles; the rest is divided.
STORMS_FIXED, STORMS_DIVIDED = 1.24e-3, 1.55e-3


@dataclass(frozen=True)
class Links:
    name: str
    measured: bool
    latency_us: float
    captured_latency_us: float
    all_gather: float
    all_reduce: float
    broadcast: float
    messages: float


@dataclass(frozen=True)
class Stage:
    """What a chapter's stage for many GPUs does with one of them, in seconds, and what each rank
    sends with several."""

    chapter: str
    size: str
    seconds: float  # of the kernels on one GPU, as recorded in plots/data
    fixed: float  # of them, what every rank does alike
    exchange: Callable[[Links, int], float]  # seconds that nothing hides, of so many ranks
    hidden: Callable[[Links, int], float] = lambda links, ranks: 0.0  # seconds behind kernels
    added: float = 0.0  # what several ranks together need more of them; negative: less
    parameters: tuple[tuple[str, str], ...] = ()  # of the rows that measure it
    device: str = "H100"  # the GPU of `seconds`


def read_links(path: Path = LINKS) -> dict[str, Links]:
    """Raises ValueError for a key that is missing, unknown or of another type."""
    found = {}
    for section, values in parse_toml(read_text(path), path).items():
        wanted = {field.name: field.type for field in fields(Links)}
        if values.keys() != wanted.keys():
            raise ValueError(f"{path}: [{section}]: the keys must be {', '.join(wanted)}")
        for key, value in values.items():
            if type(value) is not wanted[key] or (wanted[key] is float and value <= 0):
                raise ValueError(f"{path}: [{section}]: {key} = {value!r}")
        found[section] = Links(**values)
    return found


def links_of(ranks: int, links: dict[str, Links]) -> Links:
    return links["host" if ranks <= RANKS_PER_HOST else "network"]


def in_turns(work: float, messages: float, first: float) -> float:
    """Seconds of work on parts and of their messages, in either order: each behind those of another
    part. first: the share of the first part."""
    return max(work, messages) + min(work, messages) * first


def exchanged(keys: float, links: Links, ranks: int) -> float:
    """Seconds until each rank has sent all but its own part of its 4-byte keys."""
    return 4.0 * keys / ranks * (ranks - 1) / ranks / links.messages


def quicksort_exchange(links: Links, ranks: int) -> float:
    """Two all-gathers, the sort of the sample, and the cuts. Then the parts of a rank arrive in
    groups, each behind the second level and the leaves of another group. That work is counted with
    the kernels. Nothing hides the first group: an eleventh of the parts, or eight of them, as
    rank_cuts.hpp says. A message also carries the free room of the regions, which rank_sample.cuh
    chooses by the size of the sample."""
    keys, parts = 2.0**30, 512 // ranks
    begin = 2e-6 * links.latency_us + 40 * LAUNCH
    first = max((parts - 1) // 11 + 1, 8) / parts
    samples = min(2**17 * ranks, 2**20) / 512  # of a part
    messages = exchanged(keys, links, ranks) * (1 + 6 / samples**0.5)
    work = QUICKSORT_SECONDS / ranks - 8.0 * keys / ranks / KEY_RATE
    return begin + in_turns(work, messages, first) - work


def search_rounds(keys: float, runs: int) -> int:
    """As rounds_until_exact() of merge sort: 512 samples of each run of so many keys."""
    apart, rounds = keys, 0
    while apart > 0:
        apart = 0 if apart <= 512 else (2 * runs + 3) * ((apart - 1) // 512 + 1)
        rounds += 1
    return rounds


def merge_passes(keys: float, levels: int, passes: int) -> float:
    """Seconds of passes of merge sort 16 that merge so many levels of runs."""
    return keys * (levels * MERGE_LEVEL + passes * MERGE_SEARCH)


def mergesort_exchange(links: Links, ranks: int) -> float:
    """The rounds of the search, then messages of eight parts that the merges follow. The ranks have
    16 runs together, or one each; the merge of them all has four of the sort's 17 levels."""
    keys = 2.0**30
    runs = max(16, ranks)
    search = search_rounds(keys / runs, runs) * (1e-6 * links.latency_us + 2 * LAUNCH)
    # A search in 16 runs needs twice the threads of one in eight.
    merge = merge_passes(keys / ranks, 4, 2)
    return search + in_turns(merge, exchanged(keys, links, ranks), 1 / 8)


STAGES = (
    Stage(
        "quicksort",
        "2^30 uniform keys",
        QUICKSORT_SECONDS,
        0.0,
        quicksort_exchange,
    ),
    Stage(
        "mergesort",
        "2^30 uniform keys",
        35.0e-3,
        0.0,
        mergesort_exchange,
        added=-merge_passes(2.0**30, 4, 1),  # the last pass is the merge of all ranks
    ),
    Stage(
        "kmeans",
        "160 million points, k = 16, 20 iterations",
        3.65e-3,
        # The iterations: 20 take 0.37 ms longer than one. By a trace, the sort waits twice for the
        # host, 0.04 ms each, and its samples and scans take 0.07 ms, however many the points are.
        0.52e-3,
        # And the kernel behind each all-reduce.
        lambda links, ranks: 20 * (1e-6 * links.captured_latency_us + 2e-6),
        parameters=(("k", "16"),),
    ),
    Stage(
        "montecarlo",
        "10^12 points",
        266.5e-3,
        0.05e-3,
        lambda links, ranks: 1e-6 * links.latency_us,
    ),
    Stage(
        "nbody",
        "1 048 576 bodies",
        338e-3,
        0.0,
        # Three lists of sums: a reduce-scatter moves half of an all-reduce.
        lambda links, ranks: 1e-6 * links.latency_us
        + 12.0 * 2**20 * (ranks - 1) / ranks / links.all_reduce,
        lambda links, ranks: 1e-6 * links.latency_us
        + 16.0 * 2**20 * (ranks - 1) / ranks / links.all_gather,
    ),
    Stage(
        "storms",
        "long: 10^6 cells, 4 waves of 5000 particles",
        STORMS_SECONDS,
        STORMS_FIXED,
        lambda links, ranks: 1e-6 * links.latency_us,
        added=STORMS_DIVIDED - (STORMS_SECONDS - STORMS_FIXED),
        device="H200",
    ),
    Stage(
        "floyd",
        "32 768 vertices",
        2.48,
        256 * 10e-6,  # phase 1 of each round
        lambda links, ranks: 0.0,
        lambda links, ranks: 256
        * (1e-6 * links.captured_latency_us + 128 * 32768 * 4 / links.broadcast),
    ),
)

# Other work of these stages, which has a table of its own, and no figure.
FURTHER = (
    Stage(
        "kmeans",
        "160 million points, k = 64, 20 iterations that read all points",
        163e-3,
        0.0,
        lambda links, ranks: 20 * 1e-6 * links.latency_us,
        parameters=(("k", "64"),),
    ),
)


def predict(stage: Stage, ranks: int, links: dict[str, Links]) -> float:
    """Seconds of kernels and communication."""
    if ranks == 1:
        return stage.seconds
    used = links_of(ranks, links)
    divided = (stage.seconds - stage.fixed + stage.added) / ranks
    return stage.fixed + max(divided, stage.hidden(used, ranks)) + stage.exchange(used, ranks)


def speed_up(stage: Stage, ranks: int, links: dict[str, Links]) -> float:
    return stage.seconds / predict(stage, ranks, links)


def main() -> None:
    links = read_links()
    for stage in (*STAGES, *FURTHER):
        print(f"{stage.chapter}, {stage.size}: {1e3 * stage.seconds:.4g} ms on one GPU")
        for ranks in (2, 4, 8, 64):
            sure = "" if links_of(ranks, links).measured else " (the network is assumed)"
            seconds = predict(stage, ranks, links)
            print(
                f"  {ranks:2} ranks  {1e3 * seconds:9.4g} ms  x{stage.seconds / seconds:.3g}{sure}"
            )


if __name__ == "__main__":
    main()
