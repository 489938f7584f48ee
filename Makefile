# The front door. `make help` lists what it opens.
#
# Every unit goes through one pattern rule, so a new unit is a new folder and no line
# here changes. The rules only set up what is missing (mk/setup.mk) and call the grader;
# what a command does lies in grader/.

.DEFAULT_GOAL := next
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

V ?=
Q := $(if $(V),,@)
export V

# What the learner says, as the grader's options: STEP=v3 DEVICE=gpu SEED=7 GPU=H100
# SCHEDULE=7
RUN := $(if $(STEP),--step '$(STEP)') $(if $(DEVICE),--device '$(DEVICE)') \
       $(if $(SEED),--seed '$(SEED)') $(if $(GPU),--gpu '$(GPU)') \
       $(if $(SCHEDULE),--schedule '$(SCHEDULE)') $(if $(JSON),--json)
KIND_OF = $(if $(KIND),--kind '$(KIND)')
VIEW = $(KIND_OF) $(if $(STEP),--step '$(STEP)') $(if $(GPU),--gpu '$(GPU)') \
       $(if $(SOLUTION),--solution)

include mk/setup.mk
include mk/check.mk

GRADER := $(Q)PYTHONPATH='$(CURDIR)' $(VENV_PYTHON) -m grader

.PHONY: next report grade docs bench list doctor help clean lock setup FORCE

next: $(READY) ## grade the first unfinished chapter and say the next step
	$(GRADER) next $(RUN)

chapter%: $(READY) FORCE ## grade chapter N (STEP=v3 DEVICE=auto|emulator|gpu SEED= GPU=)
	$(GRADER) check '$*' $(RUN)

exercise%: $(READY) FORCE ## grade exercise N, the same way
	$(GRADER) exercise '$*' $(RUN)

solution%: $(READY) FORCE ## grade the reference of chapter N (KIND=exercise: of exercise N)
	$(GRADER) solution '$*' $(KIND_OF) $(RUN)

explore%: $(READY) FORCE ## run unit N in many orders of blocks and warps (SEEDS=50 STEP= KIND=)
	$(GRADER) explore '$*' $(KIND_OF) $(if $(STEP),--step '$(STEP)') \
	    $(if $(SEEDS),--seeds '$(SEEDS)') $(if $(GPU),--gpu '$(GPU)')

profile%: $(READY) FORCE ## what chapter N costs, and where (STEP= GPU= ALL=1 JSON=file TIMELINE=file KIND=exercise)
	$(GRADER) profile '$*' $(VIEW) $(if $(ALL),--all) $(if $(JSON),--json '$(JSON)') \
	    $(if $(TIMELINE),--timeline '$(TIMELINE)')

picture%: $(READY) FORCE ## what lanes touch: LINE=n of chapter N (STEP= BLOCK= WARP= SVG=file)
	$(if $(LINE),,$(error Which line? make picture$* LINE=45))
	$(GRADER) picture '$*' $(VIEW) --line '$(LINE)' $(if $(BLOCK),--block '$(BLOCK)') \
	    $(if $(WARP),--warp '$(WARP)') $(if $(SVG),--svg '$(SVG)')

hint%: $(READY) FORCE ## one more hint for chapter N (STEP=, KIND=exercise)
	$(GRADER) hint '$*' $(KIND_OF) $(if $(STEP),--step '$(STEP)')

reset%: $(READY) FORCE ## put chapter N's skeleton back; asks, keeps a copy (KIND=exercise)
	$(GRADER) reset '$*' $(KIND_OF) $(if $(YES),--yes)

report: $(READY) ## write your progress as one HTML file, build/report.html
	$(GRADER) report

grade: $(READY) ## grade a class: SUBMISSIONS=folder (OUT=folder JOBS=n)
	$(if $(SUBMISSIONS),,$(error Which submissions? make grade SUBMISSIONS=folder))
	$(GRADER) grade '$(SUBMISSIONS)' $(if $(OUT),--out '$(OUT)') \
	    $(if $(JOBS),--jobs '$(JOBS)') $(if $(DEVICE),--device '$(DEVICE)') \
	    $(if $(GPU),--gpu '$(GPU)')

list: $(READY) ## every unit and step, and where you stand
	$(GRADER) list

docs: $(READY_DEV) ## build the web pages, docs/_build/index.html
	$(Q)$(VENV_PYTHON) -m sphinx -q -W --keep-going -c docs -b html . docs/_build
	@echo 'The pages are docs/_build/index.html.'

bench: $(READY) ## how fast the emulator is on this machine
	$(Q)$(MAKE) -s -C lib/simt OUT='$(CURDIR)/build/lib' bench \
	    $(if $(strip $(NVCC_FOUND)),,NVCC='$(wildcard $(VENV)/lib/python3*/site-packages/nvidia/cu13/bin/nvcc)')

doctor: ## what this machine has and lacks, and the command that mends it
	$(Q)PYTHONPATH='$(CURDIR)' $(PYTHON) -S grader/doctor.py

setup: $(READY) ## fetch what is missing, and nothing else
	@echo 'Everything is in place.'

compile_commands.json: $(READY) FORCE ## for an editor: how each file is compiled
	$(GRADER) compile-commands

clean: ## remove what was built; your work and its record stay
	$(Q)rm -rf build docs/_build compile_commands.json

help: ## this list
	@awk -F ':.*## ' '/^[a-z_.%-]+:.*## / {n = $$1; sub(/%$$/, "N", n); \
	    printf "  %-22s %s\n", n, $$2}' Makefile mk/setup.mk mk/check.mk
