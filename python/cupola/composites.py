#===- python/cupola/composites.py - Inputs and outputs that are no tensors ---===#
# SPDX-License-Identifier: Apache-2.0
"""Sequences and optionals are lists and None to users, and so many tensors of a package, which says which ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import UsageError
from .tensors import Tensor, onnxruntime_type

if TYPE_CHECKING:
    from . import _runtime

_KINDS = {1: "sequence", 2: "optional", 3: "optional sequence"}  # by the number of the C interface


@dataclass(frozen=True)
class Composite:
    """An input or output of the model that is no tensor: a "sequence", an "optional", or an "optional sequence". `tensors` are the
    names of those of the package of which it consists; none of an optional that is absent. Their number was said when the model was
    compiled."""

    name: str
    kind: str
    is_absent: bool
    tensors: tuple[str, ...]
    first: int
    """The place of the first one among the package's inputs or outputs."""

    def split(self, value: Any) -> list[Any]:
        """The arrays of `tensors` in a value for it."""
        if self.is_absent or value is None:
            if value is not None or not self.is_absent:
                raise UsageError(f"{self._was()}, but is {'absent' if value is None else 'there'} now")
            return []
        if self.kind == "optional":
            return [value]
        if not isinstance(value, (list, tuple)):
            raise UsageError(f"input '{self.name}' is of type {type(value).__name__}, expected a list of arrays")
        if len(value) != len(self.tensors):
            raise UsageError(f"{self._was()}, but has {len(value)} now: compile with sequences={{'{self.name}': {len(value)}}}")
        return list(value)

    def join(self, results: Mapping[str, Any]) -> Any:
        """Its value, of the arrays of `tensors`."""
        arrays = [results[name] for name in self.tensors]
        return None if self.is_absent else arrays[0] if self.kind == "optional" else arrays

    def type_of(self, tensors: Sequence[Tensor]) -> str:
        """onnxruntime's text of its type among the package's tensors of that side: "seq(tensor(float))". Nothing is known of the elements
        where there are none."""
        text = onnxruntime_type(tensors[self.first].dtype) if self.tensors else "tensor"
        text = text if self.kind == "optional" else f"seq({text})"
        return text if self.kind == "sequence" else f"optional({text})"

    def _was(self) -> str:
        form = "absent" if self.is_absent else "there" if self.kind == "optional" else f"a list of {len(self.tensors)} arrays"
        return f"input '{self.name}' was {form} when the model was compiled"


def composites_of(found: Sequence[_runtime.Composite], tensors: Sequence[Tensor], is_output: bool) -> tuple[Composite, ...]:
    """Of a package, among these inputs or outputs of it."""
    return tuple(Composite(c.name, _KINDS[c.kind], c.is_absent, tuple(t.name for t in tensors[c.first:c.first + c.count]), c.first)
                 for c in found if c.is_output == is_output)


def names_of(tensors: Sequence[Tensor], composites: Sequence[Composite]) -> list[str]:
    """Of the model's inputs or outputs, in its order."""
    names, place = list[str](), 0
    for composite in composites:
        names += [tensor.name for tensor in tensors[place:composite.first]] + [composite.name]
        place = composite.first + len(composite.tensors)
    return names + [tensor.name for tensor in tensors[place:]]


def split(inputs: Mapping[str, Any], composites: Sequence[Composite]) -> Mapping[str, Any]:
    """Inputs of the model as those of the package. An optional that is absent may be left out."""
    if not composites:
        return inputs
    flat = dict(inputs)
    for composite in composites:
        if composite.name in flat:
            flat.update(zip(composite.tensors, composite.split(flat.pop(composite.name))))
    return flat


def joined(results: dict[str, Any], tensors: Sequence[Tensor], composites: Sequence[Composite]) -> dict[str, Any]:
    """Outputs of the package as those of the model."""
    if not composites:
        return results
    values = {composite.name: composite.join(results) for composite in composites}
    return {name: values[name] if name in values else results[name] for name in names_of(tensors, composites)}
