# SPDX-License-Identifier: MIT
# Every target is one line of `make help`. Programs of common/tools and plots, and Meson, do the work.
.DEFAULT_GOAL := all
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
# Programs of a venv below build/, if the set-up asked for one. The CUDA toolkit's usual folder, in case nvcc is not on PATH.
export PATH := $(CURDIR)/build/venv/bin:$(PATH):/usr/local/cuda/bin

tool := python3 -m common.tools.
plots := python3 -m plots.
build := common/tools/setup/build.sh
# The tools are Python packages below the course's root.
export PYTHONPATH := $(CURDIR)
# Their bytecode lies in the build folder, not beside the sources.
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache
export PYTHONDONTWRITEBYTECODE :=
# The tools read these from the environment, so the shell never interprets a value. Neither does make:
# $(value …) takes the text as it was typed, where an exported variable would be expanded.
variables := STAGE CHAPTER ENGINE ARGS FILE A B DATA VIEWS PATH_BETWEEN JSON SWEEPS FROM NAME LAB LABS SEED FORMAT DIR DEVICE RANKS PLAN BUDGET PREFIX DESTDIR
$(foreach name,$(variables),$(if $(filter-out undefined,$(origin $(name))),$(eval override $(name) := $$(value $(name)))))
export $(variables)

# $(1): what stands before the words of a target: `##` of all, `##!` of those for maintainers.
hash := \#
help-list = sed -n 's/^\([a-z-]*\):[^$(hash)]*$(1) \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf 'make %-12s %s\n' "$$name" "$$text"; done

.PHONY: all test test-all list run try compare counters view explain diff stage chapter lab check hint progress grade student-edition figures record check-record session sanitize prove instructions verdicts benchmark format lint install uninstall help clean setup setup-lint setup-long configure build build-engine build-counters build-all build-long

all: build  ## set up, build, run and verify every stage, draw the figures
	@$(plots)commands.tour

test: build-all  ## set up, build and run the tests (minutes)
	@$(tool)run_tests

test-all: setup-long build-long  ## set up, build and run all tests, the long ones too
	@$(tool)run_tests --long

list: configure  ## list chapters and stages, one line each
	@$(tool)list_stages

run: setup  ## run one stage: STAGE=nbody/03_shared_tiles [ENGINE=gpu|emu|count] [RANKS=2] [ARGS="--n 4096"]
	@$(build) --stages "$$ENGINE" "$$STAGE"
	@$(tool)run

try: build-engine  ## build and run your own CUDA program, without a GPU checked on the CPU engine: FILE=my.cu [ENGINE=gpu|emu|count] [ARGS=…]
	@$(tool)try_program

compare: setup  ## run every stage of a path on one input, as a table and a plot, without a GPU of recorded times: CHAPTER=nbody[/limit|/all] [ENGINE=gpu|emu] [ARGS=…]
	@$(build) --stages "$$ENGINE" "$$CHAPTER"
	@$(plots)commands.compare

counters: setup  ## count what kernels ask of the memory, and compare two stages or own programs: A=nbody/01_float3 [B=nbody/02_float4|my.cu] [RANKS=2] [ARGS=…] [JSON=FILE]
	@$(build) --stages count "$$A" "$$B"
	@$(tool)counters

view: build-engine  ## look inside a program, as a page of build/view: its lines, lanes, threads and findings: STAGE=… | FILE=my.cu | A=… B=… [ARGS=…]
	@$(build) --stages count "$$STAGE" "$$A" "$$B"
	@$(tool)view

explain: setup  ## say for each line that wastes why, and the cure; and a lower bound of the time: FILE=my.cu | STAGE=nbody/02_float4 [DEVICE=h200|gtx980|…] [ARGS=…] [JSON=FILE]
	@$(build) --stages count "$$STAGE" "$$FILE"
	@$(tool)explain

diff: configure  ## show what changed between two stages or own programs: A=nbody/02_float4 B=nbody/03_shared_tiles|my.cu
	@$(tool)diff_stages

stage: configure  ## create a stage as a copy of another one: FROM=nbody/03_shared_tiles NAME=04_my_idea
	@$(plots)commands.new_stage

chapter: setup  ## create a chapter with two stages that work: NAME=my_problem
	@$(plots)commands.new_chapter

lab: configure  ## list the labs, or begin one in my/: [LAB=nbody/03]
	@$(tool)labs.start

check: configure  ## check your file against a lab's goals: LAB=nbody/03 [FILE=my.cu] [SEED=7] [JSON=FILE]
	@$(tool)labs.check

hint: configure  ## reveal a lab's next hint: LAB=nbody/03
	@$(tool)labs.hint

progress: configure  ## list the labs that you have begun, with your points
	@$(tool)labs.progress

grade: configure  ## grade a folder of submissions, a folder or an archive each: DIR=submissions [LABS=nbody/03,basics/02] [SEED=7] [FORMAT=moodle|canvas]
	@$(tool)grading.grade

student-edition: configure  ## write a course for students into an empty folder, without the solutions of labs: DIR=../students [LABS=nbody/03,basics/02]
	@$(tool)edition.write

figures: build  ## draw the figures and write the site into build/figures: [DATA=recorded|here|h100] [CHAPTER=nbody] [VIEWS=yes]
	@stages=$$($(plots)commands.measured_figures --list-viewed) && $(build) --stages count $$stages && $(plots)commands.measured_figures

draw: configure  ## draw what a stage wrote with --output or --next-hop, into build/draw: FILE=points.csv [CHAPTER=kmeans] [PATH_BETWEEN=0,5]
	@$(plots)commands.draw

slides: configure  ## write the chapters as slides into build/slides, to show and to print: [CHAPTER=nbody]
	@$(plots)commands.slides

record: configure  ##! (GPU) measure the sweeps at the thesis' sizes into plots/data; continues where it stopped: [CHAPTER=…] [ENGINE=gpu|cpu|opencl] [SWEEPS=name,name]
	@if [ -n "$$SWEEPS" ]; then stages=$$($(plots)maintain.record --list-stages) && $(build) --stages gpu $$stages; else $(call build-chapter,gpu); fi && $(plots)maintain.record

check-record: configure  ##! judge what make record wrote, before you share it: DIR=plots/data/rtx-4060
	@$(plots)commands.check_record

session: configure  ##! (GPU) do what this machine has not measured or checked yet, or a plan's steps; continues where it stopped: [PLAN=plan.toml] [BUDGET=seconds] [DIR=folder] [CHAPTER=…] [ARGS=--print]
	@$(plots)maintain.session

sanitize: setup  ##! (GPU) run compute-sanitizer's four tools on every stage: [CHAPTER=… | STAGE=…]
	@$(call build-chapter,gpu) && $(plots)maintain.sanitize

prove: setup  ##! (GPU, ncu) compare the counters of every stage with the hardware's: [CHAPTER=… | STAGE=…] [ARGS="--emulated DIR"]
	@$(call build-chapter,gpu) && $(call build-chapter,count) && $(plots)maintain.prove.counters

instructions: setup  ##! (GPU, ncu) compare the instruction counts of make explain with the hardware's: [CHAPTER=… | STAGE=…] [ARGS="--emulated DIR"]
	@$(call build-chapter,gpu) && $(call build-chapter,count) && $(plots)maintain.prove.instructions

verdicts: build-long  ##! (GPU) compare the CPU engine's verdicts on right and wrong programs with compute-sanitizer's: [ARGS=…]
	@$(plots)maintain.prove.verdicts

benchmark: build-all  ##! measure what the CPU engine costs: a thread, a barrier, a shuffle, and each stage against the serial one
	@meson test -C build --benchmark --no-rebuild --verbose

format: setup-lint  ##! format the C++, CUDA and OpenCL sources
	@tests/lint/lint.sh format

lint: setup-lint build  ##! check the formatting and run static checks
	@tests/lint/lint.sh check

install: setup  ## install the CPU engine with cuda-try, cuda-explain, cuda-view and emucc, for use outside of the course: [PREFIX=~/.local] [DESTDIR=folder]
	@common/tools/setup/install.sh install

uninstall:  ## remove what `make install` has installed: [PREFIX=~/.local] [DESTDIR=folder]
	@common/tools/setup/install.sh uninstall

help:  ## print this list
	@$(call help-list,$(hash)$(hash))
	@echo; echo 'To maintain the course:'
	@$(call help-list,$(hash)$(hash)!)

clean:  ## remove everything that was built
	@rm -rf build

setup:
	@common/tools/setup/setup.sh

setup-lint:
	@common/tools/setup/setup.sh --lint

setup-long:
	@common/tools/setup/setup.sh --long

configure: setup
	@$(build) --stages ''

build: setup
	@$(build) stages

# The stages of STAGE or CHAPTER for one engine, or all that this machine runs and, for counting, all that count.
build-chapter = { if [ -n "$$STAGE$$CHAPTER" ]; then $(build) --stages $(1) "$${STAGE:-$$CHAPTER}"; else $(build) stages $(if $(filter count,$(1)),counters); fi; }

# A program of one's own needs the CPU engine, and no stage.
build-engine: setup
	@$(build) engine

# The executables that count take as long to build as all others, and few commands need them.
build-counters: setup
	@$(build) stages counters

# Who only runs stages needs no tests and no benchmarks.
build-all: setup
	@$(build) all

# Only the long tests need some programs.
build-long: setup
	@$(build) all long-tests
