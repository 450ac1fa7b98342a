# SPDX-License-Identifier: MIT
"""How long a stage takes on several GPUs: a model of bytes, messages and latencies.

Each rank does 1/P of the kernels' work, and then communicates. A collective costs its latency and its bytes, by the
rates of links.toml. Up to eight ranks are on one host; more of them also use the network. What is hidden behind
kernels costs only what exceeds them.

    python3 -m common.tools.explain.rank_model    prints the predictions for 2, 4, 8 and 64 ranks
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

LINKS = Path(__file__).with_name("links.toml")
RANKS_PER_HOST = 8


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
    """What a stage does with one GPU, in seconds, and what each rank sends with several."""

    stage: str
    size: str
    # Of the kernels on one H200: recorded for the stage before (montecarlo, nbody), or predicted:
    # storms in its README, floyd from the recorded rate with 8192 vertices.
    seconds: float
    fixed: float  # of them, what every rank does alike
    exchange: Callable[[Links, int], float]  # seconds that nothing hides, of so many ranks
    hidden: Callable[[Links, int], float] = lambda links, ranks: 0.0  # seconds behind kernels


def read_links(path: Path = LINKS) -> dict[str, Links]:
    """Raises ValueError for a key that is missing, unknown or of another type."""
    found = {}
    for section, values in tomllib.loads(path.read_text(encoding="utf-8")).items():
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


STAGES = (
    Stage(
        "montecarlo/11_many_gpus",
        "10^11 points",
        26.7e-3,
        0.05e-3,
        lambda links, ranks: 1e-6 * links.latency_us,
    ),
    Stage(
        "nbody/14_many_gpus",
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
        "storms/22_many_gpus",
        "long: 10^6 cells, 4 waves of 5000 particles",
        9.1e-3,
        0.0,
        lambda links, ranks: 1e-6 * links.latency_us,
    ),
    Stage(
        "floyd/13_many_gpus",
        "32 768 vertices",
        2.84,
        256 * 10e-6,  # phase 1 of each round
        lambda links, ranks: 0.0,
        lambda links, ranks: 256
        * (1e-6 * links.captured_latency_us + 128 * 32768 * 4 / links.broadcast),
    ),
)


def predict(stage: Stage, ranks: int, links: dict[str, Links]) -> float:
    """Seconds of kernels and communication."""
    if ranks == 1:
        return stage.seconds
    used = links_of(ranks, links)
    divided = (stage.seconds - stage.fixed) / ranks
    return stage.fixed + max(divided, stage.hidden(used, ranks)) + stage.exchange(used, ranks)


def speed_up(stage: Stage, ranks: int, links: dict[str, Links]) -> float:
    return stage.seconds / predict(stage, ranks, links)


def main() -> None:
    links = read_links()
    for stage in STAGES:
        print(f"{stage.stage}, {stage.size}: {1e3 * stage.seconds:.4g} ms on one GPU")
        for ranks in (2, 4, 8, 64):
            sure = "" if links_of(ranks, links).measured else " (the network is assumed)"
            seconds = predict(stage, ranks, links)
            print(
                f"  {ranks:2} ranks  {1e3 * seconds:9.4g} ms  x{stage.seconds / seconds:.3g}{sure}"
            )


if __name__ == "__main__":
    main()
