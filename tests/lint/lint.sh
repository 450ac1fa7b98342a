#!/bin/sh
# SPDX-License-Identifier: MIT
#   lint.sh format     formats the sources in C++, CUDA, OpenCL and Python in place
#   lint.sh check      checks formatting, the direction of includes and imports, each file's licence, numbers of
#                      pages that no mark fills, and marks not_recorded, and runs clang-tidy, cppcheck, shellcheck,
#                      pyflakes and Python's parser
set -u
cd "$(dirname "$0")/../.." || exit 1

if ! git ls-files --error-unmatch Makefile >/dev/null 2>&1; then
    echo "lint.sh: this folder is not a git repository; git must list the course's files" >&2
    exit 1
fi

# Also new files that are not added yet.
sources() {
    git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while IFS= read -r file; do
        [ -e "$file" ] && printf '%s\n' "$file"
    done
}

failed=0
check() {
    name=$1
    shift
    if "$@"; then
        echo "$name: ok"
    else
        echo "$name: FAILED"
        failed=1
    fi
}

code() { sources '*.hpp' '*.cpp' '*.h' '*.cu' '*.cuh' '*.cl'; }
formatted() {
    # Names the files only. `make format` formats them.
    ! code | xargs -r clang-format --dry-run 2>&1 | sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: .*/\1 is not formatted/p' |
        sort -u | grep .
}
# Debian's black, with the line length of the C++ code.
pythons_formatted() { sources '*.py' | xargs -r black --quiet --check --line-length 100; }
# Names that do not exist, and imports and variables that nobody uses. Commands have no suffix.
names() { sources '*.py' 'common/tools/commands/*' ':!*.cmake' | xargs -r pyflakes3; }
# Strictly: .mypy.ini.
types() { mypy --cache-dir build/mypy common plots; }
directions() { python3 -m tests.lint.directions; }
numbers() { python3 -m tests.lint.numbers; }
tidy() {
    python3 common/tools/setup/compile_commands.py build/lint || return 1
    # clang-tidy needs the flags of a file, so it reads only files that are compiled here. What calls
    # CUDA or NCCL needs std::source_location, which clang has from version 16. The flags of the precompiled
    # headers' empty sources are g++'s own, and so are some warnings.
    sources 'common/*.cpp' 'chapters/*.cpp' \
        ':!common/backends/cuda.cpp' ':!common/backends/runtime_backend.cpp' \
        ':!common/backends/emulator.cpp' ':!common/backends/counting.cpp' \
        ':!common/ranks/nccl_ranks.cpp' ':!common/precompiled/empty.cpp' ':!common/emulator/precompiled/empty.cpp' | while IFS= read -r file; do
        grep -q "\"file\": \"../$file\"" build/lint/compile_commands.json && printf '%s\n' "$file"
    done | xargs -r -P 2 -n 4 clang-tidy -p build/lint --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option 2>/dev/null
}
static_analysis() {
    # cppcheck's preprocessor fails on macros of vector types, and it dislikes CUDA's signatures.
    set --
    for folder in common common/emulator/include common/emulator/libraries/*/include; do set -- "$@" -I "$folder"; done
    sources 'common/*.cpp' 'chapters/*.cpp' | xargs -r cppcheck --quiet --std=c++20 --language=c++ \
        --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
        --suppress=missingIncludeSystem --suppress=unknownMacro --suppress=passedByValue \
        '--suppress=preprocessorErrorDirective:common/emulator/include/*' \
        --suppress=preprocessorErrorDirective:common/emulator/libraries/curand/mtgp32_parameters.cpp "$@"
}
shells() { { sources '*.sh'; echo .ci/run; } | xargs shellcheck; }
# Python's parser, and the length of comments and docstrings, which black leaves as they are.
pythons() { sources '*.py' | PYTHONDONTWRITEBYTECODE=1 xargs -r python3 -c '
import ast, sys
failed = False
for name in sys.argv[1:]:
    text = open(name, encoding="utf-8").read()
    prose = {number for number, line in enumerate(text.splitlines(), 1) if line.lstrip().startswith("#")}
    for node in ast.walk(ast.parse(text, name)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            prose.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    for number, line in enumerate(text.splitlines(), 1):
        if number in prose and len(line) > 100:
            print(f"{name}:{number}: a comment of more than 100 characters")
            failed = True
sys.exit(failed)'; }

# Names the stages whose mark not_recorded can go, because all of their runs are recorded.
marks() { python3 -m plots.maintain.record --needless-marks; }

licences() {
    # The licence is in line 1, or in line 2 after the interpreter. Data and prose have none.
    ! sources '*.hpp' '*.cpp' '*.h' '*.cu' '*.cuh' '*.cl' '*.py' '*.sh' '*.gp' '*.toml' '*.css' '*.js' '*meson.build' Makefile |
        while IFS= read -r file; do
            head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT' || printf '%s\n' "$file has no licence"
        done | grep .
}

case ${1:-} in
    format)
        code | xargs -r clang-format -i
        sources '*.py' | xargs -r black --quiet --line-length 100
        ;;
    check)
        check clang-format formatted
        check black pythons_formatted
        check pyflakes names
        check mypy types
        check directions directions
        check numbers numbers
        check clang-tidy tidy
        check cppcheck static_analysis
        check shellcheck shells
        check python pythons
        check licence licences
        check marks marks
        exit "$failed"
        ;;
    *)
        echo "lint.sh format|check" >&2
        exit 2
        ;;
esac
