#===- python/cupola/cache.py - The caches of a decoder, in one memory each ---===#
# SPDX-License-Identifier: Apache-2.0
"""For models compiled with `alias`, whose caches stay where they are."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import UsageError
from .session import Array, Session
from .tensors import Tensor, empty


class KVCache:
    """Host memory for every input of a session that shares it with an output: room for `rows` rows, of which the first `self.rows`
    are in use, none at first. `extents` has the values of the other symbols in their shapes, {"batch": 1}."""

    def __init__(self, session: Session, rows: int, extents: Mapping[str, int] | None = None) -> None:
        self.session = session
        outputs = {tensor.name: tensor for tensor in session.outputs}
        self._partners = {tensor.name: tensor.shares_with for tensor in session.inputs if tensor.shares_with is not None}
        if not self._partners:
            raise UsageError("no input of the session shares its memory with an output: compile the model with alias")
        self._views: dict[str, Array] = {}
        self._axes: dict[str, int] = {}
        for tensor in session.inputs:
            if tensor.shares_with is not None:
                self._axes[tensor.name] = axis = _axis(tensor, outputs[tensor.shares_with])
                shape = [_extent(tensor, dim, extents or {}) if i != axis else rows for i, dim in enumerate(tensor.shape)]
                memory = empty(shape, tensor.dtype)
                self._views[tensor.name] = memory[(slice(None),) * axis + (slice(0),)]

    @property
    def rows(self) -> int:
        """How many are in use."""
        name, axis = next(iter(self._axes.items()))
        return int(self._views[name].shape[axis])

    def run(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """`Session.run` with the caches beside the other inputs; afterwards they have the rows that it appended. Raises UsageError
        where there is no room, and then they are as before."""
        outputs = self.session.run({**inputs, **self._views})
        self._views = {name: outputs[partner] for name, partner in self._partners.items()}
        return outputs

    def clear(self) -> None:
        """No rows in use; the memory stays."""
        self._views = {name: view[(slice(None),) * self._axes[name] + (slice(0),)] for name, view in self._views.items()}


def _axis(before: Tensor, after: Tensor) -> int:
    """Where an output has more rows than the input whose memory it lies in."""
    return next(i for i, dims in enumerate(zip(before.shape, after.shape)) if dims[0] != dims[1])


def _extent(tensor: Tensor, dim: int | str, extents: Mapping[str, int]) -> int:
    if isinstance(dim, int):
        return dim
    if dim not in extents:
        raise UsageError(f"input '{tensor.name}' has the extent '{dim}', and extents says {dict(extents)}")
    return extents[dim]
