# SPDX-License-Identifier: MIT
"""Machine code times the CPU engine's executions, without nvcc and without a GPU: the listing of
basics/01_thread_per_line is kept beside this file (nvdisasm 13.0, sm_90), with what the engine
counted for --n 1000."""

import unittest
from pathlib import Path

from common.tools.lib.counting import Kernel, read_kernel
from common.tools.lib.files import parse_json, read_text
from plots.records.proof_rows import INSTRUCTIONS, Row, read_rows
from common.tools.lib.stages import ROOT
from common.tools.machine_code.blocks import split
from common.tools.machine_code.compiled import functions_of
from common.tools.machine_code.conditions import Conditions
from common.tools.machine_code.counts import count_instructions
from common.tools.machine_code.executions import solve
from common.tools.machine_code.listing import Function, read_listing
from common.tools.machine_code.loops import copies, dominators, find_loops

FOLDER = Path(__file__).resolve().parent
RECORDED = ROOT / "plots" / "data" / "nvidia-h200" / "instructions.csv"


def listed(code: str, name: str = "_Z4testv") -> list[Function]:
    """The functions of a kernel whose instructions are written one per line, without addresses."""
    lines = [f"\t.section\t.text.{name},", f"{name}:"]
    address = 0
    for text in code.strip().splitlines():
        text = text.strip()
        if text.endswith(":"):
            lines += [f"\t.type\t{text[:-1]},@function"] if text.startswith("$") else []
            lines.append(text)
        elif text.startswith("line "):
            lines.append(f'\t//## File "test.cu", {text}')
        else:
            lines.append(f"        /*{address:04x}*/                   {text} ;")
            address += 16
    return read_listing(lines)[name]


def kernel(threads: int, *lines: tuple[int, str, str, int, int]) -> Kernel:
    """What the engine counted: a line, its operation, its space, bytes of a lane, and lanes."""
    records = [
        {
            "file": "test.cu",
            "line": number,
            "operation": operation,
            "space": space,
            "bytes": size,
            "requests": lanes // 32,
            "lanes": lanes,
            "instructions": 1,
        }
        for number, operation, space, size, lanes in lines
    ]
    return Kernel("test", {"threads": threads, "warps": threads // 32}, records)


LOOP = """
    line 1
    S2R R0, SR_TID.X
    line 2
    .L_x_0:
    LDG.E R1, desc[UR4][R2.64]
    LDG.E R2, desc[UR4][R2.64+0x4]
    line 3
    FFMA R4, R1, R1, R4
    FFMA R4, R2, R2, R4
    ISETP.NE.AND P0, PT, R0, RZ, PT
    @P0 BRA `(.L_x_0)
    line 4
    STG.E desc[UR4][R2.64], R4
    EXIT
"""


class ListingTest(unittest.TestCase):
    def test_an_inlined_call_has_the_lines_of_its_callers(self) -> None:
        text = """
\t.section\t.text._Z1av,"ax",@progbits
_Z1av:
\t//## File "/x/intrinsics.hpp", line 811 inlined at "/y/own.cuh", line 5
\t//## File "/y/own.cuh", line 5 inlined at "/z/main.cu", line 9
\t//## File "/z/main.cu", line 9
        /*0000*/              @!P0 LDG.E.64 R2, desc[UR4][R2.64] ;
\t//## File "/z/main.cu", line 10
        /*0010*/                   EXIT ;
"""
        ((function,),) = read_listing(text.splitlines()).values()
        load, end = function.instructions
        places = (("intrinsics.hpp", 811), ("own.cuh", 5), ("main.cu", 9))
        self.assertEqual(load.places, places)
        self.assertEqual((load.opcode, load.name, load.is_guarded), ("LDG.E.64", "LDG", True))
        self.assertEqual((end.places, end.is_guarded), ((("main.cu", 10),), False))

    def test_code_that_is_compiled_separately(self) -> None:
        text = """
\t.section\t.text.__nv_static_34__1a90a721_12_quicksort_cu_eb8ff5c0__ZN1a11sort_kernelEPii,"ax"
__nv_static_34__1a90a721_12_quicksort_cu_eb8ff5c0__ZN1a11sort_kernelEPii:
        /*0000*/                   CALL.ABS.NOINC `(_Z4halff) ;
        /*0010*/                   EXIT ;
\t.section\t.text._Z4halff,"ax"
_Z4halff:
        /*0000*/                   CALL.ABS.NOINC `(_Z7quarterf) ;
        /*0010*/                   RET.ABS.NODEC R20 ;
\t.section\t.text._Z7quarterf,"ax"
_Z7quarterf:
        /*0000*/                   FMUL R4, R4, 0.25 ;
        /*0010*/                   RET.ABS.NODEC R20 ;
"""
        code = functions_of([text])
        self.assertEqual(len(code["sort_kernel"]), 3)
        self.assertEqual([one.name for one in code["sort_kernel"][1:]], ["_Z4halff", "_Z7quarterf"])
        opcodes = [one.name for one in split(code["sort_kernel"])[-1].instructions]
        self.assertEqual(opcodes, ["FMUL", "RET"])

    def test_blocks_and_loops(self) -> None:
        blocks = split(listed(LOOP))
        self.assertEqual([len(one.instructions) for one in blocks], [1, 6, 2])
        self.assertEqual([one.successors for one in blocks], [[1], [1, 2], []])
        (loop,) = find_loops(blocks, dominators(blocks))
        self.assertEqual((loop.header, set(loop.blocks)), (1, {1}))

    def test_copies_of_a_body(self) -> None:
        body = "FFMA R1, R1, R1, R1\nMUFU.RSQ R1, R1\nline 2\nFADD R1, R1, R1\nline 1\n"
        code = listed("line 1\n" + 8 * body + "IADD3 R1, R1, R1, R1\n").pop().instructions
        self.assertEqual(copies(code, lambda one: one.places[0]), 8)
        code = listed("line 1\n" + 89 * body).pop().instructions
        self.assertEqual(copies(code, lambda one: one.places[0]), 89)
        code = listed("line 1\nFFMA R1, R1, R1, R1\nFADD R1, R1, R1\nEXIT").pop().instructions
        self.assertEqual(copies(code, lambda one: one.places[0]), 1)

    def test_slow_paths_do_not_run(self) -> None:
        blocks = split(
            listed(
                """
                line 1
                MUFU.RSQ R0, R1
                @!P0 BRA `(.L_x_1)
                CALL.REL.NOINC `($__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath)
                BRA `(.L_x_2)
                .L_x_1:
                FMUL R0, R1, R0
                .L_x_2:
                EXIT
                $__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath:
                FADD R0, R0, R0
                RET.REL.NODEC R2 `(_Z4testv)
                """
            )
        )
        opcodes = [one.name for block in blocks for one in block.instructions]
        self.assertEqual(opcodes, ["MUFU", "BRA", "FMUL", "EXIT"])


BRANCH = """
    line 1
    S2R R0, SR_TID.X
    @P0 BRA `(.L_x_1)
    line 2
    FADD R1, R1, R1
    .L_x_1:
    line 3
    EXIT
"""


class ExecutionsTest(unittest.TestCase):
    def warps(self, code: str, counted: Kernel) -> list[int]:
        return [round(one) for one in solve(listed(code), counted).warps]

    def test_an_unrolled_loop_runs_half_as_often(self) -> None:
        counted = kernel(64, (2, "load", "global", 4, 64 * 100), (4, "store", "global", 4, 64))
        self.assertEqual(self.warps(LOOP, counted), [2, 100, 2])

    def test_a_wider_load_stands_for_two(self) -> None:
        wide = LOOP.replace("LDG.E R1", "LDG.E.64 R1").replace(
            "LDG.E R2, desc[UR4][R2.64+0x4]", "NOP"
        )
        counted = kernel(64, (2, "load", "global", 4, 64 * 100), (4, "store", "global", 4, 64))
        self.assertEqual(self.warps(wide, counted), [2, 100, 2])

    def test_a_loop_without_accesses_has_its_basic_blocks(self) -> None:
        quiet = LOOP.replace("LDG.E R1, desc[UR4][R2.64]", "MUFU.RCP R1, R2").replace(
            "LDG.E R2, desc[UR4][R2.64+0x4]", "MUFU.RCP R2, R3"
        )
        counted = kernel(64, (2, "block", "", 0, 64 * 100), (4, "store", "global", 4, 64))
        self.assertEqual(self.warps(quiet, counted), [2, 100, 2])

    def test_an_access_in_a_neighbouring_line(self) -> None:
        # nvcc put the store of line 4 into line 6: it is no store that never ran.
        moved = LOOP.replace("line 4", "line 6")
        counted = kernel(
            64,
            (2, "load", "global", 4, 64 * 100),
            (4, "store", "global", 4, 64),
            (6, "block", "", 0, 64),
        )
        self.assertEqual(self.warps(moved, counted), [2, 100, 2])
        conditions = list(Conditions(split(listed(moved)), counted).access_conditions())
        self.assertEqual([one.amount for one in conditions], [4 * 64 * 100, 4 * 64])

    def test_atomic_operations_of_several_lines_are_one(self) -> None:
        # The last two were counted in line 3 and 4, and nvcc put both into line 4.
        code = """
            line 2
            RED.E.ADD.F32 desc[UR4][R2.64], R4
            line 4
            RED.E.ADD.F32 desc[UR4][R2.64+0x4], R4
            RED.E.ADD.F32 desc[UR4][R2.64+0x8], R4
            EXIT
        """
        lines = [(number, "atomic", "global", 4, 64) for number in (2, 3, 4)]
        (one,) = Conditions(split(listed(code)), kernel(64, *lines)).access_conditions()
        self.assertEqual((one.factors, one.amount, one.is_least), ({0: 3.0}, 192, True))

    def test_branches_of_an_unrolled_loop_that_are_not_taken(self) -> None:
        # Two copies of a body with a branch. The engine counted 100 rounds of the body, and none of
        # the branch, of which the line has instructions, too.
        body = """
            line 2
            ISETP.NE.AND P0, PT, R0, RZ, PT
            @P0 BRA `(.L_x_{0})
            line 3
            FADD R1, R1, R2
            line 2
            IADD3 R1, R1, R2, R3
            .L_x_{0}:
        """
        code = f"""
            line 1
            S2R R0, SR_TID.X
            .L_x_0:
            {body.format(1)}
            {body.format(2)}
            line 4
            @P1 BRA `(.L_x_0)
            EXIT
        """
        warps = self.warps(code, kernel(32, (2, "block", "", 0, 32 * 100)))
        self.assertEqual(warps, [1, 50, 0, 50, 0, 50, 1])

    def test_branches_that_are_taken(self) -> None:
        # Two copies of a branch in a loop of 50 rounds, which 60 of the 100 rounds of the source
        # take.
        code = """
            line 1
            S2R R0, SR_TID.X
            .L_x_0:
            line 2
            LDS R1, [R2]
            LDS R3, [R2+0x4]
            @P0 BRA `(.L_x_1)
            line 3
            FADD R1, R1, R2
            .L_x_1:
            line 2
            @P1 BRA `(.L_x_2)
            line 3
            FADD R3, R3, R2
            .L_x_2:
            line 4
            @P2 BRA `(.L_x_0)
            EXIT
        """
        counted = kernel(32, (2, "load", "shared", 4, 32 * 100), (3, "block", "", 0, 32 * 60))
        first, rounds, one, _, other, _, last = self.warps(code, counted)
        self.assertEqual((first, rounds, one + other, last), (1, 50, 60, 1))

    def test_accesses_tell_more_than_basic_blocks(self) -> None:
        # g++ ran the inner loop, lines 3 to 10, eight times per round; nvcc has one line of it
        # each.
        body = "".join(f"line {number}\nFADD R1, R1, R2\n" for number in range(3, 11))
        code = f"""
            line 1
            S2R R0, SR_TID.X
            .L_x_0:
            line 2
            LDS R1, [R2]
            {body}
            @P0 BRA `(.L_x_0)
            EXIT
        """
        inner = [(number, "block", "", 0, 32 * 72) for number in range(3, 11)]
        counted = kernel(32, (2, "load", "shared", 4, 32 * 9), *inner)
        self.assertEqual(self.warps(code, counted), [1, 9, 1])

    def test_warp_functions(self) -> None:
        code = """
            line 1
            .L_x_0:
            REDUX.SUM UR4, R2
            @P0 BRA `(.L_x_0)
            EXIT
        """
        self.assertEqual(self.warps(code, kernel(32, (1, "collective", "", 0, 32 * 9))), [9, 1])

    def test_lanes_that_return_early(self) -> None:
        code = """
            line 1
            S2R R0, SR_TID.X
            @P0 EXIT
            line 2
            LDG.E R1, desc[UR4][R2.64]
            line 3
            STG.E desc[UR4][R2.64], R4
            EXIT
        """
        counted = kernel(128, (2, "load", "global", 4, 32), (3, "store", "global", 4, 32))
        self.assertEqual(self.warps(code, counted), [4, 1])

    def test_a_branch_for_one_lane_of_each_warp(self) -> None:
        counted = kernel(128, (1, "block", "", 0, 128), (2, "block", "", 0, 4))
        counted.lines[-1]["requests"] = 4
        self.assertEqual(self.warps(BRANCH, counted), [4, 4, 4])

    def test_a_branch_has_at_most_all_warps_that_come_to_it(self) -> None:
        # The line has other code, too, which few lanes of a warp run together.
        counted = kernel(128, (1, "block", "", 0, 128), (2, "block", "", 0, 64))
        counted.lines[-1]["requests"] = 64
        self.assertEqual(self.warps(BRANCH, counted), [4, 4, 4])

    def test_a_branch_has_the_warps_of_what_its_lanes_come_to(self) -> None:
        # Two lanes of one warp take the branch. Most of line 1 is elsewhere, and the branch has
        # nothing else before its second block.
        code = """
            line 1
            S2R R0, SR_TID.X
            @P0 EXIT
            FADD R1, R1, R2
            @P1 BRA `(.L_x_0)
            FADD R1, R1, R3
            .L_x_0:
            line 2
            LDG.E R1, desc[UR4][R2.64]
            EXIT
        """
        counted = kernel(128, (1, "block", "", 0, 128), (2, "load", "global", 4, 2))
        counted.lines[-1]["requests"] = 1
        self.assertEqual(self.warps(code, counted), [4, 1, 0, 1])

    def test_an_unrolled_network_in_a_branch(self) -> None:
        # One warp runs the line 16 times, in 16 copies.
        network = 16 * "IMNMX R1, R2, R3, PT\n"
        code = f"""
            line 1
            S2R R0, SR_TID.X
            @P0 BRA `(.L_x_0)
            line 2
            {network}
            .L_x_0:
            line 3
            STG.E desc[UR4][R2.64], R4
            EXIT
        """
        counted = kernel(128, (2, "block", "", 0, 16 * 32), (3, "store", "global", 4, 128))
        self.assertEqual(self.warps(code, counted), [4, 1, 4])

    def test_guarded_copies_of_a_line(self) -> None:
        # Each of ten rounds loads from four places, if they exist: 40 loads of a lane.
        loads = 4 * "@P1 LDG.E R1, desc[UR4][R2.64]\nIADD3 R5, R5, R6, R7\n"
        code = f"""
            line 1
            S2R R0, SR_TID.X
            .L_x_0:
            @P0 BRA `(.L_x_1)
            line 2
            {loads}
            BRA `(.L_x_2)
            .L_x_1:
            line 3
            FADD R1, R1, R1
            .L_x_2:
            line 4
            @P2 BRA `(.L_x_0)
            EXIT
        """
        loaded = [(2, "load", "global", 4, 32 * 40), (2, "block", "", 0, 32 * 40)]
        self.assertEqual(self.warps(code, kernel(32, *loaded))[:3], [1, 10, 10])

    def test_a_called_function_runs_as_often_as_its_calls(self) -> None:
        code = """
            line 1
            .L_x_0:
            LDS R1, [R2]
            CALL.REL.NOINC `($_Z4test$_Z4halff)
            @P0 BRA `(.L_x_0)
            EXIT
            $_Z4test$_Z4halff:
            FMUL R0, R0, 0.5
            RET.REL.NODEC R2 `(_Z4testv)
        """
        counted = kernel(32, (1, "load", "shared", 4, 32 * 7))
        self.assertEqual(self.warps(code, counted), [7, 7, 1, 7])

    def test_a_called_function_has_the_warps_of_its_caller(self) -> None:
        code = """
            line 1
            S2R R0, SR_TID.X
            @P0 BRA `(.L_x_1)
            line 2
            STG.E desc[UR4][R2.64], R4
            CALL.REL.NOINC `($_Z4testv$other)
            .L_x_1:
            EXIT
            $_Z4testv$other:
            FADD R1, R1, R1
            RET.REL.NODEC R2 `(_Z4testv)
        """
        counted = kernel(128, (2, "store", "global", 4, 8))
        counted.lines[-1]["requests"] = 4
        self.assertEqual(self.warps(code, counted), [4, 4, 4, 4])

    def test_a_loop_in_a_loop_is_entered(self) -> None:
        # Without the rule that a loop is entered, 40 rounds of the inner one could run in a circle,
        # and the blocks on the way to it not at all.
        code = """
            line 1
            S2R R0, SR_TID.X
            @P1 BRA `(.L_x_2)
            LEA R0, R0, R1, 0x2
            .L_x_1:
            line 2
            LDG.E R1, desc[UR4][R2.64]
            @P0 BRA `(.L_x_1)
            .L_x_2:
            line 3
            EXIT
        """
        counted = kernel(32, (2, "load", "global", 4, 32 * 40))
        self.assertEqual(self.warps(code, counted), [1, 1, 40, 1])


class RecordedTest(unittest.TestCase):
    """The kept listing."""

    def totals(self) -> dict[str, float]:
        code = functions_of([read_text(FOLDER / "add_lines.sass")])
        document = parse_json(read_text(FOLDER / "add_lines.json"), FOLDER)
        found = {}
        for record in document["kernels"]:
            counted = count_instructions(read_kernel(record), code)
            assert counted is not None
            self.assertAlmostEqual(sum(counted.lines.values()), counted.total)
            found[record["name"]] = counted.total
        return found

    def test_the_counts_of_the_kept_listing(self) -> None:
        found = {name: round(total) for name, total in self.totals().items()}
        # ncu counted 63 648 and 125 408: a warp's 1000 steps are 62 rounds of 16 and one of 8,
        # where the flow has 62.5 rounds of 16.
        self.assertEqual(found, {"add_rows_kernel": 63536, "add_columns_kernel": 125376})

    @unittest.skipUnless(RECORDED.exists(), "not recorded yet")
    def test_the_recorded_counts(self) -> None:
        rows = {
            row.kernel: row
            for row in read_rows(RECORDED, Row)
            if (row.program, row.arguments, row.counter)
            == ("basics/01_thread_per_line", "--n 1000", INSTRUCTIONS)
        }
        found = self.totals()
        self.assertEqual(set(found), {"add_rows_kernel", "add_columns_kernel"})
        for name, total in found.items():
            self.assertEqual(round(total), rows[name].emulated)
            self.assertLess(abs(total / rows[name].measured - 1), 0.01)

    def test_the_loop_has_most_of_them(self) -> None:
        code = functions_of([read_text(FOLDER / "add_lines.sass")])
        document = parse_json(read_text(FOLDER / "add_lines.json"), FOLDER)
        counted = count_instructions(read_kernel(document["kernels"][0]), code)
        assert counted is not None
        # One load for each of 1000 cells in each of 31 full warps and one of 8 lanes.
        loads = sum(count for name, count in counted.opcodes.items() if name.startswith("LDG"))
        self.assertEqual(round(loads), 32 * 1000)


if __name__ == "__main__":
    unittest.main()
