# What a fresh machine lacks: Debian packages, Python packages, the CUDA compiler.
#
# Each has a stamp that depends on what it was made from, so a warm `make` runs none of
# this. Nothing is fetched but what the lock files name, by its hash.

PYTHON ?= $(shell sh mk/python.sh)
VENV := .venv
VENV_PYTHON := $(VENV)/bin/python

# Is there an nvcc already? The grader looks in the same places.
NVCC_SEARCH := $(or $(WORKBOOK_NVCC_SEARCH),path,system,venv)
comma := ,
NVCC_PLACES := $(subst $(comma), ,$(NVCC_SEARCH))
NVCC_FOUND := $(if $(filter path,$(NVCC_PLACES)),$(shell command -v nvcc)) \
              $(if $(filter system,$(NVCC_PLACES)),$(wildcard /usr/local/cuda/bin/nvcc))
NVCC_STAMP := $(if $(strip $(NVCC_FOUND)),,$(VENV)/.nvcc)

READY := build/.packages $(VENV)/.run $(NVCC_STAMP)
READY_DEV := $(READY) $(VENV)/.dev

build/.packages: mk/packages.sh
	$(Q)mkdir -p build
	$(Q)sh mk/packages.sh
	$(Q)touch $@

$(VENV)/.run: requirements.lock mk/venv.sh | build/.packages
	$(Q)sh mk/venv.sh '$(PYTHON)' '$(VENV)' requirements.lock
	$(Q)touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	$(Q)sh mk/venv.sh '$(PYTHON)' '$(VENV)' requirements-dev.lock
	$(Q)touch $@

$(VENV)/.nvcc: requirements-cuda.lock $(VENV)/.run
	@echo 'No nvcc here: fetching the CUDA 13.0 compiler into .venv (about 300 MB).'
	$(Q)sh mk/venv.sh '$(PYTHON)' '$(VENV)' requirements-cuda.lock
	$(Q)touch $@

lock: $(VENV)/.dev ## make the lock files anew from pyproject.toml
	$(Q)sh mk/lock.sh '$(VENV_PYTHON)'
