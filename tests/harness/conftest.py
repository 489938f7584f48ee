"""One build for the whole session."""

from __future__ import annotations

import pytest
from building import Built, build_harness


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build_harness(tmp_path_factory.mktemp("build"))
