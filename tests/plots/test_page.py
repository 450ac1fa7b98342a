# SPDX-License-Identifier: MIT
"""The page: its numbers are those of the READMEs' tables, its differences give both sources back, and it
can be read without a network, a mouse, or colours."""

import dataclasses
import functools
import html
import re
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

from plots_data import GPU, PLOTS, ROOT, PlotsTest, counter_records, nbody_rows, storms_rows, write_table

import distmesh
import drawing
import figures
import markdown
import measurements
import mergesort
import optimisations
import page
import source_diff
import speed_ups
import tables

VOID = {"meta", "img", "br"}
README = """# Title: of `it`
Some *text* that
goes on, see [there](there.md) and [`code`](x).

```
# no heading
```
## What to look at

- **00 → 01.** One line. The rest
  of it.
- **01 → 02** and so on: yes.

1. first `a | b`
2. second

| a | b `c` |
|---|---|
| x | ×1.07 |
| y | 12 |
"""


class Reader(HTMLParser):
    """Checks that tags are closed in order, and keeps what the tests ask for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[int] = []
        self.rows: list[list[str]] = []  # of tables: the cells' texts
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag == "br" and "td" in self.open:
            self.rows[-1][-1] += "\n"
        elif re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@functools.cache
def recorded_page() -> str:
    """The page of what is recorded, with a picture."""
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "picture.svg"
        image.write_text("<svg/>", encoding="utf-8")
        return page.page_html([page.Entry("picture", "nbody", "A picture", image, "what it shows", ())],
                              figures.make_source(figures.parse_arguments([])))


@functools.cache
def recorded_reader() -> Reader:
    return Reader(recorded_page())


def stages() -> list[dict]:
    return measurements.read_stages(measurements.stages_file())


class MarkdownTest(PlotsTest):
    def setUp(self) -> None:
        super().setUp()
        path = self.folder / "README.md"
        path.write_text(README, encoding="utf-8")
        self.document = markdown.read_document(path)

    def test_inline(self) -> None:
        for text, wanted in (("a *b* **c** `d*e*<`", "a <em>b</em> <strong>c</strong> <code>d*e*&lt;</code>"),
                             ("2 * 3 * 4 < 5 & 6", "2 * 3 * 4 &lt; 5 &amp; 6"),
                             ("[a](b.md), ![c](d.svg)[`e`](f)", "a, <code>e</code>")):
            self.assertEqual(markdown.inline(text), wanted)
        self.assertEqual(markdown.plain("*a* `b<c`"), "a b<c")

    def test_a_document(self) -> None:
        self.assertEqual(self.document.title, "Title: of `it`")
        self.assertEqual(list(self.document.sections), ["", "What to look at"])
        self.assertEqual(markdown.blocks(self.document.problem(), "x"),
                         "<p>Some <em>text</em> that goes on, see there and <code>code</code>.</p>\n")
        self.assertEqual(self.document.pairs(), {("00", "01"): "One line. The rest of it.",
                                                 ("01", "02"): "and so on: yes."})
        (self.folder / "empty.md").write_text("text\n", encoding="utf-8")
        for name in ("empty.md", "absent.md"):
            with self.assertRaises(measurements.DataError):
                markdown.read_document(self.folder / name)

    def test_blocks(self) -> None:
        said = markdown.blocks(self.document.sections["What to look at"], "x & y")
        reader = Reader(said)
        self.assertEqual(len(reader.all("li")), 4)
        self.assertEqual(reader.rows, [["a", "b c"], ["x", "×1.07"], ["y", "12"]])
        self.assertEqual([one.get("class") for one in reader.all("th") + reader.all("td")],
                         [None, "n", None, None, "n", "n"])
        self.assertIn('aria-label="x &amp; y"', said)
        self.assertIn("<ol>\n<li>first <code>a | b</code></li>", said)
        self.assertEqual(markdown.blocks("<!-- table:x -->\n```\na < b\n```\n", "x").count("<pre>a &lt; b</pre>"), 1)

    def test_first_sentences(self) -> None:
        for text, wanted in (("One line. It does what the others did not. More.",
                              "One line. It does what the others did not."),
                             ("A sentence that says it all, at some length. And `more`.",
                              "A sentence that says it all, at some length."),
                             ("No end", "No end")):
            self.assertEqual(markdown.first_sentence(text), wanted)


def sides(said: str) -> tuple[str, str]:
    """The two sources out of a difference."""
    texts: tuple[list[str], list[str]] = ([], [])
    for kind, lines in re.findall(r"<div class=(was|same|del|ins)(?: style=[^>]*)?>(.*?)</div>", said, re.DOTALL):
        texts[kind in ("same", "ins")].append(html.unescape(re.sub(r"<[^>]*>", "", lines)))
    return "".join(texts[0]), "".join(texts[1])


class DifferenceTest(unittest.TestCase):
    BEFORE = "".join(f"int line_{i} = {i};\n" for i in range(20))

    def test_every_pair_gives_both_sources_back(self) -> None:
        by_name = {stage["stage"]: stage for stage in stages()}
        pairs = [(by_name[f"{stage['chapter']}/{stage['compared_with']}"], stage) for stage in by_name.values()
                 if stage["compared_with"]]
        self.assertGreater(len(pairs), 20)
        for pair in pairs:
            with self.subTest(pair[1]["stage"]):
                texts = tuple((ROOT / stage["source"]).read_text(encoding="utf-8") for stage in pair)
                said = source_diff.side_by_side(*texts)
                Reader(said)
                self.assertEqual(sides(said), texts)

    def test_numbers_words_and_folds(self) -> None:
        after = self.BEFORE.replace("line_9 = 9", "line_9 = 10").replace("int line_3 = 3;\n", "")
        said = source_diff.side_by_side(self.BEFORE, after)
        self.assertEqual(sides(said), (self.BEFORE, after))
        self.assertIn('<div class=del style="--n:3"><span><i class=k>int</i> line_3 = 3;\n</span></div><div class=ins></div>',
                      said)
        self.assertIn('<div class=del style="--n:9"><span><i class=k>int</i> line_9 = <b>9</b>;\n</span></div>'
                      '<div class=ins style="--n:8"><span><i class=k>int</i> line_9 = <b>10</b>;\n</span></div>', said)
        # 3 + 5 lines at the changes' inner sides are too few to fold; behind line 12 are 7.
        self.assertEqual(re.findall(r"<summary>(.*?)</summary>", said), ["7 lines alike"])
        self.assertEqual(source_diff.counts(self.BEFORE, after), (2, 1))

    def test_an_indent_is_no_word(self) -> None:
        said = source_diff.side_by_side("call(first,\n     last);\n", "call(first,\n     second, last);\n")
        self.assertIn("<span>     <b>second, </b>last);\n</span>", said)
        self.assertIn("<span>  <b>more </b>call(first);\n</span>",
                      source_diff.side_by_side("call(first);\n", "  more call(first);\n"))

    def test_lines_that_are_not_alike_are_not_marked(self) -> None:
        said = source_diff.side_by_side("for (int i = 0; i < n; ++i) {\n", "if (thread < count) ++inside;\n")
        self.assertNotIn("<b>", said)

    def test_syntax(self) -> None:
        said = source_diff.side_by_side("", '#include <x>  // a "b"\nchar c = \'"\'; /* int\n*/ f("// <");\n')
        self.assertIn('<i class=k>#include</i> &lt;x&gt;  <i class=c>// a "b"</i>\n', said)
        self.assertIn("<i class=k>char</i> c = <i class=s>'\"'</i>; <i class=c>/* int</i>\n", said)
        self.assertIn('<i class=c>*/</i> f(<i class=s>"// &lt;"</i>);\n', said)


class CountedTest(PlotsTest):
    def chapter(self, records: list[list[object]]) -> optimisations.Chapter:
        path = self.folder / "nbody.csv"
        write_table(path, measurements.COUNTER_COLUMNS, records)
        return optimisations.Chapter("nbody", [], [], measurements.read_counters(path), [], path, path)

    def telling(self, records: list[list[object]], before: str, stage: str) -> tuple[str, ...]:
        return optimisations.counted_change(self.chapter(records), before, stage, "body").telling

    def test_of_the_inner_loop(self) -> None:
        records = counter_records()
        # Four loads become one: sectors follow, and are not told.
        self.assertEqual(self.telling(records, "01_float3", "02_float4"), ("4 → 1 global load requests a body",))
        self.assertEqual(self.telling(records, "02_float4", "03_shared_tiles"),
                         ("1 → 0 global load requests a body", "0 → 1 shared load requests a body", "0 → 256 barriers"))
        self.assertIn("nothing", self.telling(records, "04_soa_accelerations", "05_rsqrt")[0])

    def test_another_loop_is_not_compared(self) -> None:
        records = [[*one[:4], 100] if one[0] == "02_float4" and one[3] == "loop.iterations" else one
                   for one in counter_records()]
        self.assertEqual(self.telling(records, "01_float3", "02_float4"), ("131 136 → 32 832 global load requests",))

    def test_launches_are_told_first(self) -> None:
        records = [[*one[:4], 100] if one[0] == "02_float4" and one[3] == "launches" else one
                   for one in counter_records()]
        self.assertEqual(self.telling(records, "01_float3", "02_float4"),
                         ("1 → 100 launches", "4 → 1 global load requests a body"))

    def test_what_cannot_be_compared(self) -> None:
        records = counter_records()
        self.assertEqual(self.telling(records, "00_cpu", "01_float3"), ("00_cpu has no kernels to count",))
        self.assertEqual(self.telling(records, "05_rsqrt", "07_new"), ("not counted",))
        other = [[one[0], "--n 9", *one[2:]] if one[0] == "02_float4" else one for one in records]
        self.assertEqual(self.telling(other, "01_float3", "02_float4"), ("counted in different runs",))

    def test_copies_are_told_where_they_are_much_of_all(self) -> None:
        def copied(stage: str, way: str, size: int) -> list[object]:
            return [stage, "--n 1024", "", f"{way}.bytes", size]

        records = [one for one in counter_records() if one[2]]
        records += [copied("01_float3", "host_to_device", 80_000), copied("01_float3", "device_to_host", 80_000),
                    copied("02_float4", "device_to_host", 80_012)]
        told = optimisations.counted_change(self.chapter(records), "01_float3", "02_float4", "body")
        self.assertEqual(told.telling, ("4 → 1 global load requests a body", "80 000 → 0 bytes copied to the device"))
        self.assertIn("80 000 → 0 bytes copied to the device", told.everything)
        # Where it is the only change it is all that is told.
        self.assertEqual(self.telling([*records, copied("04_soa_accelerations", "host_to_device", 16),
                                       copied("05_rsqrt", "host_to_device", 32)], "04_soa_accelerations", "05_rsqrt"),
                         ("16 → 32 bytes copied to the device",))

    def test_other_kernels_are_compared_in_all(self) -> None:
        records = [[*one[:2], "split_kernel", *one[3:]] if one[0] == "02_float4" and one[2] else one
                   for one in counter_records()]
        counted = optimisations.counted_change(self.chapter(records), "01_float3", "02_float4", "body")
        self.assertEqual(counted.telling, ("all kernels together: 4 → 1 global load requests a body",))
        self.assertEqual(counted.everything, ("compute_accelerations_kernel: only in 01_float3",
                                              "split_kernel: only in 02_float4"))
        # Two kernels have no loop in common.
        records.append(["02_float4", "--n 1024", "more_kernel", "global_load.requests", 168])
        self.assertEqual(self.telling(records, "01_float3", "02_float4"),
                         ("all kernels together: 131 136 → 33 000 global load requests",))


class SpeedUpTest(unittest.TestCase):
    def test_numbers_of_other_runs_say_so_and_stand_beside_ours(self) -> None:
        rows = [measurements.Row("2026-01-01", "1", "quicksort", stage, "gpu", GPU, 100, {"memory": memory}, "uniform",
                                 1, 1.0, ms)
                for stage, memory, ms in (("10_big", "pinned", 8.0), ("11_big_streams", "pinned", 4.0),
                                          ("10_big", "pageable", 9.0), ("11_big_streams", "pageable", 3.0))]
        published = [measurements.Published("1", "quicksort", "speedup_over_previous", "11_big_streams", 100, value,
                                            "1.1", note)
                     for value, note in ((1.5, "memory = pageable"), (2.5, ""))]
        path = Path("x")
        chapter = optimisations.Chapter("quicksort", [], rows[:2], [], published, path, path, rows)
        said = [[speed_ups.speed_up_words(one, "10_big").replace(speed_ups.NO_BREAK, " ") for one in ratios]
                for ratios in optimisations.speed_ups(chapter, "10_big", "11_big_streams")]
        self.assertEqual(said, [["×1.50 at 100, memory = pageable", "×2.50 at 100"],
                                ["×2.00 at 100", "×3.00 at 100, memory = pageable"]])


class SeedTest(unittest.TestCase):
    def speed_up(self, chapter: str, before: str, stage: str) -> speed_ups.SpeedUp | None:
        own = [one for one in stages() if one["chapter"] == chapter]
        return speed_ups.seed_speed_up(chapter, tables.rules_of(chapter), own, before, stage)

    def said(self, chapter: str, before: str, stage: str, over: str = "") -> str:
        found = self.speed_up(chapter, before, stage)
        assert found is not None
        return speed_ups.speed_up_words(found, over or before).replace(speed_ups.NO_BREAK, " ")

    def test_a_seeds_times_give_the_speed_up_that_it_prints(self) -> None:
        found = self.speed_up("mergesort", mergesort.THREAD_MERGE, mergesort.MERGE_PATH)
        assert found is not None
        printed = next(cell.value for cell in mergesort.cells_of(11)
                       if (cell.input, cell.n) == ("uniform", found.n))
        self.assertAlmostEqual(found.value / printed, 1, places=4)
        self.assertEqual((found.n, found.path, found.card, found.remark),
                         (2**27, mergesort.SEED_FILE, mergesort.SEED_KEY, "beyond its reach"))
        self.assertIn(f"({mergesort.SEED_KEY}, beyond its reach)", self.said("mergesort", mergesort.THREAD_MERGE, mergesort.MERGE_PATH))
        # Its thread's merge is slower than its CPU, and within reach.
        self.assertEqual(self.said("mergesort", mergesort.MULTISORT_CPU, mergesort.THREAD_MERGE),
                         f"×0.86 at 134 217 728 ({mergesort.SEED_KEY})")
        found = self.speed_up("mergesort", mergesort.MULTISORT_CPU, mergesort.THREAD_MERGE)
        assert found is not None
        self.assertEqual(found.where, "sections 3.2.2 and 3.3.3: 07_multisort_cpu 18299 ms, 08_multisort_thread_merge 21198 ms")
        self.assertIsNone(self.speed_up("mergesort", mergesort.FIRST, mergesort.SHARED))
        self.assertIsNone(self.speed_up("nbody", "01_float3", "02_float4"))

    def test_bounds_and_times_of_wrong_results_say_so(self) -> None:
        """Seed 002: 95 s, 62 s with its race, under 60 s, 43.383 s."""
        first, wrong, right, best = (one["name"] for one in stages() if one["chapter"] == "storms" and "1" <= one["name"][1] <= "4")
        self.assertEqual(self.said("storms", first, wrong), "×1.53 (seed 002, 2018, with its race)")
        self.assertEqual(self.said("storms", first, right, over=wrong), f"more than ×1.58 over {first} (seed 002, 2018)")
        self.assertEqual(self.said("storms", right, best), "less than ×1.38 (seed 002, 2018)")
        found = self.speed_up("storms", first, right)
        assert found is not None
        self.assertEqual((found.n, found.where), (None, f"version 1 and version 3: {first} 95 s, {right} under 60 s"))
        self.assertIsNone(self.speed_up("storms", right, right))  # of two bounds
        self.assertIsNone(self.speed_up("storms", best, "05_particles_in_shared"))

    def test_whole_runs_beside_kernels_say_so(self) -> None:
        """Seed 004's table I is of whole runs, ours are of the kernels; its table II compares kernels with a CPU."""
        serial, first, second, third = (one["name"] for one in stages() if one["chapter"] == "distmesh" and one["name"] < "04")
        key = distmesh.SEED_KEY
        self.assertEqual(self.said("distmesh", serial, first), f"×1.60 at 20 109 ({key}, whole runs)")
        self.assertEqual(self.said("distmesh", first, second), f"×3.92 at 20 109 ({key}, whole runs)")
        self.assertIsNone(self.speed_up("distmesh", second, third))
        rules = tables.rules_of("distmesh")
        found = speed_ups.seed_over_serial("distmesh", rules, second)
        assert found is not None
        self.assertEqual((found.value, found.over, found.n, found.path, found.card),
                         (53.38, serial, 31_409, distmesh.SEED_FILE, key))
        by_runs = speed_ups.seed_over_serial("distmesh", dataclasses.replace(rules, kernel_timed=()), second)
        assert by_runs is not None
        self.assertEqual((by_runs.value, by_runs.n), (6.28, 20_109))
        for chapter, stage in (("distmesh", first), ("mergesort", mergesort.MERGE_PATH), ("storms", "04_max_reduction"),
                               ("nbody", "02_float4")):
            self.assertIsNone(speed_ups.seed_over_serial(chapter, tables.rules_of(chapter), stage))
        chapter = optimisations.read_chapter("distmesh", stages(), figures.device_folder(PLOTS / "data", None),
                                             PLOTS / "data" / "counters", [])
        printed, here = optimisations.speed_ups(chapter, first, second)
        self.assertEqual([(one.over, one.n) for one in printed], [(first, 20_109), (serial, 31_409)])
        self.assertEqual([(one.over, one.n) for one in here], [(first, 31_409), (first, 20_109), (serial, 31_409)])
        self.assertTrue(all(one.where.startswith("kernels, medians") for one in here))

    def test_what_times_are_compared_with(self) -> None:
        own = [{"name": "00", "compared_with": ""}, {"name": "01", "compared_with": "00"},
               {"name": "02", "compared_with": "01", "race_on_purpose": True},
               {"name": "03", "compared_with": "02", "race_on_purpose": True}, {"name": "04", "compared_with": "03"}]
        self.assertEqual([speed_ups.timed_before(one["name"], own) for one in own], ["", "00", "01", "01", "01"])


class RaceTest(PlotsTest):
    def test_a_stage_after_one_without_times_is_compared_with_the_last_that_has_any(self) -> None:
        write_table(self.folder / "storms.csv", measurements.ROW_COLUMNS, storms_rows("gpu"))
        chapter = optimisations.read_chapter("storms", stages(), self.folder, PLOTS / "data" / "counters", [])
        readme = page.readme_of(ROOT / "chapters", "storms")
        found = optimisations.optimisations(chapter, readme)
        rows = {row[0].partition("over ")[0]: [cell.replace(speed_ups.NO_BREAK, " ") for cell in row[1:]]
                for row in Reader(page.then_and_now([(chapter, readme.title, found)], set())).rows[2:-1]}
        self.assertEqual(list(rows), [one["name"] for one in stages() if one["chapter"] == "storms" and one["compared_with"]])
        over = "×2.00 over 01_update_kernel at"
        for stage, then, now, counted, what in (
                ("02_relax_with_race", "×1.53 (seed 002, 2018, with its race)", "no times: wrong on purpose", "barriers", "copies it, waits"),
                ("03_copy_kernel", "more than ×1.58 over 01_update_kernel (seed 002, 2018)",
                 f"{over} 30 k, dense\n{over} 1 M, long\n{over} 100 M, sparse", "→", "The copy is a kernel of its own."),
                ("04_max_reduction", "less than ×1.38 (seed 002, 2018)", "×2.00 at 30 k, dense\n×2.00 at 1 M, long\n×2.00 at 100 M, sparse",
                 "160 000 → 80 024 bytes copied from the device", "The host got a whole layer"),
                ("05_particles_in_shared", "–", "×2.00 at 30 k, dense\n×2.00 at 1 M, long\n×2.00 at 100 M, sparse", "16 → 2 launches",
                 "Each launch of 04 reads the whole layer")):
            with self.subTest(stage):
                self.assertEqual(rows[stage][:2], [then, now])
                self.assertIn(counted, rows[stage][2])
                self.assertIn(what, rows[stage][3])


class RecordedPageTest(unittest.TestCase):
    """What is in the repository, as the page shows it."""

    def then_and_now(self) -> dict[str, list[str]]:
        """Of each stage its row. A stage's name may be that of another chapter's: 01 to 99 are not unique."""
        text = recorded_page()
        table = Reader(text[text.index('<table class="then"'):text.index("</table>")] + "</table>")
        rows, chapter = {}, -1
        names = [name for name in measurements.chapters_of(stages())
                 if any(stage["compared_with"] for stage in stages() if stage["chapter"] == name)]
        for row in table.rows[1:]:
            if len(row) == 5:
                rows[f"{names[chapter]}/{row[0].partition('over ')[0]}"] = row
            elif not row[0].startswith("From "):
                chapter += 1
        return rows

    def test_numbers_are_those_of_the_readmes_tables(self) -> None:
        rows = self.then_and_now()
        folder = figures.device_folder(PLOTS / "data", None)
        published = measurements.read_published(drawing.PUBLISHED)
        compared = 0
        for chapter in measurements.chapters_of(stages()):
            own = [stage for stage in stages() if stage["chapter"] == chapter]
            if not (folder / f"{chapter}.csv").exists():
                continue
            rules = tables.rules_of(chapter)
            every = measurements.read_rows(folder / f"{chapter}.csv")
            recorded = tables.comparable(rules, every)
            lines = tables.stages_table(own, recorded, [one for one in published if one.chapter == chapter], rules, every)
            for stage, line in zip(own, lines[2:]):
                if not stage["compared_with"]:
                    continue
                _, _, thesis, here, _ = markdown.cells_of(line)
                row = [cell.replace(speed_ups.NO_BREAK, " ").split("\n") for cell in rows[stage["stage"]]]
                with self.subTest(stage["stage"]):
                    if thesis:  # a line a run that is compared
                        # The card, which the README has above its column.
                        card = markdown.cells_of(lines[0])[2]
                        place = r" at [\d .]+[kMG]?(?! \d)"  # of the thesis' speed-ups it has none
                        lines_of_it = [re.sub(place, "", line.replace(f" ({card})", "").replace(f"({card}, ", "("))
                                       for line in row[1]]
                        self.assertEqual("<br>".join(lines_of_it[:thesis.count("<br>") + 1]), re.sub(place, "", thesis))
                        compared += 1
                    if here:
                        self.assertEqual("<br>".join(row[2][:here.count("<br>") + 1]), here)
                        compared += 1
                    else:
                        self.assertNotRegex(row[2][0], "^×[^ ]* at")
        self.assertGreater(compared, 20)

    def test_numbers_beside_those_published(self) -> None:
        rows = self.then_and_now()
        thesis, here = (cell.replace(speed_ups.NO_BREAK, " ").split("\n")
                        for cell in rows["nbody/06_flush_denormals"][1:3])
        self.assertEqual(thesis, ["×1.23 at 3.2 M", "×365 over 00_cpu at 160 k", "×723 over 00_cpu at 320 k"])
        recorded = measurements.read_rows(figures.device_folder(PLOTS / "data", None) / "nbody.csv")
        recorded = tables.comparable(tables.rules_of("nbody"), recorded)
        for n, said in ((160_000, here[1]), (320_000, here[2])):
            found = tables.speed_up(recorded, "00_cpu", "06_flush_denormals", n)
            assert found is not None
            self.assertEqual(said, f"{speed_ups.ratio(found[0])} over 00_cpu at {drawing.short_count(n)}")

    def test_every_stage_that_is_compared_has_its_row_and_its_difference(self) -> None:
        compared = [stage for stage in stages() if stage["compared_with"]]
        self.assertEqual(list(self.then_and_now()), [stage["stage"] for stage in compared])
        ids = [one.get("id") for _, one in recorded_reader().tags]
        for stage in compared:
            self.assertIn(f"{stage['chapter']}-{stage['name']}", ids)

    def test_texts_are_the_readmes(self) -> None:
        text = recorded_page()
        for chapter in measurements.chapters_of(stages()):
            path = ROOT / "chapters" / chapter / "README.md"
            if not path.exists():
                continue
            readme = markdown.read_document(path)
            self.assertIn(f"<h2>{markdown.inline(readme.title)}</h2>", text)
            self.assertIn(markdown.blocks(readme.problem(), readme.title), text)
            self.assertGreater(len(markdown.plain(readme.problem())), 200)
        said = markdown.read_document(ROOT / "chapters" / "nbody" / "README.md").pairs()[("04", "05")]
        self.assertIn(f"<p>{markdown.inline(said)}</p>", text)

    def test_the_flags_of_a_stage_are_told(self) -> None:
        text = recorded_page()
        begin = text.index('<div id="nbody-06_flush_denormals">')
        self.assertIn("flags of nvcc:\n+-ftz=true", text[begin:text.index("<div class=", begin)])

    def test_the_counters_page_is_in_it(self) -> None:
        document = markdown.read_document(page.COUNTERS_PAGE)
        text = recorded_page()
        for title, section in document.sections.items():
            self.assertIn(markdown.blocks(section, title or "Counters compared, in short"), text)
        programs = [line for line in document.sections["Stages"].splitlines() if line.startswith("| ")]
        self.assertGreater(len(programs), 20)

    def test_sources_of_numbers_are_files_of_the_repository(self) -> None:
        said = re.findall(r"From (<code>.*?)\.</", recorded_page())
        self.assertGreater(len(said), 3)
        for line in said:
            for name in re.findall("<code>(.*?)</code>", line):
                self.assertTrue((ROOT / name).is_file(), name)
        for title in re.findall('title="([^"]*; [^"]*)"', recorded_page()):
            self.assertTrue((ROOT / title.rpartition("; ")[2]).is_file(), title)

    def test_it_is_one_file_and_nothing_runs_in_it(self) -> None:
        reader = recorded_reader()
        tags = {tag for tag, _ in reader.tags}
        self.assertFalse(tags & {"script", "link", "iframe", "object", "embed", "base"})
        ids = [one["id"] for _, one in reader.tags if "id" in one]
        self.assertEqual(len(ids), len(set(ids)))
        for _, attributes in reader.tags:
            self.assertFalse([name for name in attributes if name.startswith("on")])
            self.assertRegex(attributes.get("href") or "#", "^#")
            self.assertIn((attributes.get("href") or "#")[1:], [*ids, ""])
        self.assertNotRegex(page.STYLE.read_text(encoding="utf-8"), r"@import|url\(")

    def test_who_does_not_see_it_can_find_the_way(self) -> None:
        reader = recorded_reader()
        self.assertEqual(reader.headings[0], 1)
        self.assertEqual(reader.headings.count(1), 1)
        for before, after in zip(reader.headings, reader.headings[1:]):
            self.assertLessEqual(after, before + 1)
        for one in reader.all("th"):
            self.assertIn(one.get("scope"), ("col", "row", "rowgroup"))
        for tag, attributes in reader.tags:
            if attributes.get("tabindex"):
                self.assertEqual(attributes.get("role"), "region", tag)
                self.assertTrue(attributes.get("aria-label"), tag)

    def test_a_chapter_that_is_not_recorded_yet(self) -> None:
        chapter = optimisations.read_chapter("alchemy", [
            {"chapter": "alchemy", "name": "00_cpu", "compared_with": "", "technique": "", "counter_unit": "x"},
            {"chapter": "alchemy", "name": "01_lead", "compared_with": "00_cpu", "technique": "lead, then gold",
             "counter_unit": "x"}], None, PLOTS / "data" / "counters", [])
        readme = page.readme_of(ROOT / "chapters", "alchemy")
        found = optimisations.optimisations(chapter, readme)
        said = Reader(page.then_and_now([(chapter, readme.title, found)], set()))
        self.assertEqual(said.rows[-1][1:], ["–", "not recorded yet", "not counted", "lead, then gold"])

    def test_a_published_number_of_no_stage_is_an_error(self) -> None:
        one = measurements.Published("1", "nbody", "speedup_over_previous", "09_gone", 1, 2.0, "1.1")
        row = measurements.Row("2026-01-01", "1", "nbody", "01_float3", "gpu", GPU, 1, {}, "", 1, 1.0, 1.0)
        path = Path("x")
        optimisations.check_stage_names(optimisations.Chapter("nbody", [], [], [], [one], path, path))
        with self.assertRaises(measurements.DataError):
            optimisations.check_stage_names(optimisations.Chapter("nbody", [], [row], [], [one], path, path))


class FigureTest(PlotsTest):
    def test_numbers_are_not_torn_apart(self) -> None:
        for text, wanted in (
                ("135 168 bodies, 84 % busy", "135\u00a0168 bodies, 84\u00a0% busy"),
                ("×1.13 at 320 M, k = 16", "×1.13 at 320\u00a0M, k\u00a0=\u00a016"),
                ("263 µs, 1.92 s, 60 MB", "263\u00a0µs, 1.92\u00a0s, 60\u00a0MB"),
                ("2 stages at 2048 keys, 2024 2016", "2 stages at 2048 keys, 2024 2016"),
                ("2^25 keys < 5", "2<sup>25</sup> keys &lt; 5")):
            self.assertEqual(page.prose(text), wanted)

    def test_a_caption(self) -> None:
        image = self.folder / "a.svg"
        image.write_text("<svg/>", encoding="utf-8")
        entry = page.Entry("a", "nbody", 'A "title"', image, "what < is", (("Data", "here & now"),),
                           (drawing.PUBLISHED,))
        said = page.figure_html(entry)
        reader = Reader(said)
        self.assertEqual(reader.all("img")[0]["alt"], "what < is")
        self.assertIn("<dt>Data</dt><dd>here &amp; now</dd>", said)
        self.assertIn("From <code>plots/published/thesis.csv</code>.", said)

    def test_what_a_figure_was_read_from(self) -> None:
        write_table(self.folder / "nbody.csv", measurements.ROW_COLUMNS, nbody_rows("gpu", (1000, 2000)))
        source = drawing.Source("recorded", self.folder, self.folder,
                                measurements.read_published(drawing.PUBLISHED))
        rows = source.rows("nbody")
        source.published("6.6", "speedup_over_previous")
        self.assertEqual(list(source.read), [self.folder / "nbody.csv", drawing.PUBLISHED])
        self.assertEqual(list(source.afresh().read), [])
        said = drawing.provenance([row for row in rows if row.engine == "gpu"], "gpu", "recorded")
        self.assertEqual(said, f"{GPU}, recorded 2026-02-03. n from 1 k to 2 k, 3 runs each: medians and quartiles.")
        self.assertIn("n = 1 k, 1 to 3 runs each", drawing.provenance(
            [row for row in rows if row.n == 1000], "gpu", "recorded"))
        single = drawing.provenance(rows[:1], rows[0].engine, "recorded")
        self.assertTrue(single.endswith("n = 1 k, 1 run each."), single)


def luminance(colour: str) -> float:
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class ContrastTest(unittest.TestCase):
    def test_all_text_on_all_backgrounds(self) -> None:
        style = page.STYLE.read_text(encoding="utf-8")
        schemes = [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", part))
                   for part in re.findall(r":root \{(.*?)\}", style, re.DOTALL)]
        self.assertEqual(len(schemes), 2)
        self.assertEqual(schemes[0].keys(), schemes[1].keys())
        for scheme in schemes:
            for front in ("text", "quiet", "link", "comment", "keyword", "string"):
                behind = ("back", "panel") + (() if front in ("quiet", "link") else ("del", "del-mark", "ins", "ins-mark"))
                for back in behind:
                    low, high = sorted((luminance(scheme[front]), luminance(scheme[back])))
                    self.assertGreaterEqual((high + 0.05) / (low + 0.05), 4.5, f"{front} on {back}: {scheme[front]}")


if __name__ == "__main__":
    unittest.main()
