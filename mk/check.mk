# One command proves everything: make test.
#
# Each suite prints its own lines and leaves its counts in build/check/NAME; mk/suites.sh
# adds them up, refuses an empty suite and prints the last line, `N passed, N failed`.

SUITES := lint simt harness grader content measured docs

.PHONY: test test-simt lint
test: $(READY_DEV) ## run every suite; the last line is `N passed, N failed`
	$(Q)sh mk/suites.sh $(SUITES)

test-simt: $(READY_DEV) ## the emulator's suite alone; prints the forms covered
	$(Q)sh mk/suites.sh simt
	$(Q)grep 'forms covered' build/check/simt

lint: $(READY_DEV) ## ruff, mypy, shellcheck
	$(Q)sh mk/suites.sh lint
