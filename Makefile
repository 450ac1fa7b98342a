# SPDX-License-Identifier: MIT
# The front door: every target is one line of `make help`; the work is done by common/tools and Meson.
.DEFAULT_GOAL := all
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
# The toolkit's usual folder, when nvcc is not on PATH already.
export PATH := $(PATH):/usr/local/cuda/bin

tool := python3 -m common.tools.
# The tools are a package: they are found from the course's root.
export PYTHONPATH := $(CURDIR)
export PYTHONDONTWRITEBYTECODE := 1
# Recipes read these from the environment, so that no value is ever read as shell.
export STAGE CHAPTER ENGINE ARGS FILE A B DATA JSON SWEEPS FROM NAME

.PHONY: all test test-all list run try compare counters diff stage chapter figures record sanitize prove benchmark format lint help clean setup setup-lint setup-long build build-counters build-all build-long

all: build  ## set up, build, run every stage verified, draw the figures
	@$(tool)tour

test: build-all  ## set up, build and run all tests
	@$(tool)run_tests

test-all: setup-long build-long  ## make test and the long tests
	@$(tool)run_tests --long

list: build  ## chapters and stages, one line each
	@$(tool)list_stages

run: build  ## run one stage: STAGE=nbody/03_shared_tiles [ENGINE=gpu|emu|count] [ARGS="--n 4096"]
	@$(tool)run_stage

try: build  ## build and run your own CUDA program: FILE=my.cu [ENGINE=gpu|emu|count] [ARGS=…]
	@$(tool)try_program

compare: build  ## every stage of a chapter on one input, as a table and a plot: CHAPTER=nbody [ENGINE=gpu|emu] [ARGS=…]
	@$(tool)compare_stages

counters: build-counters  ## what kernels ask of the memory, and what changed: A=nbody/01_float3 [B=nbody/02_float4] [ARGS=…] [JSON=FILE]
	@$(tool)counters

diff: build  ## what changed between two stages: A=nbody/02_float4 B=nbody/03_shared_tiles
	@$(tool)diff_stages

stage: build  ## a new stage that begins as a copy: FROM=nbody/06_flush_denormals NAME=07_my_idea
	@$(tool)new_stage

chapter: setup  ## a new chapter to begin with: NAME=my_problem
	@$(tool)new_chapter

figures: build  ## the thesis' figures into build/figures: [DATA=recorded|here] [CHAPTER=nbody]
	@$(tool)draw_figures

record: build  ## (GPU) the sweeps at the thesis' sizes into plots/data; resumes where it stopped: [CHAPTER=…] [ENGINE=gpu|cpu|opencl] [SWEEPS=name,name]
	@$(tool)record

sanitize: build  ## (GPU) compute-sanitizer's four tools over every stage: [CHAPTER=…]
	@$(tool)sanitize

prove: build-counters  ## (GPU, ncu) the counters of every stage against the hardware's: [CHAPTER=…] [ARGS="--emulated DIR"]
	@$(tool)prove_counters

benchmark: build-all  ## what the CPU engine costs: a thread, a barrier, a shuffle, and each stage against the serial one
	@meson test -C build --benchmark --no-rebuild --verbose

format: setup-lint  ## format the C++, CUDA and OpenCL sources
	@common/tools/lint.sh format

lint: setup-lint build  ## formatting and static checks
	@common/tools/lint.sh check

help:  ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf 'make %-10s %s\n' "$$name" "$$text"; done

clean:  ## remove everything that was built
	@rm -rf build

setup:
	@common/tools/setup/setup.sh

setup-lint:
	@common/tools/setup/setup.sh --lint

setup-long:
	@common/tools/setup/setup.sh --long

build: setup
	@common/tools/setup/build.sh stages $(if $(filter count,$(ENGINE)),counters)

# Instrumented executables take as long to build as the others, and few calls need them.
build-counters: setup
	@common/tools/setup/build.sh stages counters

# Tests and benchmarks are not built for those who only run stages.
build-all: setup
	@common/tools/setup/build.sh all

# Some programs are only for the long tests.
build-long: setup
	@common/tools/setup/build.sh all long-tests
