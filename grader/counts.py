"""A pytest plug-in: one last line, `N passed, N failed`, that a script can read."""

from __future__ import annotations

import pytest


def pytest_unconfigure(config: pytest.Config) -> None:
    """Errors count as failures; skipped tests are said, and count as neither."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    count = {k: len(reporter.stats.get(k, ())) for k in ("passed", "failed", "error")}
    failed = count["failed"] + count["error"]
    print(f"\n{count['passed']} passed, {failed} failed")
