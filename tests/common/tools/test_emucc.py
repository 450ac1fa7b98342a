# SPDX-License-Identifier: MIT
"""emucc: nvcc's command line for the CPU engine, from its flags to Makefiles that use it."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from common.tools.driver import build as driver_build
from common.tools.driver.build import Build
from common.tools.driver.engine import ENGINES, Engine, forwarding_headers, load_engine
from common.tools.driver.messages import compiler_messages, linker_messages
from common.tools.driver.options import OPTIONS, Use
from common.tools.driver.request import read_request
from common.tools.lib.stages import ToolError
from tests.common.tools.course_tools import BUILD, TOOLS

EMUCC = TOOLS / "commands" / "emucc"

# Device code in two files: a variable, a table and a function of the one are used by the other.
TABLE = """
#include "table.cuh"
__constant__ int table[4] = {1, 10, 100, 1000};
__device__ int calls;
__device__ int look_up(int i) {
    atomicAdd(&calls, 1);
    return table[i] * FACTOR;
}
"""
TABLE_HEADER = """
#pragma once
extern __constant__ int table[4];
extern __device__ int calls;
__device__ int look_up(int i);
"""
SUM = """
#include <table.cuh>
#include "host.h"
__global__ void sum_kernel(int* sum) { atomicAdd(sum, look_up(threadIdx.x) + table[0]); }
int sum_on_device() {
    int *d_sum, h_sum, h_calls;
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemset(d_sum, 0, sizeof(int));
    sum_kernel<<<1, 4>>>(d_sum);
    cudaMemcpy(&h_sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&h_calls, calls, sizeof(int));
    cudaFree(d_sum);
    return h_sum + 100000 * h_calls;
}
"""
MAIN = """
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <nvtx3/nvToolsExt.h>
#include <cstdio>
#include "host.h"
#include "seven.h"
int main() {
    int count = nvtxRangePushA("main") == NVTX_NO_PUSH_POP_TRACKING ? 0 : 1;
    nvtxRangePop();
    cudaGetDeviceCount(&count);
    std::printf("%d on %d device, %d\\n", sum_on_device(), count, seven());
}
"""
SEVEN_HEADER = """
#ifdef __cplusplus
extern "C"
#endif
int seven(void);
"""
MAKEFILE = """
NVCC ?= nvcc
NVCCFLAGS := -std=c++17 -O3 -g -G -lineinfo -rdc=true -gencode arch=compute_90,code=sm_90 \\
    -Xcompiler -Wall,-Wextra -Xptxas -v --expt-relaxed-constexpr -maxrregcount=64 -Iinclude
OBJECTS := table.o sum.o main.o seven.o

program: $(OBJECTS)
\t$(NVCC) $(NVCCFLAGS) -o $@ $^ -lcudart -lcudadevrt -lm
table.o: table.cu
\t$(NVCC) $(NVCCFLAGS) -DFACTOR=2 -MD -MP -c $< -o $@
%.o: %.cu
\t$(NVCC) $(NVCCFLAGS) -dc $< -o $@
%.o: %.cpp
\t$(NVCC) $(NVCCFLAGS) -c $<
%.o: %.c
\t$(NVCC) -O2 -c $< -o $@
-include table.d
"""
FILES = {
    "table.cu": TABLE,
    "include/table.cuh": TABLE_HEADER,
    "sum.cu": SUM,
    "host.h": "int sum_on_device();\n",
    "main.cpp": MAIN,
    "seven.c": '#include "seven.h"\n#include <nvtx3/nvToolsExt.h>\nint seven(void) { return 7; }\n',
    "seven.h": SEVEN_HEADER,
    "Makefile": MAKEFILE,
}
PRINTED = "402226 on 1 device, 7\n"


class FlagsTest(unittest.TestCase):
    """The command line alone."""

    def assert_refused(self, words: list[str], *parts: str) -> None:
        with self.assertRaises(ToolError) as caught:
            read_request(words)
        for part in parts:
            self.assertIn(part, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_forms_of_one_flag(self) -> None:
        for words in (["-I", "a"], ["-I=a"], ["-Ia"], ["--include-path", "a"], ["-include-path=a"]):
            self.assertEqual(read_request(words).include_directories, ["a"], words)
        for words in (["-Xcompiler", "-a,-b"], ["-Xcompiler=-a", "--compiler-options", "-b"]):
            self.assertEqual(read_request(words).host_flags, ["-a", "-b"], words)
        self.assertEqual(read_request(["-Xcompiler", r"-Wl\,x,-b"]).host_flags, ["-Wl,x", "-b"])
        for words in (["-O3"], ["-O", "3"], ["--optimize=3"]):
            self.assertEqual(read_request(words).optimize, "3", words)
        self.assertEqual(
            read_request(["-DA=1", "-D", "B", "-UC"]).preprocessor, ["-DA=1", "-DB", "-UC"]
        )

    def test_architectures(self) -> None:
        for words, value in (
            ([], 900),
            (["-arch=sm_80"], 800),
            (["-arch", "native"], 900),
            (
                ["-gencode", "arch=compute_70,code=sm_70", "-gencode=arch=compute_86,code=sm_86"],
                860,
            ),
            (["-gencode", "arch=compute_90a,code=[sm_90a,compute_90a]"], 900),
            (["-arch=sm_120"], 900),
        ):
            self.assertEqual(read_request(words).architecture, value, words)

    def test_inputs_and_libraries_keep_their_order(self) -> None:
        request = read_request(["b.o", "-lm", "a.cu", "-lcudart", "libx.a", "-lcurand"])
        names = [word if isinstance(word, str) else str(word.path) for word in request.link_words]
        self.assertEqual(names, ["b.o", "-lm", "a.cu", "libx.a"])
        self.assertEqual([item.language for item in request.inputs], ["", "cu", ""])
        self.assertEqual(read_request(["-x", "cu", "a.cpp"]).inputs[0].language, "cu")

    def test_steps(self) -> None:
        for words, step in (
            (["-c"], "compile"),
            (["-dc"], "compile"),
            (["-dlink"], "device link"),
            (["-E"], "preprocess"),
            (["-M"], "dependencies"),
            (["-MD"], "link"),
            (["-lib"], "library"),
            (["-run"], "run"),
        ):
            self.assertEqual(read_request(words).step, step, words)
        self.assertTrue(read_request(["-dc"]).relocatable)

    def test_every_flag_has_one_use(self) -> None:
        for name, option in OPTIONS.items():
            self.assertEqual(option.use is Use.TAKEN, option.reason == "", name)

    def test_what_is_refused_is_named(self) -> None:
        self.assert_refused(["-ptx", "a.cu"], "-ptx", "no PTX")
        self.assert_refused(["--cubin"], "--cubin")
        self.assert_refused(["-shared"], "-shared", "executables")
        self.assert_refused(["--no-such-flag"], "unknown flag --no-such-flag")
        self.assert_refused(["-Wall"], "-Wall", "-Xcompiler")
        self.assert_refused(["-lcufft"], "-lcufft", "does not have this library")
        self.assert_refused(["-lnppif"], "-lnppif")
        self.assert_refused(["-std=c++98"], "-std=c++98")
        self.assert_refused(["-O7"], "-O7")
        self.assert_refused(["-rdc=maybe"], "maybe")
        self.assert_refused(["-m32"], "-m32")
        self.assert_refused(["-o"], "-o needs a value")
        self.assert_refused(["notes.txt"], "notes.txt", "-x")

    def test_unknown_flags_can_go_to_the_host_s_compiler(self) -> None:
        request = read_request(["-fno-plt", "-forward-unknown-to-host-compiler"])
        self.assertEqual((request.host_flags, request.linker_flags), (["-fno-plt"], []))


class MessagesTest(unittest.TestCase):
    """g++'s output becomes lines of the program."""

    def test_an_error_in_the_engine_is_shown_at_the_program_s_line(self) -> None:
        header = forwarding_headers() / "cufft.h"
        output = (
            f'In file included from main.cu:3:\n{header}:5:2: error: #error "cuFFT is missing"\n'
            "    5 | #error\n      |  ^~~~~\ncompilation terminated.\n"
        )
        self.assertEqual(compiler_messages(output, True), "main.cu:3: error: cuFFT is missing\n")

    def test_notes_about_the_engine_are_left_out(self) -> None:
        output = (
            "a.cu: In function ‘int main()’:\na.cu:7:5: error: no matching function for call to ‘f’\n"
            "    7 |     f();\n      |     ~^~\n"
            f"{TOOLS.parent}/emulator/include/cuda_runtime.h:9:1: note: candidate: ‘void f(int)’\n"
            "    9 | void f(int);\n"
        )
        self.assertEqual(
            compiler_messages(output, True),
            "a.cu:7: error: no matching function for call to ‘f’\n    7 |     f();\n      |     ~^~\n",
        )

    def test_a_missing_name_is_said_once_and_its_variables_are_not(self) -> None:
        output = (
            "a.cu:7:5: error: ‘cudaThing_t’ was not declared in this scope\n"
            "    7 |     cudaThing_t thing;\n      |     ^~~~~~~~~~~\n"
            "a.cu:8:5: error: ‘thing’ was not declared in this scope\n    8 |     f(thing);\n"
            "a.cu:9:5: error: ‘cudaThing_t’ was not declared in this scope\n    9 |     g();\n"
        )
        self.assertEqual(
            compiler_messages(output, True),
            "a.cu:7: error: cudaThing_t is not available on the CPU engine\n",
        )

    def test_what_is_not_understood_is_not_hidden(self) -> None:
        self.assertEqual(compiler_messages("g++: killed\n", True), "g++: killed\n")

    def test_undefined_names_are_said_once(self) -> None:
        output = (
            "/usr/bin/ld: /scratch/0-a.o: in function `main':\n"
            "/home/me/a.cu:5: undefined reference to `f(int)'\n"
            "/usr/bin/ld: /home/me/a.cu:6: undefined reference to `f(int)'\n"
            "collect2: error: ld returned 1 exit status\n"
        )
        self.assertEqual(
            linker_messages(output),
            "/home/me/a.cu:5: error: f(int) is defined in no file that is linked\n",
        )

    def test_a_program_without_main_has_no_line(self) -> None:
        output = "/usr/bin/ld: /lib/Scrt1.o: in function `_start':\n"
        output += "(.text+0x1b): undefined reference to `main'\n"
        self.assertEqual(
            linker_messages(output), "error: main is defined in no file that is linked\n"
        )

    def test_other_messages_of_the_linker_stay(self) -> None:
        output = "/usr/bin/ld: /scratch/1-b.o: multiple definition of `f(int)'\n"
        self.assertEqual(linker_messages(output), output)


class DriverTest(unittest.TestCase):
    """A folder with the files, and emucc run in it."""

    def setUp(self) -> None:
        if not (BUILD / "common" / "emulator" / "counting" / "libemulator_counting.a").exists():
            self.skipTest("the CPU engine is not built")
        self.folder = Path(tempfile.mkdtemp()) / "my files"
        self.addCleanup(shutil.rmtree, self.folder.parent)
        for name, text in FILES.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run_in_folder(
        self, *command: str | Path, engine: str = "emu"
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            list(map(str, command)),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"EMUCC_ENGINE": engine, "EMULATOR_COUNTERS": "none"},
        )


class EmuccTest(DriverTest):
    def test_a_makefile_builds_unchanged(self) -> None:
        made = self.run_in_folder("make", f"NVCC={EMUCC}")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.run_in_folder("./program").stdout, PRINTED)
        # The dependencies that emucc wrote: an edit of the header builds its object anew.
        self.assertIn("is up to date", self.run_in_folder("make", f"NVCC={EMUCC}").stdout)
        later = (self.folder / "table.o").stat().st_mtime + 5
        os.utime(self.folder / "include" / "table.cuh", (later, later))
        self.assertIn("-c table.cu", self.run_in_folder("make", "-n", f"NVCC={EMUCC}").stdout)
        # Objects of one engine are not linked into a program of the other.
        mixed = self.run_in_folder(EMUCC, "table.o", "sum.o", "main.o", "seven.o", engine="count")
        self.assertEqual(mixed.returncode, 1)
        self.assertIn(".o: was compiled with EMUCC_ENGINE=emu, not count", mixed.stderr)

    def test_a_link_without_emucc_says_in_one_line_what_to_do(self) -> None:
        (self.folder / "k.cu").write_text(
            "__global__ void k() {}\n"
            "int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n",
            encoding="utf-8",
        )
        for engine in ENGINES:
            for made, words in (("k.o", ["-c"]), ("k.a", ["-lib"])):
                with self.subTest(engine=engine, made=made):
                    built = self.run_in_folder(EMUCC, *words, "k.cu", "-o", made, engine=engine)
                    self.assertEqual((built.returncode, built.stderr), (0, ""))
                    whole = ["-Wl,--whole-archive", made, "-Wl,--no-whole-archive"]
                    linked = self.run_in_folder("g++", *whole, "-o", "other")
                    self.assertEqual(linked.returncode, 1)
                    said, ended = linked.stderr.splitlines()
                    self.assertIn("emucc_must_link_this_program_not_gpp", said)
                    self.assertIn("collect2: error: ld returned 1", ended)
                    linked = self.run_in_folder(EMUCC, *whole, "-o", "program", engine=engine)
                    self.assertEqual((linked.returncode, linked.stderr), (0, ""))
                    self.assertEqual(self.run_in_folder("./program").returncode, 0)

    def test_all_files_at_once_and_names_with_blanks(self) -> None:
        sources = [self.folder / name for name in ("table.cu", "sum.cu", "main.cpp", "seven.c")]
        built = self.run_in_folder(
            EMUCC,
            "-t0",
            "-DFACTOR=2",
            "-I",
            self.folder / "include",
            "-rdc=true",
            *sources,
            engine="count",
        )
        self.assertEqual((built.returncode, built.stderr), (0, ""))
        ran = self.run_in_folder("./a.out")
        self.assertEqual((ran.returncode, ran.stdout), (0, PRINTED), ran.stderr)

    def test_an_error_that_nobody_reads_in_a_host_file_is_named(self) -> None:
        (self.folder / "free.cpp").write_text(
            "#include <cuda_runtime_api.h>\nint main() {\n    void* p = nullptr;\n"
            "    cudaMalloc(&p, 64);\n    cudaFree(p);\n    cudaFree(p);\n}\n",
            encoding="utf-8",
        )
        # Without CUDA's header, such a name is the program's own.
        (self.folder / "own.cpp").write_text(
            "static int cudaFree(int* p) { return *p; }\n"
            "int main() {\n    int p = 0;\n    cudaFree(&p);\n}\n",
            encoding="utf-8",
        )
        for engine in ENGINES:
            for name, status in (("free", 1), ("own", 0)):
                with self.subTest(engine=engine, name=name):
                    built = self.run_in_folder(EMUCC, f"{name}.cpp", engine=engine)
                    self.assertEqual((built.returncode, built.stderr), (0, ""))
                    ran = self.run_in_folder("./a.out")
                    self.assertEqual(ran.returncode, status, ran.stderr)
                    named = re.findall(r"error never read: free\.cpp:(\d+):", ran.stderr)
                    self.assertEqual(named, ["6"] if status else [])

    def test_messages_name_the_program_s_lines(self) -> None:
        (self.folder / "bad.cu").write_text(
            "#include <cufft.h>\nint main() {\n    cudaThing_t thing;\n    cudaUse(thing, 1);\n}\n"
        )
        result = self.run_in_folder(EMUCC, "bad.cu")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(
            result.stderr, r"\Abad.cu:1: error: cuFFT is not available on the CPU engine"
        )
        self.assertEqual(
            result.stderr.splitlines()[1:],
            [
                "bad.cu:3: error: cudaThing_t is not available on the CPU engine",
                "bad.cu:4: error: cudaUse is not available on the CPU engine",
                "bad.cu: cannot be compiled with g++ for the CPU engine",
            ],
        )

    def test_own_headers_of_refused_names_come_first(self) -> None:
        (self.folder / "own").mkdir()
        for name in ("cufft.h", "cublas_v2.h"):
            (self.folder / "own" / name).write_text("inline int own() { return 5; }\n")
            (self.folder / "own.cpp").write_text(
                f"#include <{name}>\nint f() {{ return own(); }}\n"
            )
            compiled = self.run_in_folder(EMUCC, "-c", "-I", "own", "own.cpp")
            self.assertEqual((compiled.returncode, compiled.stderr), (0, ""))

    def test_version_help_and_dry_run(self) -> None:
        self.assertRegex(
            self.run_in_folder(EMUCC, "--version").stdout, r"release \d+\.\d+, V\d+\.\d+\.\d+"
        )
        self.assertIn("--maxrregcount", self.run_in_folder(EMUCC, "--help").stdout)
        shown = self.run_in_folder(EMUCC, "--dryrun", "-c", "main.cpp", "-o", "x.o")
        self.assertIn(f"#$ {shlex.join(load_engine('emu').compiler)} -c", shown.stderr)
        self.assertFalse((self.folder / "x.o").exists())
        refused = self.run_in_folder(EMUCC, "-c", "none.cu")
        self.assertEqual(
            (refused.returncode, refused.stderr), (1, "none.cu: No such file or directory\n")
        )
        self.assertEqual(self.run_in_folder(EMUCC, "main.cpp", engine="gpu").returncode, 2)


class CompilerTest(DriverTest):
    """Programs are compiled by the compiler that built the engine: the first g++ on PATH may be an
    old one, and on another processor's engine it is of no use."""

    def test_the_build_says_which_it_is(self) -> None:
        targets = json.loads((BUILD / "meson-info" / "intro-targets.json").read_text())
        (built,) = [target for target in targets if target["name"] == "emulator"]
        words = [word for word in built["target_sources"][0]["compiler"] if word != "ccache"]
        said = subprocess.run([*words, "--version"], stdout=subprocess.PIPE, text=True, check=True)
        # Only g++ has the flags of counting.
        expected = ["g++"] if "clang" in said.stdout else words
        self.assertEqual(load_engine("count").compiler, expected)

    def test_every_step_uses_it(self) -> None:
        compiler, calls = self.folder / "my g++", self.folder / "calls"
        compiler.write_text('#!/bin/sh\necho "$1" >>calls\nshift\nexec g++ "$@"\n')
        compiler.chmod(0o755)
        build = self.folder / "build"
        build.mkdir()
        (build / "common").symlink_to(BUILD / "common")
        (build / "meson-info").symlink_to(BUILD / "meson-info")
        flags = json.loads((BUILD / "emulator.json").read_text())
        words = [
            word
            for name in ("libraries", "every", "compile", "link")
            for word in [f"--{name}", *flags[name]]
        ]
        script = TOOLS / "setup" / "write_flags.py"
        words = ["--compiler", "/usr/bin/ccache", str(compiler), "-DFIRST", *words]
        subprocess.run([sys.executable, script, build / "emulator.json", *words], check=True)
        for step in (
            ("-dc", "-DFACTOR=2", "-Iinclude", "table.cu", "sum.cu", "main.cpp"),
            ("-c", "seven.c"),
            ("-dlink", "table.o", "sum.o", "-o", "linked.o"),
            ("table.o", "sum.o", "main.o", "seven.o", "linked.o"),
        ):
            with self.subTest(step):
                calls.unlink(missing_ok=True)
                words = ["env", f"COURSE_BUILD={build}", str(EMUCC), *step]
                made = self.run_in_folder(*words)
                self.assertEqual((made.returncode, made.stderr), (0, ""))
                self.assertEqual(set(calls.read_text().split()), {"-DFIRST"})
        self.assertEqual(self.run_in_folder("./a.out").stdout, PRINTED)
        calls.unlink()
        made = self.run_in_folder(*words[:3], "-ccbin", "g++", *words[3:])
        self.assertEqual((made.returncode, calls.exists()), (0, False), made.stderr)


class PrecompiledHeaderTest(unittest.TestCase):
    def used(self, engine: str, *words: str) -> bool:
        """Whether g++ takes the precompiled header with these flags instead of its text."""
        loaded = load_engine(engine)
        request = read_request(["-x", "cu", *words, "program.cu"])
        with tempfile.TemporaryDirectory() as scratch:
            compiled = Build(request, loaded, Path(scratch))
            flags = compiled.flags(request.inputs[0], [], compiled.header(["-c"], []))
        command = [*loaded.compiler, *flags, "-H", "-fsyntax-only", "-x", "c++", os.devnull]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertIn(str(loaded.header), result.stderr)
        return f"! {loaded.header}.gch" in result.stderr

    def test_programs_and_labs_use_it(self) -> None:
        for engine in ENGINES:
            for words in (["-rdc=true"], ["-DSTAGE_NAME=x", "-Ihere", "-Xcompiler", "-Wall"]):
                with self.subTest(engine, words=words):
                    self.assertTrue(self.used(engine, "-std=c++20", *words))

    def test_other_flags_parse_the_header(self) -> None:
        for engine in ENGINES:
            with self.subTest(engine):
                self.assertFalse(self.used(engine, "-std=c++17"))
                self.assertFalse(self.used(engine, "-std=c++20", "-use_fast_math"))


class ForeignObjectTest(unittest.TestCase):
    def test_the_courses_own_archives_belong_to_both_engines(self) -> None:
        """Some Meson versions make archives that hold their objects, which no engine compiled in
        its own way. A student's archive may be of the other engine."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            engine = Engine("count", ["g++"], [], [], [], [], [])
            build = Build(read_request(["a.o"]), engine, root)
            for name in ("common/libbackend_count.a", "my/libmine.a"):
                (root / name).parent.mkdir()
                (root / name).write_bytes(b"!<arch>\n_ZN8emulator6launchEv")
            with mock.patch.object(driver_build, "build_folder", return_value=root):
                build.check_object(root / "common/libbackend_count.a")
                with self.assertRaisesRegex(ToolError, "compiled with EMUCC_ENGINE=emu, not count"):
                    build.check_object(root / "my/libmine.a")


if __name__ == "__main__":
    unittest.main()
