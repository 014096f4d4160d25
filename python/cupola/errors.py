#===- python/cupola/errors.py - One class of exception for each exit code ---===#
# SPDX-License-Identifier: Apache-2.0
"""Errors of Cupola. `code` is the exit code that the command line would have (docs/exit-codes.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Problem:
    """A reason why a model cannot be compiled. `node` (its name, or its first output) and `op` are empty where the problem is of
    the whole model; `reason` is the text without the node, `text` the whole error. `decided_by_inputs`: the inputs of a run
    (`given`, of `compile`), in values or extents, may decide it."""

    code: int
    node: str
    op: str
    opset: int
    reason: str
    text: str
    decided_by_inputs: bool = False

    def __str__(self) -> str:
        return self.text


class Error(RuntimeError):
    """What every error of Cupola is. `problems` lists all of a model's, in its order, and `node`, `op`, `opset` and `reason` are
    those of the first one; without one they are empty, 0, and the message."""

    code = 70

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        first = self.problems[0] if self.problems else Problem(self.code, "", "", 0, message, message)
        self.node, self.op, self.opset, self.reason = first.node, first.op, first.opset, first.reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.problems)  # as between processes


class FindingError(Error):
    """The simulator found a defect in a kernel."""

    code = 1


class UsageError(Error, ValueError):
    """A wrong call, option, array or value."""

    code = 2


class ModelError(Error, ValueError):
    """The model is malformed."""

    code = 3


class UnsupportedError(Error, NotImplementedError):
    """The model is well-formed, but needs what is not implemented."""

    code = 4


class LimitError(Error):
    """A limit was exceeded."""

    code = 5


class ResourceError(Error):
    """A device, a driver, a library or memory is missing."""

    code = 6


class PackageError(Error, ValueError):
    """The package is damaged, or of another format."""

    code = 7


class FileError(Error, OSError):
    """A file could not be read or written."""

    code = 8


class InternalError(Error):
    """A bug of Cupola."""

    code = 70


class CancelledError(Error):
    """The call was told to stop."""

    code = 130


CLASSES: dict[int, type[Error]] = {
    kind.code: kind
    for kind in (FindingError, UsageError, ModelError, UnsupportedError, LimitError, ResourceError, PackageError, FileError,
                 InternalError, CancelledError)
}


def of(code: int, message: str, problems: Sequence[Problem] = ()) -> Error:
    """The error of a code of the C interface."""
    return CLASSES.get(code, InternalError)(message, problems)
