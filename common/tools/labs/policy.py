# SPDX-License-Identifier: MIT
"""What a submission's source may not contain.

The counters of a run, and the engine's findings, are written inside the submission's own process.
So its source is refused if it names what could reach them: other headers, files, processes, the
environment, assembler, macros, the names of the engine and of the harness. The rules look at
tokens, not at meanings. What the lab's start or solution contains is allowed.

The rules raise the price of cheating, but they prove nothing about memory: host code in C++ can
write to any address of its own process. chapters/LABS.md says what that means for a teacher.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from common.tools.labs.tokens import BadText, Token, tokens_of

LARGEST = 256 << 10  # bytes of a source file


@dataclass(frozen=True)
class Refusal:
    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


# Headers that reach neither files nor processes.
HEADERS = frozenset(
    """
    algorithm array bit bitset cfloat climits cmath compare complex concepts
    cooperative_groups.h cstddef cstdint
    cuda/atomic cuda/barrier cuda/pipeline cuda/ptx cuda_fp16.h cuda_pipeline.h cuda_runtime.h
    functional iterator limits map mma.h numbers numeric optional queue ranges set span string
    string_view tuple type_traits utility variant vector
    """.split()
)
# Parts of libraries that do a block's or a warp's work. A lab about such work is done by hand.
PARTS = re.compile(
    r"cooperative_groups/(reduce|scan)\.h|cub/(cub|((block|warp)/(block|warp)_[a-z_]+))\.cuh"
)
# What cub:: may be followed by: the calls for the whole device launch kernels that nobody wrote.
OF_PARTS = re.compile(
    r"(Block|Warp|BLOCK_|WARP_)\w+|Sum|Difference|Min|Max|ArgMin|ArgMax|Equality|Inequality"
    r"|KeyValuePair"
)
# What std:: may be followed by.
STANDARD = frozenset(
    """
    abs accumulate all_of any_of array as_const bit_cast bit_ceil bit_floor bit_width bitset
    byte ceil clamp common_type_t conditional_t copy copy_if copy_n cos count count_if
    countl_zero countr_zero decay_t distance div_t equal exclusive_scan exp exp2 extent fabs
    fill fill_n find find_if floor fma fmax fmin fmod for_each forward function generate get
    greater has_single_bit hypot identity inclusive_scan inner_product int16_t int32_t int64_t
    int8_t invoke_result_t iota is_floating_point_v is_integral_v is_same_v is_sorted isfinite
    isinf isnan iter_swap lerp less log log2 lower_bound make_pair make_tuple make_unsigned_t
    map max max_element midpoint min min_element minmax minmax_element minus move multiplies
    next none_of nth_element nullopt numeric_limits optional pair partial_sort partial_sum
    partition plus popcount pow prev priority_queue ptrdiff_t queue ranges reduce remove_cvref_t
    reverse rotate rotl rotr round set shift_left shift_right sin size size_t sort span sqrt
    ssize stable_partition stable_sort string string_view swap tan tie to_string transform trunc
    tuple type_identity_t uint16_t uint32_t uint64_t uint8_t unique unordered_map unordered_set
    upper_bound vector views
    """.split()
)
# Names with two underscores that device code uses. Others belong to compilers.
DEVICE = re.compile(
    r"__(global|device|host|shared|constant|managed|restrict|forceinline|noinline|launch_bounds"
    r"|maxnreg|align|grid_constant|cluster_dims)__"
    r"|__(syncthreads|syncwarp)(_and|_or|_count)?|__threadfence(_block|_system)?"
    r"|__(shfl|shfl_up|shfl_down|shfl_xor|all|any|ballot|match_any|match_all|activemask)(_sync)?"
    r"|__reduce_(add|min|max|and|or|xor)_sync|__activemask|__nanosleep|__trap"
    r"|__(ldg|ldcg|ldca|ldcs|ldlu|ldcv|stwb|stcg|stcs|stwt)"
    r"|__(popc|popcll|clz|clzll|ffs|ffsll|fns|brev|brevll|byte_perm|funnelshift_[lr]c?)"
    r"|__(u?mul24|u?mulhi|u?mul64hi|[us]ad|u?hadd|u?rhadd|saturatef|sincosf)"
    r"|__(exp|exp10|log|log2|log10|sin|cos|tan|pow|fdivide)f"
    r"|__[fd](add|sub|mul|div|rcp|sqrt|rsqrt|maf|ma)(_r[nzud])?f?|__fmaf_r[nzud]|__frsqrt_rn"
    r"|__(float|int|uint|double|ll|ull|half)\w*2\w+|__(float|int|uint)_as_(float|int|uint)"
    r"|__(longlong|double)_as_(double|longlong)|__hiloint2double|__double2(hi|lo)int"
    r"|__pipeline_\w+|__CUDA_ARCH__|__isGlobal|__isShared|__h[a-z0-9]+|__v[a-z]+[24]"
)
# Names that reach the system, or end the process before the counters are written.
SYSTEM = frozenset(
    """
    system popen pclose fork vfork clone execl execlp execle execv execvp execve execvpe fexecve
    posix_spawn posix_spawnp wait waitpid wait3 wait4 kill killpg raise signal sigaction
    sigprocmask sigaltstack siglongjmp sigsetjmp setjmp longjmp abort exit _exit _Exit
    quick_exit at_quick_exit atexit on_exit terminate set_terminate getenv secure_getenv setenv
    putenv unsetenv clearenv environ syscall ioctl fcntl prctl ptrace personality fopen freopen
    fdopen fclose fread fwrite fprintf fputs fputc fgets fgetc fscanf tmpfile tmpnam mkstemp
    mkdtemp fflush setbuf setvbuf open openat creat read write pread pwrite readv writev close
    dup dup2 dup3 pipe pipe2 lseek truncate ftruncate unlink unlinkat remove rename renameat
    link linkat symlink symlinkat readlink mkdir rmdir mknod mkfifo chmod fchmod chown chdir
    fchdir chroot mount umount opendir readdir closedir nftw ftw glob wordexp stat fstat lstat
    access sendfile splice tee mmap mmap64 munmap mremap mprotect madvise brk sbrk shm_open
    shmget shmat memfd_create socket socketpair connect bind listen accept send sendto sendmsg
    recv recvfrom recvmsg getaddrinfo gethostbyname dlopen dlsym dlmopen dlvsym dladdr
    dl_iterate_phdr dlinfo pthread_create pthread_kill pthread_exit thrd_create jthread async
    ifstream ofstream fstream filebuf basic_fstream basic_ofstream basic_ifstream filesystem
    stdin stdout stderr puts putchar perror vprintf vfprintf cout cerr clog backtrace getcontext
    setcontext makecontext swapcontext ucontext_t uintptr_t intptr_t process_vm_writev
    process_vm_readv getpid getppid setrlimit prlimit nice sched_setaffinity alarm setitimer
    timer_create error warn err errx __environ _environ program_invocation_name end etext edata
    tgkill tkill cudaLaunchHostFunc cudaStreamAddCallback cudaIpcOpenMemHandle cudaHostRegister
    source_location coroutine_handle co_await co_yield co_return import module export typeid
    dynamic_cast memchr memrchr rawmemchr memcmp memmem mempcpy memccpy bcmp bcopy bzero wmemcpy
    wmempcpy wmemset wmemmove wmemcmp wmemchr strlen strnlen strcpy strncpy strcat strncat strcmp
    strncmp strcoll strxfrm strchr strrchr strstr strspn strcspn strpbrk strtok strdup strndup
    stpcpy stpncpy strlcpy strlcat strsep swab qsort qsort_r bsearch lfind lsearch sprintf snprintf
    sleep usleep nanosleep clock_nanosleep pause select pselect poll ppoll sched_yield
    vsprintf vsnprintf sscanf vsscanf asprintf vasprintf dprintf scanf getline getdelim
    """.split()
)
# Memory that both sides reach without a copy: what goes through it is not counted as copied.
BOTH_SIDES = frozenset(
    """
    cudaMallocManaged cudaMallocHost cudaHostAlloc cudaHostGetDevicePointer
    __managed__ PinnedBuffer
    """.split()
)
MEMBERS = (".", "->")  # a member of an object may have any of these names
COMMON = frozenset(
    "end close open read write link remove access send error import module stat bind".split()
)
ENGINE = re.compile(r"(emulator|counting|tsan|asan|sanitizer|emucc)", re.IGNORECASE)
ATTRIBUTES = frozenset(
    "maybe_unused nodiscard likely unlikely fallthrough no_unique_address noreturn".split()
)
MOST_MAINS = 4  # that are looked at; each may go on to the end of the file
PRAGMA = re.compile(r"# pragma (unroll( \(? ?\w+ ?\)?)?|once)")


def directive_fault(text: str, familiar: frozenset[str], by_hand: bool) -> str:
    text = text.replace("%:", "#", 1)
    if text in familiar:
        return ""
    if text.startswith("# include"):
        match = re.fullmatch(r"# include < (.*) >", text)
        header = match[1].replace(" ", "") if match else ""
        if header in HEADERS or (PARTS.fullmatch(header) and not by_hand):
            return ""
        if PARTS.fullmatch(header):
            return f"#include <{header}>: this lab is about doing by hand what the library does"
        return f"{text.replace('# ', '#')}: this header is not one of the lab's"
    if PRAGMA.fullmatch(text):
        return ""
    word = text.split(" ")[1] if " " in text else ""
    return f"#{word}: only the lab's own directives are allowed"


def normal_directive(text: str) -> str:
    return text.replace("%:", "#", 1)


def foreign_attribute(tokens: Sequence[Token], i: int) -> str:
    """What stands in [[…]] from token i on, and is neither a comma nor an allowed attribute."""
    while i < len(tokens) and tokens[i].text not in ("]]", "]", ":>"):
        if tokens[i].text != "," and tokens[i].text not in ATTRIBUTES:
            return tokens[i].text
        i += 1
    return "" if i < len(tokens) else "no end"


def names_with_call(tokens: Sequence[Token]) -> Iterable[str]:
    for token, following in zip(tokens, tokens[1:], strict=False):
        if token.kind == "name" and following.text == "(":
            yield token.text


def main_of(tokens: Sequence[Token]) -> list[str]:
    """The tokens of main(), with its head and its body; empty if there is none or no end."""
    places = [
        i
        for i in range(len(tokens) - 2)
        if [token.text for token in tokens[i : i + 3]] == ["int", "main", "("]
    ]
    for i in places[:MOST_MAINS]:
        depth, found = 0, []
        for token in tokens[i:]:
            found.append(token.text)
            depth += {"{": 1, "}": -1}.get(token.text, 0)
            if token.text == "}" and depth == 0:
                return found
    return []


class Policy:
    """The rules of one lab. `models` are the texts of its start and its solution, whose names are
    allowed. Beside these, a submission may not call the functions of `oracle`, nor the members of
    `harness` that the models do not call."""

    def __init__(
        self,
        models: Sequence[str],
        oracle: Iterable[str],
        harness: Iterable[str],
        namespaces: Iterable[str],
        by_hand: bool = False,
    ) -> None:
        streams = [tokens_of(text) for text in models]
        self.mains = [main_of(stream) for stream in streams]
        self.directives = frozenset(
            normal_directive(token.text)
            for stream in streams
            for token in stream
            if token.kind == "directive"
        )
        self.names = frozenset(
            token.text for stream in streams for token in stream if token.kind == "name"
        )
        self.qualified = frozenset(pair for stream in streams for pair in qualified_names(stream))
        self.opened = frozenset(
            following.text
            for stream in streams
            for token, following in zip(stream, stream[1:], strict=False)
            if token.text == "namespace"
        )
        self.namespaces = frozenset(namespaces)
        self.by_hand = by_hand
        called = frozenset(name for stream in streams for name in names_with_call(stream))
        self.oracle = frozenset(oracle)
        self.harness = frozenset(harness) - called

    def refusals(self, text: str) -> list[Refusal]:
        """Each fault once, in the order of the lines. Empty: the source is allowed."""
        if len(text.encode("utf-8", "surrogatepass")) > LARGEST:
            return [Refusal(1, f"the file is longer than {LARGEST >> 10} KiB")]
        for number, line in enumerate(text.splitlines(), 1):
            if "\0" in line or "??" in line:
                return [Refusal(number, "a zero byte, or ??, which begins a trigraph")]
        try:
            tokens = tokens_of(text)
        except BadText as error:
            return [Refusal(error.line, error.reason)]
        found = [
            Refusal(token.line, reason)
            for i, token in enumerate(tokens)
            if (reason := self.fault_at(tokens, i))
        ]
        if not main_of(tokens) or main_of(tokens) not in self.mains:
            place = next((token.line for token in tokens if token.text == "main"), 1)
            found.append(Refusal(place, "main() must stay as it is in the lab's file"))
        elif sum(token.text == "main" for token in tokens) > 1:
            found.append(Refusal(tokens[-1].line, "main may be named only once"))
        return list(dict.fromkeys(sorted(found, key=lambda one: one.line)))

    def fault_at(self, tokens: Sequence[Token], i: int) -> str:
        token = tokens[i]
        before = tokens[i - 1].text if i > 0 else ""
        after = tokens[i + 1].text if i + 1 < len(tokens) else ""
        if token.kind == "directive":
            return directive_fault(token.text, self.directives, self.by_hand)
        if token.kind == "sign":
            return self.sign_fault(token, tokens, i, after)
        if token.kind == "name":
            return self.name_fault(token.text, before, after, tokens, i)
        return ""

    def sign_fault(self, token: Token, tokens: Sequence[Token], i: int, after: str) -> str:
        if token.text in ("##", "%:%:", "#", "%:", "\\", "@", "`"):
            return f"{token.text}: is not allowed outside of texts"
        if not token.text.isascii():
            return f"{token.text}: only letters of ASCII are allowed outside of texts and comments"
        # a[[&] {...}()] is no attribute, and nobody writes it: it is refused as well.
        if token.text == "[[" or (token.text in ("[", "<:") and after in ("[", "<:")):
            if foreign := foreign_attribute(tokens, i + (1 if token.text == "[[" else 2)):
                return (
                    f"[[{foreign}: only the attributes {', '.join(sorted(ATTRIBUTES))} are allowed"
                )
        if token.text == "::" and not self.is_qualifier(tokens, i):
            name = f"::{after}"
            if name not in self.qualified:
                return f"{name}: a name of the global namespace"
        return ""

    @staticmethod
    def is_qualifier(tokens: Sequence[Token], i: int) -> bool:
        """Whether :: stands behind a name or a template's arguments."""
        before = tokens[i - 1] if i > 0 else None
        if before is None or before.kind == "directive":
            return False
        if before.text in (">", ")", "]"):
            return before.text == ">"
        return before.kind == "name" and before.text not in (
            "return",
            "else",
            "do",
            "case",
            "throw",
        )

    def name_fault(
        self, name: str, before: str, after: str, tokens: Sequence[Token], i: int
    ) -> str:
        if name in ("asm", "__asm", "__asm__"):
            return f"{name}: assembler is not allowed"
        if before == "::" and i >= 2 and tokens[i - 2].kind == "name":
            pair = f"{tokens[i - 2].text}::{name}"
            if pair in self.qualified:
                return ""
            if tokens[i - 2].text == "std" and name not in STANDARD:
                return f"std::{name}: is not one of the names that a lab needs"
            if tokens[i - 2].text == "cub" and not OF_PARTS.fullmatch(name):
                return f"{pair}: only CUB's parts for blocks and warps are allowed"
            if tokens[i - 2].text in self.namespaces:
                return f"{pair}: the lab's file does not use this name"
        if name in ("namespace", "extern", "operator"):
            return self.keyword_fault(name, after, [one.text for one in tokens[i + 1 : i + 5]])
        if name in self.harness and before in MEMBERS and after == "(":
            return f"{name}: a part of the harness that the lab's file does not use"
        if name in BOTH_SIDES and not self.names & BOTH_SIDES:
            return f"{name}: memory that host and device reach without a copy is not for this lab"
        if name in self.names:
            return ""
        if name.startswith(("__", "_")) and (name[1:2].isupper() or name.startswith("__")):
            return "" if DEVICE.fullmatch(name) else f"{name}: a name of the compiler or the system"
        if "$" in name:
            return f"{name}: a name with $"
        if ENGINE.search(name):
            return f"{name}: a name of the engine"
        if name in SYSTEM and before not in MEMBERS and (name not in COMMON or after == "("):
            return f"{name}: reaches the system, other processes or raw addresses"
        if name in self.oracle and after == "(" and before not in MEMBERS:
            return f"{name}: a function of the harness or the oracle; give yours another name"
        return ""

    def keyword_fault(self, name: str, after: str, following: Sequence[str]) -> str:
        """Words whose meaning depends on what follows."""
        if name == "extern" and after != "__shared__":
            return "extern: only shared memory may be declared so"
        if name == "operator" and after in ("new", "delete"):
            return f"operator {after}: must not be replaced"
        # using namespace cooperative_groups; namespace cg = cooperative_groups;
        if name == "namespace" and "cooperative_groups" in (after, *following[2:3]):
            return ""
        if name == "namespace" and after != "{" and after not in self.opened:
            return f"namespace {after}: only an unnamed namespace is allowed"
        return ""


def qualified_names(tokens: Sequence[Token]) -> Iterable[str]:
    """All pairs such as "course::Stream", and "::name" for names of the global namespace."""
    for i in range(len(tokens) - 1):
        if tokens[i].text == "::" and tokens[i + 1].kind == "name":
            if i > 0 and tokens[i - 1].kind == "name":
                yield f"{tokens[i - 1].text}::{tokens[i + 1].text}"
            else:
                yield f"::{tokens[i + 1].text}"


def answer(request: dict[str, Any]) -> list[str]:
    """For caged.py: the refusals of a text, one line each."""
    names = ("models", "oracle", "harness", "namespaces", "by_hand")
    return [
        str(one) for one in Policy(*(request[name] for name in names)).refusals(request["text"])
    ]
