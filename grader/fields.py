"""Reading a TOML table strictly: every error names the file and the key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from grader.errors import UnitError


class Fields:
    """A table whose keys are taken one by one; `end` refuses what is left."""

    def __init__(
        self, table: Any, file: str, where: str = "", remedy: str = ""
    ) -> None:
        self._file = file
        self._where = where
        self._remedy = remedy
        if not isinstance(table, dict):
            raise self.error("", "must be a table")
        self._left: dict[str, Any] = dict(table)

    def error(self, key: str, problem: str) -> UnitError:
        place = ".".join(part for part in (self._where, key) if part)
        return UnitError(f"{self._file}: {place}: {problem}.", self._remedy)

    def text(self, key: str, default: str | None = None, pattern: str = "") -> str:
        value = self._take(key, default)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, "must be a text that is not empty")
        if pattern and not re.fullmatch(pattern, value):
            raise self.error(key, f"'{value}' must match {pattern}")
        return value

    def texts(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        value = self._take(key, default)
        if not isinstance(value, list | tuple):
            raise self.error(key, "must be a list of texts")
        if not all(isinstance(item, str) and item for item in value):
            raise self.error(key, "must be a list of texts that are not empty")
        return tuple(value)

    def number(
        self, key: str, default: float | None = None, low: float | None = None
    ) -> float:
        return self._number(key, self._take(key, default), low)

    def numbers(self, key: str) -> dict[str, float]:
        """A table of names and points."""
        value = self._take(key, None)
        if not isinstance(value, dict):
            raise self.error(key, "must be a table of names and points")
        return {k: self._number(f"{key}.{k}", v, 0) for k, v in value.items()}

    def tables(self, key: str) -> list[Fields]:
        value = self._take(key, [])
        if not isinstance(value, list):
            raise self.error(key, f"must be written [[{key}]]")
        where = f"{self._where}.{key}" if self._where else key
        return [
            Fields(table, self._file, f"{where}[{index}]", self._remedy)
            for index, table in enumerate(value)
        ]

    def end(self) -> None:
        for key in self._left:
            raise self.error(key, "is not a key that the grader knows")

    def _take(self, key: str, default: Any) -> Any:
        if key in self._left:
            return self._left.pop(key)
        if default is None:
            raise self.error(key, "is missing")
        return default

    def _number(self, key: str, value: Any, low: float | None) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(key, "must be a number")
        if not abs(value) < float("inf"):
            raise self.error(key, "must be finite")
        if low is not None and value < low:
            raise self.error(key, f"must not be less than {low:g}")
        return value
