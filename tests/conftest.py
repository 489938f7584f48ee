"""What several suites share: a browser to open the pages in."""

from __future__ import annotations

import os
import shutil

import pytest


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium here")
    with sync_api.sync_playwright() as play:
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        with play.chromium.launch(executable_path=chromium, args=flags) as found:
            yield found
