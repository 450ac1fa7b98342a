# SPDX-License-Identifier: MIT
"""What a submission's source may contain: every lab's own files pass, and cheats are refused."""

import time
import unittest

from common.tools.labs.rules import rules_of
from common.tools.labs.policy import Policy
from common.tools.labs.tokens import BadText, tokens_of
from common.tools.labs.catalogue import load_labs
from tests.common.tools.grading.attacks import RIGHT, with_code

LABS = load_labs()
LAB = LABS[RIGHT]

# Code before main(), and a part of the reason.
REFUSED = {
    "#include <fstream>": "not one of the lab's",
    '#include "/etc/passwd"': "not one of the lab's",
    "#  include /* hidden */ <unistd.h>": "not one of the lab's",
    "%:include <unistd.h>": "not one of the lab's",
    "#inc\\\nlude <unistd.h>": "not one of the lab's",
    "#inc\\ \t\nlude <unistd.h>": "not one of the lab's",
    "#define WHAT <unistd.h>\n#include WHAT": "only the lab's own directives",
    "#define main other": "only the lab's own directives",
    '#line 1 "other.cu"': "only the lab's own directives",
    "#if 1\n#endif": "only the lab's own directives",
    '#pragma GCC optimize("O3")': "only the lab's own directives",
    '_Pragma("GCC poison x")': "a name of the compiler",
    'void f() { asm("nop"); }': "assembler",
    'void f() { __asm__ volatile("syscall"); }': "assembler",
    "__attribute__((constructor)) void f() {}": "a name of the compiler",
    "[[gnu::constructor]] void f() {}": "only the attributes",
    '[[maybe_unused, gnu::weakref("open")]] int f();': "only the attributes",
    "[[nodiscard, using gnu: no_sanitize]] int f();": "only the attributes",
    "<:<: likely, gnu::naked :>:> int f();": "only the attributes",
    "[ [gnu::constructor]] void f() {}": "only the attributes",
    "<:<:gnu::constructor:>:> void f() {}": "only the attributes",
    'int f() { return system("id"); }': "system: reaches the system",
    "auto f = system;": "system: reaches the system",
    "int f() { return sys\\\ntem(nullptr); }": "system: reaches the system",
    "int f() { return ::close(1); }": "::close: a name of the global namespace",
    "void f(int* a) { if (a[0]) ::close(1); }": "::close: a name of the global namespace",
    "void f() { exit(0); }": "exit: reaches the system",
    "void f() { std::exit(0); }": "std::exit: is not one of the names",
    "void f() { std::thread t([] {}); }": "std::thread: is not one of the names",
    "void f() { std :: /* hidden */ thread t([] {}); }": "std::thread: is not one of the names",
    "using std::ofstream;": "std::ofstream: is not one of the names",
    "using namespace std;": "namespace std: only an unnamed namespace",
    "namespace s = std;": "namespace s: only an unnamed namespace",
    "namespace course { int x; }": "namespace course: only an unnamed namespace",
    "namespace emulator { int x; }": "namespace emulator: only an unnamed namespace",
    "void f() { emulator::counting::findings(); }": "a name of the engine",
    "void f() { course::run_problem(0, nullptr, {}, {}); }": "the lab's file does not use this name",
    "auto f = basics::count_wrong;": "basics::count_wrong: the lab's file does not use",
    "auto f(const Input& i, const Output& o) { return count_wrong(i, o); }": "count_wrong: a function",
    "void f(PhaseTimer& t) { t.backend(); }": "backend: a part of the harness",
    "void f(int* a) { cudaMallocManaged(&a, 4); }": "without a copy is not for this lab",
    "__managed__ int shared[4];": "without a copy is not for this lab",
    'extern "C" int getpid();': "extern: only shared memory",
    "void* operator new(std::size_t size) { return nullptr; }": "operator new: must not be replaced",
    "void f() { __builtin_trap(); }": "a name of the compiler",
    'void f() { dlopen("x", 1); }': "dlopen: reaches the system",
    'char* f() { return getenv("HOME"); }': "getenv: reaches the system",
    "void f(void* p) { mprotect(p, 1, 7); }": "mprotect: reaches the system",
    "auto f(int* p) { return reinterpret_cast<uintptr_t>(p); }": "uintptr_t: reaches",
    "auto f(char* a, char* b) { return memcmp(a, b, 8); }": "memcmp: reaches the system",
    "int sys\\u0074em;": "is not allowed outside of texts",
    "int a$b;": "a name with $",
    "int caf\u00e9;": "only letters of ASCII",
    "struct Other { int main(); };": "main may be named only once",
    "int x = 0; ??/": "trigraph",
    "int x = 0; // \0": "zero byte",
    "/* no end": "no end",
    'const char* s = "no end;': "no end",
}
ALLOWED = (
    "// system(1), #include <fstream>",
    "/* asm */",
    'const char* kText = "system(1) /* asm */";',
    'const char* kRaw = R"x(system" #include)x";',
    "__device__ int other(int x) { return __popc(x) + std::min(x, 3); }",
    "template <typename T> struct Pair { T first, second; };",
    "namespace { constexpr int kTile = 32; }",
    "void f(std::vector<int>& list) { std::sort(list.begin(), list.end()); }",
    "extern __shared__ int s_words[];",
    "#include <array>",
    "__global__ void g(int* p) { __shared__ int s_x[32]; s_x[threadIdx.x] = 1; __syncwarp(); *p = s_x[0]; }",
    "struct Open { int open, close, end; };",
    "template <typename T> int f(T& a, T* b) { return a.pause + b->sleep; }",
    "void f(int* p) {\n#pragma unroll\n#pragma unroll 4\n for (int i = 0; i < 8; ++i) p[i] = 1; }",
    "auto f = [](int a[[maybe_unused]]) { return 0x1'000; };",
    "[[nodiscard, maybe_unused]] int g() { return 1; }",
    "namespace cg = cooperative_groups;",
    "using namespace cooperative_groups;",
)
# A block's and a warp's work by a library, which a lab about writing it refuses.
PARTS = (
    "#include <cub/warp/warp_reduce.cuh>",
    "#include <cub/cub.cuh>\n__device__ int f(int x) { __shared__ cub::WarpReduce<int>::TempStorage s; "
    "return cub::WarpReduce<int>(s).Sum(x); }",
    "#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;",
)


class PolicyTest(unittest.TestCase):
    def test_parts_of_libraries(self) -> None:
        by_hand = LABS["montecarlo/02"]
        self.assertTrue(by_hand.by_hand)
        for code in PARTS:
            text = with_code(LAB, headers=code)
            self.assertEqual(Policy(**rules_of(LAB)).refusals(text), [], code)
            rules = rules_of(LAB) | {"by_hand": True}
            found = [one.reason for one in Policy(**rules).refusals(text)]
            self.assertTrue(any("doing by hand" in reason for reason in found), (code, found))
        for code in (
            "cub::DeviceReduce::Sum(x);",
            "cub::detail::x();",
            "namespace c = cub;",
            "using namespace cub;",
        ):
            text = with_code(LAB, headers="#include <cub/cub.cuh>", before=code)
            self.assertTrue(Policy(**rules_of(LAB)).refusals(text), code)

    def test_labs_own_files_are_allowed(self) -> None:
        for lab in LABS.values():
            if lab.is_question:
                continue
            for program in (lab.start, lab.solution):
                with self.subTest(lab=lab.name, stage=program.stage.stage):
                    self.assertEqual(Policy(**rules_of(lab)).refusals(program.text()), [])

    def test_cheats_are_refused_with_their_line(self) -> None:
        policy = Policy(**rules_of(LAB))
        for code, reason in REFUSED.items():
            with self.subTest(code=code):
                text = with_code(LAB, before=code)
                line = text[: text.index(code)].count("\n") + 1
                found = policy.refusals(text)
                matching = [one for one in found if reason in one.reason]
                self.assertTrue(matching, found)
                if reason != "main may be named only once":  # it names the last line
                    last = line + code.count("\n")
                    self.assertTrue(line <= matching[0].line <= last, matching)
                    self.assertTrue(str(matching[0]).startswith(f"line {matching[0].line}: "))

    def test_usual_code_is_allowed(self) -> None:
        policy = Policy(**rules_of(LAB))
        for code in ALLOWED:
            with self.subTest(code=code):
                self.assertEqual(policy.refusals(with_code(LAB, before=code)), [])

    def test_main_must_stay(self) -> None:
        text = LAB.solution.text()
        for changed in (
            text.replace("argc, argv", "1, argv"),
            text.replace("int main(", "int other("),
            text[: text.index("int main(")],
        ):
            reasons = [one.reason for one in Policy(**rules_of(LAB)).refusals(changed)]
            self.assertIn("main() must stay as it is in the lab's file", reasons)

    def test_faults_come_in_the_order_of_the_lines(self) -> None:
        text = with_code(LAB, before="void f() { abort(); }").replace("argc, argv", "1, argv")
        lines = [
            one.line
            for one in Policy(**rules_of(LAB)).refusals(text + 'void g() { asm("nop"); }\n')
        ]
        self.assertEqual(len(lines), 3)
        self.assertEqual(lines, sorted(lines))

    def test_a_huge_file_is_refused(self) -> None:
        text = LAB.solution.text() + "//" + "x" * (256 << 10)
        self.assertEqual(len(Policy(**rules_of(LAB)).refusals(text)), 1)

    def test_tokens_have_their_lines(self) -> None:
        found = [(one.text, one.line) for one in tokens_of('a\\\nb /*\n*/ c\n#x \\\n y\n"d"\\\n e')]
        self.assertEqual(found, [("ab", 1), ("c", 3), ("# x y", 4), ('"d"', 6), ("e", 7)])
        for text in ("a /* b", 'a R"x(b)"', '"a', "'a"):
            with self.assertRaises(BadText):
                tokens_of(text)
        found = [one.text for one in tokens_of('R"(a"b)" u8R"x(a)"\n)x" /* " */ /**/ c')]
        self.assertEqual(found, ['R"(a"b)"', 'u8R"x(a)"\n)x"', "c"])

    def test_no_text_takes_long(self) -> None:
        """Each would take minutes if the work grew with the square of the length."""
        policy = Policy(**rules_of(LAB))
        for part in (
            'R"(',
            "/*",
            "int main(",
            "int main(;",
            "'",
            '"\\',
            "\\ ",
            "[",
            "a::",
            "#",
            "1e+",
        ):
            text = part * ((256 << 10) // len(part))
            begin = time.process_time()
            policy.refusals(text)
            self.assertLess(time.process_time() - begin, 20, part)


if __name__ == "__main__":
    unittest.main()
