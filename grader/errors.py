"""What is not the learner's fault.

The learner's wrong is a value (a verdict); ours and the caller's is an exception. Each
says what to do about it, and the command line turns it into exit status 2.
"""

from __future__ import annotations

import errno

# Exit statuses of the command line.
SOLVED = 0
UNFINISHED = 1
OURS = 2


class WorkbookError(Exception):
    """Something that a learner's code cannot be blamed for, with its remedy."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


class CallerError(WorkbookError):
    """The command makes no sense: a chapter that does not exist, for one."""


class UnitError(WorkbookError):
    """A unit's own files are missing or broken."""


class JudgeError(WorkbookError):
    """The judge did not do its part."""


def from_os_error(error: OSError) -> WorkbookError:
    """Word a full disk or an unwritable folder so that a person can mend it."""
    where = f" ({error.filename})" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return WorkbookError(
            f"The disk is full{where}.",
            "Free some space (`make clean` removes build/, which can be made again).",
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return WorkbookError(
            f"The workbook may not write here{where}.",
            "Make its folder yours: sudo chown -R $USER . in the workbook's folder,"
            " or clone it where you may write.",
        )
    return WorkbookError(f"{error.strerror or error}{where}.", "Run `make doctor`.")
