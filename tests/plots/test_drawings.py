# SPDX-License-Identifier: MIT
"""The drawings of what kernels did: the network of figure 3.6 is the bitonic one and sorts; the partition
of figure 3.2 moves every key once; the path of figure 4.5 merges. A trace that says otherwise is refused."""

import math
import struct
import unittest

from plots_data import PLOTS, PlotsTest

import distmesh
import drawing
import kmeans
import measurements
import mergesort
import meshes
import quicksort
import storms
import traces


def bitonic_steps(count: int) -> list[set[tuple[int, int]]]:
    """Each step's pairs (Batcher 1968, all exchanges in one direction)."""
    steps = []
    size = 2
    while size <= count:
        steps.append({(i, i ^ (size - 1)) for i in range(count) if i < i ^ (size - 1)})
        stride = size // 4
        while stride > 0:
            steps.append({(i, i + stride) for i in range(count) if not i & stride})
            stride //= 2
        size *= 2
    return steps


def single(value: float) -> float:
    """Rounded to float32."""
    return struct.unpack("f", struct.pack("f", value))[0]


def sorts(pairs: list[tuple[int, int]], count: int) -> bool:
    """By the 0-1 principle: all lists of zeros and ones, one a bit of each wire's number."""
    lists = 2**count
    wires = [sum(1 << number for number in range(lists) if number >> i & 1) for i in range(count)]
    for low, high in pairs:
        wires[low], wires[high] = wires[low] & wires[high], wires[low] | wires[high]
    return not any(wires[i] & ~wires[i + 1] for i in range(count - 1))


class DrawingsTest(PlotsTest):
    def setUp(self) -> None:
        super().setUp()
        self.write_measurements(self.folder / "gpu")
        self.traces = self.folder / "recorded" / "traces"
        self.source = drawing.Source("recorded", self.folder / "gpu", None, (),
                                     self.folder / "recorded" / "counters")

    def change(self, name: str, before: str, after: str) -> None:
        path = self.traces / f"{name}.csv"
        text = path.read_text(encoding="utf-8")
        self.assertIn(before, text)
        path.write_text(text.replace(before, after, 1), encoding="utf-8")

    def test_traces_are_small(self) -> None:
        files = list((PLOTS / "data" / "traces").glob("*.csv"))
        self.assertEqual({path.stem for path in files}, {trace.name for trace in traces.RECORDED})
        self.assertLess(sum(path.stat().st_size for path in files), 200_000)

    def test_the_network_is_bitonic(self) -> None:
        network = quicksort.read_network(self.source)
        self.assertEqual(len(network.keys), 16)
        steps = network.steps()
        self.assertEqual([{(one.low, one.high) for one in step} for step in steps], bitonic_steps(16))
        self.assertTrue(all(len(step) == 8 for step in steps))

    def test_the_network_sorts(self) -> None:
        network = quicksort.read_network(self.source)
        pairs = [(one.low, one.high) for one in network.comparisons]
        self.assertTrue(sorts(pairs, 16))
        self.assertFalse(sorts(pairs[:-1], 16))
        self.assertFalse(sorts(pairs[1:], 16))

    def test_exchanges_are_those_that_the_keys_ask_for(self) -> None:
        network = quicksort.read_network(self.source)
        keys = list(network.keys)
        for one in network.comparisons:
            self.assertEqual(one.exchanged, keys[one.high] < keys[one.low])
            if one.exchanged:
                keys[one.low], keys[one.high] = keys[one.high], keys[one.low]
        self.assertEqual(keys, network.sorted_keys)
        self.assertEqual(keys, sorted(network.keys))
        self.assertTrue(any(key < 0 for key in keys) and any(key > 0 for key in keys))

    def test_no_two_lines_of_a_step_lie_on_one_another(self) -> None:
        for step in quicksort.read_network(self.source).steps():
            columns = quicksort.in_columns(step)
            self.assertEqual(sorted(map(id, step)), sorted(id(one) for column in columns for one in column))
            for column in columns:
                ends = sorted((one.low, one.high) for one in column)
                self.assertTrue(all(first[1] < second[0] for first, second in zip(ends, ends[1:])))

    def test_a_trace_that_is_no_network_is_refused(self) -> None:
        self.change("network", "1,0,load,shared,4,", "1,0,store,shared,4,")
        with self.assertRaisesRegex(measurements.DataError, r"network\.csv: no compare-exchange in step 1, lane 0"):
            quicksort.read_network(self.source)

    def test_the_partition_moves_every_key_once(self) -> None:
        step = quicksort.read_partition(self.source)
        self.assertEqual(sorted(share.block for share in step.shares), [0, 1, 2, 3])
        tiles = sorted(share.tile for share in step.shares)
        self.assertEqual([tiles[0][0], tiles[-1][1]], [1, step.count])
        self.assertTrue(all(first[1] == second[0] for first, second in zip(tiles, tiles[1:])))
        places = sorted(run for share in step.shares for run in (share.left, share.right))
        self.assertEqual([places[0][0], places[-1][1]], [0, step.count])
        gaps = [(first[1], second[0]) for first, second in zip(places, places[1:]) if first[1] != second[0]]
        self.assertEqual(gaps, [(step.pivot, step.pivot + 1)])
        for share in step.shares:
            self.assertLessEqual(share.left[1], step.pivot)
            self.assertGreater(share.right[0], step.pivot)
            moved = share.left[1] - share.left[0] + share.right[1] - share.right[0]
            self.assertEqual(moved, share.tile[1] - share.tile[0])

    def test_the_order_of_asking_decides_not_the_block_s_number(self) -> None:
        step = quicksort.read_partition(self.source)
        self.assertNotEqual([share.block for share in step.shares], [0, 1, 2, 3])
        lefts = [share.left for share in step.shares]
        self.assertEqual(lefts, sorted(lefts))
        self.assertEqual([share.left_before for share in step.shares], [run[0] for run in lefts])

    def test_writes_beside_the_room_are_refused(self) -> None:
        self.change("partition", "0,store,a3,3072,4,730", "0,store,a3,3076,4,730")
        with self.assertRaisesRegex(measurements.DataError, "block 0 does not write where it was given room"):
            quicksort.read_partition(self.source)

    def test_the_merge_path_merges(self) -> None:
        path = mergesort.read_merge_path(self.source)
        self.assertEqual([one.number for one in path.diagonals], list(range(traces.MERGEPATH_THREADS)))
        self.assertEqual((path.left, path.right), (sorted(path.left), sorted(path.right)))
        i = j = 0
        for one in path.diagonals:
            self.assertEqual(one.crossing, (i, j))
            takes_right = path.left[i] > path.right[j]  # of equal keys the left one
            self.assertEqual(one.stored, path.right[j] if takes_right else path.left[i])
            i, j = (i, j + 1) if takes_right else (i + 1, j)
        self.assertGreater(i, 3)  # it turns
        self.assertGreater(j, 3)

    def test_each_search_is_a_binary_one_along_its_diagonal(self) -> None:
        path = mergesort.read_merge_path(self.source)
        for one in path.diagonals:
            low, high = 0, one.number
            for i, j, greater in one.probes:
                self.assertEqual((i, j), ((low + high) // 2, one.number - 1 - (low + high) // 2))
                low, high = (low, i) if greater else (i + 1, high)
            self.assertEqual((low, high), (one.crossing[0],) * 2)
            self.assertLessEqual(len(one.probes), one.number.bit_length())

    def test_a_trace_that_is_no_merge_is_refused(self) -> None:
        self.change("mergepath", "5,store,a2,5,", "5,store,a2,6,")
        with self.assertRaisesRegex(measurements.DataError, r"mergepath\.csv: thread 5 finds no crossing or stores elsewhere"):
            mergesort.read_merge_path(self.source)

    def test_every_point_has_the_nearest_centroid_which_is_the_mean(self) -> None:
        unit = traces.CLUSTERS_UNIT
        for trace, k in zip(traces.CLUSTERINGS, (9, 6, 16), strict=True):
            clusters = kmeans.read_clusters(self.source, trace.name)
            self.assertEqual((len(clusters), sum(one.size for one in clusters)), (k, 1800))
            for one in clusters:
                self.assertGreater(one.size, 0)
                for axis, mean in enumerate((one.x, one.y)):  # points are rounded
                    self.assertAlmostEqual(sum(point[axis] for point in one.points) / one.size, mean / unit, delta=0.6)
                for x, y in one.points:
                    own = math.hypot(x - one.x / unit, y - one.y / unit)
                    least = min(math.hypot(x - other.x / unit, y - other.y / unit) for other in clusters)
                    self.assertLess(own, least + 1.5)

    def test_clouds_are_clusters_and_rings_are_not(self) -> None:
        def radii(name: str) -> list[set[int]]:
            return [{round(math.hypot(x, y) / 100) for x, y in one.points}
                    for one in kmeans.read_clusters(self.source, name)]

        clouds = kmeans.read_clusters(self.source, "kmeans_gaussians")
        unit = traces.CLUSTERS_UNIT
        reach = max(math.hypot(x - one.x / unit, y - one.y / unit) for one in clouds for x, y in one.points)
        apart = min(math.hypot(one.x - other.x, one.y - other.y) / unit
                    for i, one in enumerate(clouds) for other in clouds[:i])
        self.assertLess(4 * reach, apart)
        # Nearly every cluster has pieces of two rings or more.
        self.assertEqual([max(found) - min(found) >= 3 for found in radii("kmeans_rings")].count(True), 5)

    def test_neighbours_have_colours_of_their_own(self) -> None:
        for trace in traces.CLUSTERINGS:
            clusters = kmeans.read_clusters(self.source, trace.name)
            colours = kmeans.colours_of(clusters)
            self.assertLessEqual(set(colours), set(range(kmeans.COLOURS)))
            for i, one in enumerate(clusters):
                nearest = min((j for j in range(len(clusters)) if j != i),
                              key=lambda j: math.hypot(clusters[j].x - one.x, clusters[j].y - one.y))
                self.assertNotEqual(colours[i], colours[nearest], (trace.name, i, nearest))

    def test_clusters_that_cannot_be_are_refused(self) -> None:
        self.change("kmeans_rings", ",5,", ",7,")
        with self.assertRaisesRegex(measurements.DataError, r"kmeans_rings\.csv: points of a cluster without a centroid"):
            kmeans.read_clusters(self.source, "kmeans_rings")
        self.change("kmeans_gaussians", ",3,\n", ",4,\n")
        with self.assertRaisesRegex(measurements.DataError, r"kmeans_gaussians\.csv: a cluster's size is not"):
            kmeans.read_clusters(self.source, "kmeans_gaussians")
        self.change("kmeans_uniform", ",3,\n", ",few,\n")
        with self.assertRaisesRegex(measurements.DataError, r"kmeans_uniform\.csv: .* is neither a point nor a centroid"):
            kmeans.read_clusters(self.source, "kmeans_uniform")

    def test_the_layer_is_relaxed_and_its_greatest_peak_found(self) -> None:
        layers = storms.read_layers(self.source)
        self.assertEqual([len(layer.relaxed) for layer in layers], [200] * 3)
        before = [0.0] * 200
        for layer in layers:
            self.assertTrue(all(new > old for old, new in zip(before, layer.updated)))  # nothing is reset
            cells = [single(cell) for cell in layer.updated]
            mean = [cells[0], *(single(single(single(cells[k - 1] + cells[k]) + cells[k + 1]) / 3) for k in range(1, 199)), cells[-1]]
            self.assertEqual([single(cell) for cell in layer.relaxed], mean)
            before = cells = layer.relaxed
            peaks = [k for k in range(1, 199) if cells[k - 1] < cells[k] > cells[k + 1]]
            self.assertEqual((layer.peaks, layer.maximum), (peaks, max(peaks, key=cells.__getitem__)))
            self.assertGreater(len(peaks), 3)
        # What is to be seen: three maxima in three places, and a spike that the relaxation takes the first place from.
        self.assertEqual([(layer.tallest_before, layer.maximum) for layer in layers], [(11, 91), (23, 22), (161, 162)])

    def test_layers_that_cannot_be_are_refused(self) -> None:
        for before, after, said in (("maximum", "peak", "wave 1 has 0 maxima"), ("1,7,", "1,8,", "is not the next cell"),
                                    (",peak", ",summit", "is not the next cell"), ("1,9,", "one,9,", "is no cell of a wave"),
                                    ("wave,cell", "wave,place", "the header is not")):
            self.change("storms", before, after)
            with self.assertRaisesRegex(measurements.DataError, rf"storms\.csv.*{said}"):
                storms.read_layers(self.source)
            self.change("storms", after, before)
        self.assertEqual(len(storms.read_layers(self.source)), 3)

    def test_what_a_wave_stored(self) -> None:
        """Four cells, two waves of which the second has no peak."""
        def store(grid: int, kernel: str, cell: int, value: int, size: int = 4) -> dict[str, str]:
            return {"grid": str(grid), "kernel": f"{kernel}_kernel", "operation": "store", "offset": str(cell * size),
                    "bytes": str(size), "value": str(value)}

        one, two, three, third = 0x3F800000, 0x40000000, 0x40400000, 0x3EAAAAAB  # as float32
        records = [store(1, "clear_layer", 0, 0), store(2, "update_layer", 0, three)]
        for grid, values, relaxed, peaks in ((3, (one, three, one, third), two, ((0, 0), (two, 1), (0, 0), (0, 0))),
                                             (9, (one, one, one, one), one, ((0, 0),) * 4)):
            records += [store(grid, "copy_layer", cell, value) for cell, value in enumerate(values)]
            records += [{**store(grid, "copy_layer", 0, three), "operation": "load"}]
            records += [store(grid + 1, "relax_layer", cell, relaxed) for cell in (1, 2)]
            for cell, (value, position) in enumerate(peaks):
                records += [store(grid + 2, "find_peaks", cell, value), store(grid + 2, "find_peaks", cell, position, 8)]
        first = next(i for i, record in enumerate(records) if record["grid"] == "9")
        records[first:first] = [store(6, "reduce_peaks", 0, two), store(6, "reduce_peaks", 0, 1, 8)]
        self.assertEqual(traces.layers_rows(records), [
            (1, 0, "1", "1", ""), (1, 1, "3", "2", "maximum"), (1, 2, "1", "2", ""), (1, 3, "0.333333343", "0.333333343", ""),
            (2, 0, "1", "1", ""), (2, 1, "1", "1", ""), (2, 2, "1", "1", ""), (2, 3, "1", "1", "")])

    def meshes(self) -> list[list[meshes.Triangle]]:
        return [meshes.triangles_of(self.source.trace(mesh.name, traces.MESH_COLUMNS), mesh.name) for mesh in traces.MESHES]

    def test_meshes_cover_their_domains(self) -> None:
        """Each edge is of two triangles or of the boundary, which goes round the domain and its holes; the area is the domain's,
        but for what lies between boundary and chords."""
        areas = (math.pi, 4 - math.pi / 4, 0.75 * math.pi, 2 * math.pi - 4 * 0.0817, 0.0817)
        for mesh, trace, area, holes in zip(self.meshes(), traces.MESHES, areas, (0, 1, 1, 1, 0), strict=True):
            with self.subTest(trace.name):
                edges = [pair for one in mesh for pair in zip(one.corners, (*one.corners[1:], one.corners[0]))]
                around = {pair for pair in edges if (pair[1], pair[0]) not in edges}
                self.assertEqual(len(edges), len(set(edges)))
                self.assertEqual(points := meshes.points_in(mesh), len({corner for pair in edges for corner in pair}))
                # Euler: points, less edges, and triangles.
                self.assertEqual(points - (len(edges) + len(around)) // 2 + len(mesh), 1 - holes)
                twice = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in edges)
                self.assertAlmostEqual(twice / 2 / area, 1, delta=0.03)

    def test_triangles_are_coloured_by_their_quality(self) -> None:
        self.assertAlmostEqual(meshes.quality_of([(0, 0), (1, 0), (0.5, 0.75**0.5)]), 1)
        self.assertAlmostEqual(meshes.quality_of([(0, 0), (3, 0), (0, 4)]), 0.8)
        self.assertAlmostEqual(meshes.quality_of([(0, 0), (0, 4), (3, 0)]), -0.8)
        self.assertEqual(meshes.quality_of([(0, 0), (1, 1), (1, 1)]), 0)
        for quality, number in ((0.1, 0), (0.54, 0), (0.56, 1), (0.94, 8), (0.96, 9), (1.0, 9)):
            self.assertEqual(meshes.Triangle(((0, 0), (1, 0), (0, 1)), quality).quality_class, number)
        for mesh in self.meshes():
            blocks = meshes.quality_blocks(mesh)
            self.assertEqual(" ".join(block.title for block in blocks), meshes.class_numbers(mesh))
            self.assertEqual(sum(len([row for row in block.rows if row]) for block in blocks), 3 * len(mesh))
            self.assertFalse(any(block.rows[0] == () or block.rows[-1] == () for block in blocks))
            edges = meshes.edge_blocks(mesh)[0].rows
            self.assertEqual(len(edges), len({frozenset(pair) for one in mesh for pair in
                                              zip(one.corners, (*one.corners[1:], one.corners[0]))}))
        scripts = (PLOTS / "distmesh_colours.gp").read_text(encoding="utf-8")
        self.assertEqual(scripts.count("'#"), meshes.CLASSES)

    def test_what_the_meshes_figure_says(self) -> None:
        said = distmesh.prepare_meshes(self.source)
        every = [one for mesh in self.meshes() for one in mesh]
        self.assertIn(f"{len(every)} triangles", said.subtitle)
        shares = [row[1] for row in said.tables["shares"][0].rows]
        self.assertAlmostEqual(sum(shares), 100)
        self.assertAlmostEqual(shares[-1], 100 * sum(one.quality >= 0.95 for one in every) / len(every))
        for i, mesh in enumerate(self.meshes()):
            qualities = [one.quality for one in mesh]
            self.assertEqual(said.variables[f"caption{i}"],
                             f"least {min(qualities):.2f}, mean {sum(qualities) / len(qualities):.3f}")

    def test_meshes_that_cannot_be_are_refused(self) -> None:
        path = self.traces / "distmesh_ring.csv"
        text = path.read_text(encoding="utf-8")
        head, first, second, *_ = text.splitlines()
        x1, y1, x2, y2, x3, y3, quality = first.split(",")
        for line, said in ((first.replace(x1, "left", 1), "is no triangle"), (f"{x2},{y2},{x1},{y1},{x3},{y3},{quality}", "has a quality of -"),
                           (f"{x2},{y2},{x1},{y1},{x3},{y3},-{quality}", "has a quality of -"),
                           (f"{x1},{y1},{x2},{y2},{x3},{y3},0.3", "has a quality of 0"), (second, "lies on another one")):
            path.write_text(f"{head}\n{line}\n{second}\n", encoding="utf-8")
            with self.assertRaisesRegex(measurements.DataError, rf"distmesh_ring\.csv: .*{said}"):
                distmesh.prepare_meshes(self.source)
        path.write_text(f"{head}\n", encoding="utf-8")
        with self.assertRaisesRegex(measurements.DataError, r"distmesh_ring\.csv: no triangles"):
            distmesh.prepare_meshes(self.source)

    def test_chunks(self) -> None:
        chunks, n, engine = mergesort.read_chunks(self.source)
        self.assertEqual((n, engine), (32 * 10**7, "gpu"))
        self.assertEqual(chunks, [mergesort.Chunk(2.0 * i, 2.0 * i + 2, 3.0 * i + 5) for i in range(3)])
        self.assertEqual([mergesort.sort_begin(chunks, i) for i in range(3)], [2, 5, 8])
        self.assertEqual(mergesort.by_order(chunks), [mergesort.Chunk(0, 1, 3), mergesort.Chunk(1, 2, 5),
                                                      mergesort.Chunk(2, 4, 6)])
        drawing = mergesort.prepare_overlap(self.source)
        # Of three copies the second and the third lie beside sorts.
        self.assertIn("67 % of the copies' 6 ms", drawing.ours)

    def test_chunks_that_cannot_be_are_refused(self) -> None:
        path = self.folder / "gpu" / "mergesort_report.csv"
        text = path.read_text(encoding="utf-8")
        for before, after in (("2.0 4.0 8.0", "2.0 4.0"), ("2.0 4.0 8.0", "5.0 4.0 8.0"), ("chunk_1_ms", "chunk_7_ms"),
                              ("2.0 4.0 8.0", "2.0 nan 8.0")):
            self.assertIn(before, text)
            path.write_text(text.replace(before, after), encoding="utf-8")
            with self.assertRaisesRegex(measurements.DataError, r"mergesort_report\.csv: .*chunk"):
                mergesort.read_chunks(self.source)

    def test_neighbouring_accesses_are_joined(self) -> None:
        def access(block: str, operation: str, name: str, offset: int, line: str = "q.cu:1") -> dict[str, str]:
            return {"grid": "1", "space": "global", "block": block, "operation": operation, "object": name,
                    "offset": str(offset), "bytes": "4", "line": line, "value": str(offset + 100)}

        records = [access("2", "load", "a1", offset) for offset in (8, 0, 4, 16)]
        records += [access("2", "atomic", "a2", 0, "q.cu:7"), access("2", "atomic", "a2", 0, "q.cu:8"),
                    access("0", "store", "a1", 12), {**access("0", "store", "a1", 4), "grid": "2"},
                    {**access("0", "store", "a1", 4), "space": "shared"}]
        self.assertEqual(traces.partition_rows(records), [
            ("2", "load", "a1", 0, "4", 3, ""), ("2", "load", "a1", 16, "4", 1, "116"),
            ("2", "atomic", "a2", 0, "4", 1, "100"), ("2", "atomic", "a2", 0, "4", 1, "100"),
            ("0", "store", "a1", 12, "4", 1, "112")])


if __name__ == "__main__":
    unittest.main()
