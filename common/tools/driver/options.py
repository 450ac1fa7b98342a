# SPDX-License-Identifier: MIT
"""nvcc's command-line flags: which ones emucc uses, which it ignores, and which it refuses.

The names and forms are those of `nvcc --help` (CUDA 13.0). A flag that takes a value accepts
`-flag value` and `-flag=value`. A list may hold several values, separated by commas.
"""

from enum import Enum, auto
from typing import NamedTuple


class Form(Enum):
    """What follows a flag."""

    ALONE = auto()
    VALUE = auto()
    LIST = auto()


class Use(Enum):
    """What emucc does with a flag."""

    TAKEN = auto()
    IGNORED = auto()
    REFUSED = auto()


class Option(NamedTuple):
    """One flag. `name` is its long name without dashes; `reason` says why it is not taken."""

    name: str
    form: Form
    use: Use
    reason: str = ""


OPTIONS: dict[str, Option] = {}  # by every name, with its dashes
JOINED = ("-I", "-D", "-U", "-L", "-l", "-O", "-o", "-x", "-t")  # the value may follow at once


def add(use: Use, form: Form, reason: str, *lines: str) -> None:
    """Adds options. A line holds the long name and the short names of one option, without dashes.
    nvcc takes every name with one dash or two, except that a single letter has one."""
    for line in lines:
        names = line.split()
        option = Option(names[0], form, use, reason)
        for name in names:
            OPTIONS[f"-{name}"] = option
            if len(name) > 1:
                OPTIONS[f"--{name}"] = option


add(
    Use.TAKEN,
    Form.ALONE,
    "",
    "preprocess E",
    "generate-dependencies M",
    "generate-nonsystem-dependencies MM",
    "generate-dependencies-with-compile MD",
    "generate-nonsystem-dependencies-with-compile MMD",
    "generate-dependency-targets MP",
    "compile c",
    "device-c dc",
    "device-w dw",
    "device-link dlink",
    "link",
    "lib",
    "run",
    "debug g",
    "dryrun",
    "verbose v",
    "shared",
    "use_fast_math",
    "disable-warnings w",
    "forward-unknown-to-host-compiler",
    "forward-unknown-to-host-linker",
    "forward-unknown-opts",
    "help h",
    "version V",
)
add(
    Use.TAKEN,
    Form.VALUE,
    "",
    "dependency-output MF",
    "dependency-target-name MT",
    "output-file o",
    "output-directory odir",
    "compiler-bindir ccbin",
    "optimize O",
    "x",
    "std",
    "machine m",
    "threads t",
    "gpu-architecture arch",
    "relocatable-device-code rdc",
    "ftz",
    "default-stream",
)
add(
    Use.TAKEN,
    Form.LIST,
    "",
    "pre-include include",
    "library l",
    "define-macro D",
    "undefine-macro U",
    "include-path I",
    "system-include isystem",
    "library-path L",
    "compiler-options Xcompiler",
    "linker-options Xlinker",
    "generate-code gencode",
    "gpu-code code",
    "run-args",
    "options-file optf",
    "Werror",
)

add(Use.TAKEN, Form.ALONE, "", "m64")
add(
    Use.IGNORED,
    Form.ALONE,
    "every line is known to the engine anyway",
    "device-debug G",
    "generate-line-info lineinfo",
)
add(
    Use.IGNORED,
    Form.ALONE,
    "there is no PTX and no GPU code",
    "dlink-time-opt dlto",
    "lto",
    "gen-opt-lto",
    "extra-device-vectorization",
    "keep-device-functions",
    "source-in-ptx src-in-ptx",
    "resource-usage res-usage",
    "extensible-whole-program ewp",
    "no-compress",
    "qpp-config",
    "relocatable-ptx reloc-ptx",
    "no-device-link nodlink",
    "Wmissing-launch-bounds",
    "Wno-deprecated-gpu-targets",
)
add(
    Use.IGNORED,
    Form.VALUE,
    "there is no PTX and no GPU code",
    "maxrregcount",
    "prec-div",
    "prec-sqrt",
    "fmad",
    "dopt",
    "Ofast-compile Ofc",
    "split-compile",
    "split-compile-extended",
    "jump-table-density jtd",
    "compress-mode",
    "device-stack-protector",
    "static-global-template-stub",
    "device-entity-has-hidden-visibility",
    "libdevice-directory ldir",
    "fdevice-time-trace",
)
add(
    Use.IGNORED,
    Form.LIST,
    "there is no PTX and no GPU code",
    "ptxas-options Xptxas",
    "nvlink-options Xnvlink",
    "entries e",
    "optimization-info opt-info",
)
add(
    Use.IGNORED,
    Form.ALONE,
    "the engine's C++ has it always",
    "expt-relaxed-constexpr",
    "extended-lambda",
    "expt-extended-lambda",
    "restrict",
)
add(
    Use.IGNORED,
    Form.ALONE,
    "it has no meaning for g++ and the engine",
    "allow-unsupported-compiler",
    "use-local-env",
    "force-cl-env-setup",
    "objdir-as-tempdir objtemp",
    "no-align-double",
    "keep",
    "save-temps",
    "clean-targets clean",
    "dont-use-profile noprof",
    "jobserver",
    "no-host-device-initializer-list nohdinitlist",
    "no-host-device-move-forward nohdmoveforward",
    "Wreorder",
    "Wdefault-stream-launch",
    "Wext-lambda-captures-this",
    "Wno-deprecated-declarations",
    "display-error-number err-no",
    "no-display-error-number no-err-no",
    "augment-host-linker-script aug-hls",
)
add(
    Use.IGNORED,
    Form.VALUE,
    "it has no meaning for g++ and the engine",
    "cudart",
    "cudadevrt",
    "keep-dir",
    "time",
    "input-drive-prefix idp",
    "dependency-drive-prefix ddp",
    "drive-prefix dp",
    "target-directory target-dir",
    "archiver-binary arbin",
    "host-linker-script hls",
    "brief-diagnostics brief-diag",
    "ftemplate-backtrace-limit",
    "ftemplate-depth",
    "frandom-seed",
)
add(
    Use.IGNORED,
    Form.LIST,
    "it has no meaning for g++ and the engine",
    "diag-error",
    "diag-suppress",
    "diag-warn",
    "archive-options Xarchive",
)
add(
    Use.REFUSED,
    Form.ALONE,
    "the engine makes no PTX and no GPU code",
    "cuda",
    "cubin",
    "fatbin",
    "ptx",
    "optix-ir",
    "ltoir",
    "list-gpu-code code-ls",
    "list-gpu-arch arch-ls",
    "fdevice-syntax-only",
    "compile-as-tools-patch astoolspatch",
)
add(Use.REFUSED, Form.ALONE, "link the objects themselves", "relocatable-link r")
add(Use.REFUSED, Form.ALONE, "the engine's headers need exceptions", "no-exceptions noeh")
add(Use.REFUSED, Form.ALONE, "use EMUCC_ENGINE=count, whose findings have lines", "profile pg")
add(Use.REFUSED, Form.VALUE, "use EMUCC_ENGINE=count, which checks every access", "sanitize")


def named(use: Use) -> list[Option]:
    """The options of one use, each once, by their names."""
    return sorted({option for option in OPTIONS.values() if option.use == use})
