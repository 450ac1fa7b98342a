# SPDX-License-Identifier: MIT
"""Stages by their short names: a wrong name is an error that says where it stands and which is
nearest."""

import unittest

from plots.records.published import (
    PRINTED_TIME_COLUMNS,
    PUBLISHED_COLUMNS,
    Published,
    read_printed_times,
    read_published,
)
from plots.records.stages import Stages
from common.tools.lib.stages import label_of, words_of
from tests.plots.fixtures import PlotsTest, stage, stages


class StagesTest(PlotsTest):
    def setUp(self) -> None:
        super().setUp()
        racing = stage("02_copper", "01_iron", race_on_purpose=True)
        self.stages = Stages(
            "alchemy",
            [
                stage("00_cpu"),
                stage("01_iron", "00_cpu"),
                racing,
                stage("03_silver", "02_copper"),
                stage("04_gold", "03_silver"),
            ],
            "plots/alchemy/figures.py",
        )

    def test_names(self) -> None:
        for name, label, words in (
            ("03_silver", "03", "silver"),
            ("limit/12_two_pipes", "limit/12", "two_pipes"),
            ("peers/cub_sort", "peers/cub_sort", "cub_sort"),
            ("many_gpus", "many_gpus", "many_gpus"),
        ):
            self.assertEqual((label_of(name), words_of(name)), (label, words))
        self.assertEqual(self.stages.serial, "00_cpu")
        self.assertEqual(self.stages.kernels, ("01_iron", "03_silver", "04_gold"))
        self.assertEqual(self.stages.named("gold"), "04_gold")
        self.assertEqual(self.stages.between("iron", "silver"), ("01_iron", "03_silver"))

    def test_chosen_stages(self) -> None:
        for words, found in (
            ("serial", ("00_cpu",)),
            ("kernels", ("01_iron", "03_silver", "04_gold")),
            (["gold"], ("04_gold",)),
            (["cpu", "silver..gold"], ("00_cpu", "03_silver", "04_gold")),
        ):
            self.assertEqual(self.stages.chosen(words), found)

    def test_stages_that_are_not_recorded_yet(self) -> None:
        """A sweep may name them. Nothing else knows them."""
        waiting = [
            stage("05_lead", "04_gold", not_recorded=True),
            stage("06_tin", "05_lead", not_recorded=True),
        ]
        both = Stages("alchemy", [*self.stages, *waiting], "plots/alchemy/figures.py")
        self.assertEqual(both.names, self.stages.names)
        self.assertEqual(both.kernels, self.stages.kernels)
        for words, found, left_out in (
            (["gold", "lead"], ("04_gold",), ("05_lead",)),
            (["iron..tin"], ("01_iron", "03_silver", "04_gold"), ("05_lead", "06_tin")),
            (["tin"], (), ("06_tin",)),
            (["iron..gold"], ("01_iron", "03_silver", "04_gold"), ()),
            ("kernels", self.stages.kernels, ()),
        ):
            self.assertEqual((both.chosen(words), both.left_out(words)), (found, left_out))
        # On request, a sweep has them, too. Stages for many GPUs have sweeps of their own.
        many = stage("07_all", "06_tin", not_recorded=True, libraries=("nccl",))
        both = Stages("alchemy", [*self.stages, *waiting, many], "plots/alchemy/figures.py")
        for words, found in (
            (["gold..tin"], ("04_gold", "05_lead", "06_tin")),
            ("kernels", (*self.stages.kernels, "05_lead", "06_tin")),
            ("serial", ("00_cpu",)),
        ):
            self.assertEqual(both.chosen(words, marked=True), found)
        with self.refuses("'lead' is no stage of alchemy"):
            both.named("lead")
        with self.refuses("'lead' is no stage of alchemy"):
            both.between("gold", "lead")
        with self.refuses("'leed' is no stage of alchemy; did you mean 'lead'?"):
            both.chosen(["leed"])
        with self.refuses("'tin' comes after 'lead'"):
            both.chosen(["tin..lead"])
        with self.refuses("there are no stages of a chapter 'alchemy' in the build"):
            Stages("alchemy", waiting, "plots/alchemy/figures.py")

    def test_wrong_names_are_told_with_the_nearest_right_one(self) -> None:
        with self.refuses(
            "plots/alchemy/figures.py: 'silvre' is no stage of alchemy; did you mean 'silver'?"
        ):
            self.stages.named("silvre")
        with self.refuses("sweep.toml: 'lead' is no stage of alchemy; did you mean"):
            self.stages.chosen(["lead..gold"], "sweep.toml")
        with self.refuses("stages = 'all'; choose one of serial, kernels"):
            self.stages.chosen("all")
        with self.refuses("'gold' comes after 'iron'"):
            self.stages.between("gold", "iron")
        with self.refuses("there are no stages of a chapter 'alchemy' in the build"):
            Stages("alchemy", [], "plots/alchemy/figures.py")

    def test_what_times_are_compared_with(self) -> None:
        """A race on purpose has no times."""
        before = [self.stages.timed_before(name) for name in self.stages.names]
        self.assertEqual(before, ["", "00_cpu", "01_iron", "01_iron", "03_silver"])


class PublishedTest(PlotsTest):
    def test_stages_of_published_numbers(self) -> None:
        good = ["1", "alchemy", "time", "iron", 10, 2.5, "s", "3.1", "k = 4; its sentence"]

        def found(*records: list[object]) -> list[Published]:
            path = self.write("thesis.csv", PUBLISHED_COLUMNS, records)
            return read_published(
                path, lambda chapter, _: stages("00_cpu", "01_iron", chapter=chapter)
            )

        one = found(good)[0]
        self.assertEqual(
            (one.stage, one.n, one.value, one.parameters), ("01_iron", 10, 2.5, {"k": "4"})
        )
        with self.refuses(r"thesis\.csv:3: 'ion' is no stage of alchemy; did you mean 'iron'?"):
            found(good, [*good[:3], "ion", *good[4:]])

    def test_notes_that_are_parameters(self) -> None:
        for note, parameters in (
            ("k = 4", {"k": "4"}),
            ("k = 8; at most", {"k": "8"}),
            ("about k = 4", {}),
            ("size-i = 2, memory = pinned; or so", {"size-i": "2", "memory": "pinned"}),
        ):
            one = Published("1", "alchemy", "time", "01_iron", 1, 1.0, "1.1", note)
            self.assertEqual(one.parameters, parameters)

    def test_a_bound_is_none_or_under(self) -> None:
        own = stages("00_cpu", "01_first", "02_second")
        good = ["time", "first", 95, "seconds", "", "version 1"]
        bad = ["time", "second", 60, "seconds", "under", "version 2"]
        path = self.write("printed.csv", PRINTED_TIME_COLUMNS, [good, bad])
        found = [(one.stage, one.value, one.bound, one.n) for one in read_printed_times(path, own)]
        self.assertEqual(found, [("01_first", 95, "", 0), ("02_second", 60, "under", 0)])
        bad[4] = "over"
        path = self.write("printed.csv", PRINTED_TIME_COLUMNS, [good, bad])
        with self.refuses(r"printed\.csv:3: bound is 'over'"):
            read_printed_times(path, own)


if __name__ == "__main__":
    unittest.main()
