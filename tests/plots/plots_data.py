# SPDX-License-Identifier: MIT
"""What the tests of the plots share: made-up measurements in a folder of their own."""

import csv
import math
import shutil
import sys
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLOTS = ROOT / "plots"

sys.dont_write_bytecode = True
sys.path.insert(0, str(PLOTS))

import limits  # noqa: E402
import measurements  # noqa: E402

NBODY_STAGES = ("01_float3", "02_float4", "03_shared_tiles", "04_soa_accelerations", "05_rsqrt",
                "06_flush_denormals")
MONTECARLO_STAGES = ("01_shared_reduction", "02_shuffle_reduction", "03_64bit_counts")
BITONIC_STAGES = ("01_bitonic_global", "02_bitonic_shared", "03_bitonic_first_step",
                  "04_bitonic_two_kernels")
SMALL_STAGES = ("05_small_recursive", "06_small_streams", "07_small_shuffle",
                "08_small_segment_shared", "09_small_sublists_shared")
BIG_STAGES = ("10_big", "11_big_streams", "12_big_lazy_streams", "13_big_device_loop")
MERGESORT_STAGES = ("01_selection_and_search", "02_shared_list", "03_padded_list", "04_streams", "05_merge_path",
                    "06_overlap_copy")
KMEANS_STAGES = ("01_separate_lists", "02_shared_centroids", "03_int2", "04_two_stage_reduction", "05_device_loop")
FLOYD_STAGES = ("01_thread_per_cell", "02_row_per_block", "03_column_reuse")
DISTMESH_STAGES = ("01_global_atomics", "02_shared_atomics", "03_gather", "04_resident", "05_edge_flips")
GPU = "Stand-In GPU 1"
HOST = "Stand-In CPU 2"


def write_table(path: Path, columns: Sequence[str], records: Sequence[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(records)


def row(chapter: str, stage: str, engine: str, n: int, total_ms: object, repeat: int = 1,
        parameters: str = "", input_name: str = "plummer", verified: str = "true", seed: int = 1,
        version: str = "1.0", date: str = "2026-02-03T04:05:06Z") -> list[object]:
    device = HOST if engine == "cpu" else GPU
    return [date, version, chapter, stage, engine, device, n, parameters, "4x256", input_name, seed,
            repeat, 0.1, 0.1, total_ms, 0.1, total_ms, 1e6, 1e6, verified]


def nbody_rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    rows = []
    for steps in (0, 100):
        parameters = f"steps={steps};dt=0.01"
        for n in sizes:
            for i, stage in enumerate(NBODY_STAGES):
                for repeat in (1, 2, 3):
                    ms = n * n * (1 + steps) * 1e-7 / (1 + i) * (1 + 0.01 * repeat)
                    rows.append(row("nbody", stage, engine, n, ms, repeat, parameters))
            if steps == 0:
                rows.append(row("nbody", "00_cpu", "cpu", n, n * n * 1e-5, 1, parameters))
    return rows


def montecarlo_rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    rows = []
    for n in sizes:
        for stage in MONTECARLO_STAGES:
            rows += [row("montecarlo", stage, engine, n, 5 + n * 1e-8, repeat, "blocks=8", "xorwow")
                     for repeat in (1, 2)]
        rows.append(row("montecarlo", "00_cpu", "cpu", n, n * 1e-5, 1, "", "xorwow"))
    return rows


def montecarlo_reports(engine: str) -> list[list[object]]:
    return [["montecarlo", "03_64bit_counts", engine, GPU, n, "blocks=8", seed, "estimate",
             f"{math.pi + (seed - 2.5) / math.sqrt(n):.12f}"]
            for n in (10**3, 10**5, 10**7) for seed in (1, 2, 3, 4)]


def quicksort_rows(engine: str) -> list[list[object]]:
    """Of a stage twice as fast as the one before in its series; a serial run at the big ones' sizes."""
    recorded = engine == "gpu"
    series = ((BITONIC_STAGES, (2048,)), (SMALL_STAGES, (6080, 28_992) if recorded else (6080,)),
              (BIG_STAGES, (10**7, 16 * 10**7) if recorded else (50_000, 100_000)))
    rows = []
    for stages, sizes in series:
        for n in sizes:
            for i, stage in enumerate(stages):
                for repeat in (1, 2, 3):
                    ms = n * 1e-5 / 2**i * (1 + 0.01 * repeat)
                    rows.append(row("quicksort", stage, engine, n, ms, repeat, "", "uniform"))
    for n in series[2][1]:
        rows.append(row("quicksort", "00_cpu", "cpu", n, n * 1e-4, 1, "", "uniform"))
    for name, times in (("uniform", 1), ("sorted", 8), ("all-equal", 4), ("few-unique", 2)):
        rows += [row("quicksort", stage, engine, 2**20, times * 2.0, 1, "", name) for stage in BIG_STAGES]
    for memory, ms in (("pinned", 6.0), ("pageable", 7.0)):
        rows.append(row("quicksort", "14_counting_partition", engine, 65_536, ms, 1,
                        f"threads=256;blocks=0;memory={memory};pivot=first", "uniform"))
    return rows


def quicksort_reports(engine: str) -> list[list[object]]:
    fields = {"global_ms": 6.0, "kernel_ms": 0.5, "cpu_sort_ms": 5.0, "serial_sort_ms": 10.0,
              "host_to_device_ms": 0.125, "device_to_host_ms": 0.25}
    return [["quicksort", "14_counting_partition", engine, GPU, 65_536,
             f"threads=256;blocks=0;memory={memory};pivot=first", 1, name, value]
            for memory in ("pinned", "pageable") for name, value in fields.items()]


def multisort_grid(recorded: bool) -> list[tuple[str, str, int, dict[str, object]]]:
    """Stage, input, n and parameters of every run that seed 003's tables ask for; fewer on this machine."""
    large, sizes, blocks, lists = (2**25, [2**i for i in range(1, 13)], [2**i for i in range(11)],
                                   [2**i for i in range(15, 28)])
    if not recorded:
        large, sizes, blocks, lists = 2**12, [2, 8, 32], [16, 32, 64], [2**10, 2**11, 2**12]
    runs = []
    for place, name in enumerate(("sorted", "uniform", "reverse")):
        best = (4096, 64, 8)[place] if recorded else 8
        runs += [("07_multisort_cpu", name, large, {"size-i": size}) for size in sizes]
        runs += [("07_multisort_cpu", name, n, {"size-i": best}) for n in lists]
        for stage, size, all_threads, few in (("08_multisort_thread_merge", (4096, 4, 4)[place] if recorded else 4, 1024, 1),
                                              ("09_multisort_merge_path", 2, 1024, 32), ("10_multisort_opencl", 2, 1024, 512),
                                              ("10_multisort_opencl", 2, 1024, 32)):
            runs += [(stage, name, large, {"size-i": one, "threads": all_threads}) for one in sizes]
            runs += [(stage, name, large, {"size-i": size, "threads": threads}) for threads in blocks]
            runs += [(stage, name, n, {"size-i": size, "threads": few}) for n in lists]
    return list({str(run): run for run in runs}.values())


def mergesort_rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    """Of the thesis' stages each a tenth quicker than the one before; the multisort at 5 GB/s for each pass."""
    rows = []
    for n in sizes:
        rows.append(row("mergesort", "00_cpu", "cpu", n, n * 1e-4, 1, "", "uniform"))
        for i, stage in enumerate(MERGESORT_STAGES):
            rows += [row("mergesort", stage, engine, n, n * 1e-5 * 0.9**i * (1 + 0.01 * repeat), repeat,
                         "chunks=3" if stage == "06_overlap_copy" else "", "uniform") for repeat in (1, 2, 3)]
    rows.append(row("mergesort", "06_overlap_copy", engine, 3 * sizes[-1], sizes[-1] * 2e-5, 1, "chunks=3", "uniform"))
    for stage, name, n, parameters in multisort_grid(engine == "gpu"):
        size = int(str(parameters["size-i"]))
        passes = 1 - 1 / (2 * size) + math.log2(n / size)
        factor = {"07": 100, "08": 50, "09": 1, "10": 2}[stage[:2]]
        rows.append(row("mergesort", stage, {"07": "cpu", "10": "opencl"}.get(stage[:2], engine), n,
                        factor * passes * 8e3 * n / 5e9, 1, ";".join(f"{key}={value}" for key, value in parameters.items()),
                        name, seed=21364))
    return rows


def mergesort_reports(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    """Three chunks of stage 06, of which each is copied for 2 ms and sorted for 3; parts of 09 and 10, those of
    keys that are not random seven times as long."""
    records: list[list[object]] = [
        ["mergesort", "06_overlap_copy", engine, GPU, n, "chunks=3", 1, f"chunk_{i}_ms", f"{2.0 * i} {2.0 * i + 2} {3.0 * i + 5}"]
        for n in (sizes[-1], 3 * sizes[-1]) for i in range(3)]
    for stage, name, n, parameters in multisort_grid(engine == "gpu"):
        if stage[:2] in ("09", "10") and parameters == {"size-i": 2, "threads": 32}:
            factor = (2 if stage.startswith("10") else 1) * (1 if name == "uniform" else 7)
            for field, ms in (("insertion_sort_ms", n * 1e-6), ("merge_ms", n * 1e-5)):
                records.append(["mergesort", stage, engine if stage.startswith("09") else "opencl", GPU, n,
                                "size-i=2;threads=32", 21364, field, ms * factor])
    return records


def kmeans_rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    """Each stage twice as fast as the one before, but the sum in two steps slower by k / 8; the serial one at 1 ns a
    distance. A run that ended when it converged is no figure's."""
    rows = []
    for k in (4, 8, 16, 32):
        parameters = f"k={k};init=random;max-iterations=20;all-iterations=1"
        for n in sizes:
            rows.append(row("kmeans", "00_cpu", "cpu", n, n * k * 2e-5, 1, parameters, "uniform"))
            for i, stage in enumerate(KMEANS_STAGES):
                ms = n * k * 1e-6 / 2**i * (k / 8 if i >= 3 else 1)
                rows += [row("kmeans", stage, engine, n, ms * (1 + 0.01 * repeat), repeat, parameters, "uniform")
                         for repeat in (1, 2, 3)]
                rows.append(row("kmeans", stage, engine, n, ms / 100, 1, parameters.replace(";all-iterations=1", ""),
                                "uniform"))
    return rows


def floyd_rows(engine: str, sizes: Sequence[int]) -> list[list[object]]:
    """Runs at 4 GB/s of the distances, kernels at 5; each stage a fifth quicker than the one before, one core at 4 MB/s."""
    rows = []
    for n in sizes:
        moved, parameters = 4 * n**3, "density=0.5;max-weight=1000"
        if n <= 5000:
            rows.append(row("floyd", "00_cpu", "cpu", n, moved * 1e3 / 4e6, 1, parameters, "random"))
        for i, stage in enumerate(FLOYD_STAGES):
            for repeat in (1, 2, 3):
                record = row("floyd", stage, engine, n, moved * 1e3 / (4e9 * 1.2**i) * (1 + 0.01 * repeat), repeat, parameters,
                             "random")
                record[-6] = 0.8 * float(str(record[-4]))  # kernels_ms
                record[-3:-1] = [moved, 2 * n**3]
                rows.append(record)
    return rows


def storms_stages() -> list[str]:
    """Those that have kernels, and times."""
    return [one["name"] for one in measurements.read_stages(measurements.stages_file())
            if one["chapter"] == "storms" and one["compared_with"] and not one["race_on_purpose"]]


def storms_rows(engine: str) -> list[list[object]]:
    """Each stage twice as fast as the one before, the first 16 times as fast as one core, which takes 1 ns for a cell
    and particle; a quarter of a run is set-up and copies, three quarters of the serial one's none."""
    shapes = ([("dense", 30_000, 6, 120_000), ("long", 1_000_000, 4, 20_000), ("sparse", 10**8, 3, 3)] if engine == "gpu" else
              [("dense", 2000, 6, 3000), ("long", 20_000, 4, 200), ("sparse", 300_000, 3, 3)])
    cells = (10**4, 10**5, 10**6, 10**7, 10**8) if engine == "gpu" else (1000, 10_000)
    rows = []
    for name, n, waves, particles in [*shapes, *(("small", n, 3, 120) for n in cells)]:
        parameters, serial = f"waves={waves};particles={particles}", n * particles * 1e-6
        if name != "small" or n < 10**8:
            rows.append(row("storms", "00_cpu", "cpu", n, serial, 1, parameters, name))
        for i, stage in enumerate(storms_stages()):
            for repeat in (1, 2, 3):
                record = row("storms", stage, engine, n, serial / 16 / 2**i * (1 + 0.01 * repeat), repeat, parameters, name)
                record[-6] = 0.75 * float(str(record[-4]))  # kernels_ms
                rows.append(record)
    return rows


DISTMESH_SIZES = {"gpu": (1261, 1452, 20_109, 31_409), "emu": (100, 300)}


def distmesh_rows(engine: str) -> list[list[object]]:
    """Of a run three parts are triangulations, one the serial loops, which each stage does in half of the time of the stage
    before; a tenth part more is for copies, and a tenth for set-up. A run of another domain is no figure's."""
    rows = []
    for n in DISTMESH_SIZES[engine]:
        part, parameters = n * 1e-2, "max-iterations=10000"
        for i, stage in enumerate(("00_cpu", *DISTMESH_STAGES)):
            for repeat in (1, 2, 3):
                times = [part / 10, part / 20, part / 2**i, part / 20] if i else [0, 0, part, 0]  # setup, in, kernels, out
                times = [time * (1 + 0.01 * repeat) for time in (*times, sum(times) + 3 * part)]
                for name, more, factor in (("circle", "", 1), ("circle", ";grading=2", 5), ("ring", "", 5)):
                    record = row("distmesh", stage, engine if i else "cpu", n, 1.0, repeat, parameters + more, name)
                    record[12:17] = [time * factor for time in times]
                    rows.append(record)
    return rows


def distmesh_reports(engine: str) -> list[list[object]]:
    """Atomic sums take an iteration more, repairs two and a triangulation less."""
    records: list[list[object]] = []
    for n in DISTMESH_SIZES[engine]:
        for i, stage in enumerate(("00_cpu", *DISTMESH_STAGES)):
            more_iterations = 1 if i in (1, 2) else 2 if i == 5 else 0
            for field, value in (("iterations", 1000 + n % 100 + more_iterations), ("triangulations", 50 + n % 10 - (i == 5)),
                                 ("converged", "yes")):
                records += [["distmesh", stage, engine if i else "cpu", GPU if i else HOST, n, f"max-iterations=10000{more}", 1,
                             field, said] for more, said in (("", value), (";grading=2", 7))]
    return records


# device, then rates and sizes as limits.csv has them: 10 GB/s of memory, and peaks.
LIMITS = [[GPU, 1e10, 5e10, 2**20, 1e13, 1.2e10, 6e10, 2e13]]


def profile_records(metrics: dict[str, float], n: int = 1000) -> list[list[object]]:
    return [["2026-02-03", "nbody", stage, GPU, n, "compute_accelerations_kernel", name, "", value]
            for stage in ("04_soa_accelerations", "05_rsqrt") for name, value in metrics.items()]


# One pair of bodies: 8 FFMA, 2 MUFU, 1 LDS, 3 IADD3, 1 BRA, 1 MOV (a warp instruction does 32 pairs).
OPCODES = {f"opcode:{name}": count * 1000 * 1000 / 32
           for name, count in (("FFMA", 8), ("MUFU", 2), ("LDS", 1), ("IADD3", 3), ("BRA", 1), ("MOV", 1))}
UTILISATION = {
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": 71.0,
    "smsp__issue_active.avg.pct_of_peak_sustained_elapsed": 68.0,
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed": 45.0,
}


# A warp's counters of the force kernel; all loads from global memory, later from shared.
def counter_records(stages: Sequence[str] = NBODY_STAGES) -> list[list[object]]:
    records: list[list[object]] = []
    for i, stage in enumerate(stages):
        space, loads = ("global", 4 if i == 0 else 1) if i < 2 else ("shared", 1)
        counters = {"launches": 1, "warps": 32, "global_store.requests": 96, "global_store.sectors": 384,
                    "global_store.ideal_sectors": 384, f"{space}_load.requests": 32768 * loads + 64,
                    f"{space}_load.sectors": 32768 * loads + 256,
                    f"{space}_load.ideal_sectors": 32768 * loads + 256, "basic_blocks": 33000,
                    "loop.iterations": 32768, "loop.basic_blocks": 32768,
                    f"loop.{space}_load.requests": 32768 * loads}
        if space == "shared":
            counters["barriers"] = 256
        records.append([stage, "--n 1024", "", "host_to_device.bytes", 4096])
        records += [[stage, "--n 1024", "compute_accelerations_kernel", name, value]
                    for name, value in counters.items()]
    return records


class PlotsTest(unittest.TestCase):
    """Has `folder`, gone after the test, and writes made-up measurements there."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write_measurements(self, folder: Path, engine: str = "gpu", profile: bool = True) -> None:
        nbody_sizes = (100_000, 200_000) if engine == "gpu" else (1000, 2000)
        samples = (10**9, 2 * 10**9) if engine == "gpu" else (10**6, 4 * 10**6)
        write_table(folder / "nbody.csv", measurements.ROW_COLUMNS, nbody_rows(engine, nbody_sizes))
        write_table(folder / "montecarlo.csv", measurements.ROW_COLUMNS,
                    montecarlo_rows(engine, samples))
        lists = (10**7, 32 * 10**7) if engine == "gpu" else (2000, 4000)
        write_table(folder / "mergesort.csv", measurements.ROW_COLUMNS, mergesort_rows(engine, lists))
        write_table(folder / "mergesort_report.csv", measurements.REPORT_COLUMNS, mergesort_reports(engine, lists))
        lists = (10**7, 16 * 10**7, 32 * 10**7) if engine == "gpu" else (2000, 4000)
        write_table(folder / "kmeans.csv", measurements.ROW_COLUMNS, kmeans_rows(engine, lists))
        if engine == "gpu":
            write_table(folder / "limits.csv", limits.LIMITS_COLUMNS, LIMITS)
        write_table(folder / "quicksort.csv", measurements.ROW_COLUMNS, quicksort_rows(engine))
        write_table(folder / "floyd.csv", measurements.ROW_COLUMNS,
                    floyd_rows(engine, (200, 1000, 5000, 20_000) if engine == "gpu" else (50, 100, 200)))
        write_table(folder / "storms.csv", measurements.ROW_COLUMNS, storms_rows(engine))
        write_table(folder / "distmesh.csv", measurements.ROW_COLUMNS, distmesh_rows(engine))
        write_table(folder / "distmesh_report.csv", measurements.REPORT_COLUMNS, distmesh_reports(engine))
        shutil.copytree(PLOTS / "data" / "traces", self.folder / "recorded" / "traces", dirs_exist_ok=True)
        write_table(folder / "montecarlo_report.csv", measurements.REPORT_COLUMNS,
                    montecarlo_reports(engine))
        write_table(self.folder / "recorded" / "counters" / "nbody.csv",
                    measurements.COUNTER_COLUMNS, counter_records())
        if profile:
            write_table(folder / "nbody_profile.csv", measurements.PROFILE_COLUMNS,
                        profile_records(OPCODES | UTILISATION))
