# SPDX-License-Identifier: MIT
# The front door: every target is one line of `make help`; the work is done by common/tools and Meson.
.DEFAULT_GOAL := all
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
# The toolkit's usual folder, when nvcc is not on PATH already.
export PATH := $(PATH):/usr/local/cuda/bin

tool := python3 common/tools/
# Recipes read these from the environment, so that no value is ever read as shell.
export STAGE CHAPTER ENGINE ARGS FILE A B DATA JSON SWEEPS

.PHONY: all test test-all list run try compare counters diff figures record sanitize prove benchmark format lint help clean setup setup-lint setup-long build build-counters build-all

all: build  ## set up, build, run every stage verified, draw the figures
	@$(tool)tour.py

test: build-all  ## set up, build and run all tests
	@$(tool)run_tests.py

test-all: setup-long build-all  ## make test and the long tests
	@$(tool)run_tests.py --long

list: build  ## chapters and stages, one line each
	@$(tool)list_stages.py

run: build  ## run one stage: STAGE=nbody/03_shared_tiles [ENGINE=gpu|emu|count] [ARGS="--n 4096"]
	@$(tool)run_stage.py

try: build  ## build and run your own CUDA program: FILE=my.cu [ENGINE=gpu|emu|count] [ARGS=…]
	@$(tool)try_program.py

compare: build  ## every stage of a chapter on one input, as a table and a plot: CHAPTER=nbody [ENGINE=gpu|emu] [ARGS=…]
	@$(tool)compare_stages.py

counters: build-counters  ## what kernels ask of the memory, and what changed: A=nbody/01_float3 [B=nbody/02_float4] [ARGS=…] [JSON=FILE]
	@$(tool)counters.py

diff: build  ## what changed between two stages: A=nbody/02_float4 B=nbody/03_shared_tiles
	@$(tool)diff_stages.py

figures: build  ## the thesis' figures into build/figures: [DATA=recorded|here] [CHAPTER=nbody]
	@$(tool)draw_figures.py

record: build  ## (GPU) the sweeps at the thesis' sizes into plots/data; resumes where it stopped: [CHAPTER=…] [ENGINE=gpu|cpu|opencl] [SWEEPS=name,name]
	@$(tool)record.py

sanitize: build  ## (GPU) compute-sanitizer's four tools over every stage: [CHAPTER=…]
	@$(tool)sanitize.py

prove: build-counters  ## (GPU, ncu) the counters of every stage against the hardware's: [CHAPTER=…] [ARGS="--emulated DIR"]
	@$(tool)prove_counters.py

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
	@common/tools/setup.sh

setup-lint:
	@common/tools/setup.sh --lint

setup-long:
	@common/tools/setup.sh --long

build: setup
	@common/tools/build.sh stages $(if $(filter count,$(ENGINE)),counters)

# Instrumented executables take as long to build as the others, and few calls need them.
build-counters: setup
	@common/tools/build.sh stages counters

# Tests and benchmarks are not built for those who only run stages.
build-all: setup
	@common/tools/build.sh all
