#===- python/cupola/package.py - Packages: compiled models ---===#
# SPDX-License-Identifier: Apache-2.0
"""A package is one file with plan, CUDA sources, CPU code and weights. It is code, and trusted like a program."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from typing import Any

from . import _runtime
from .composites import Composite, composites_of
from .tensors import Tensor, describe

MAGIC = b"\x89CUP\r\n\x1a\n"  # what the file begins with


@dataclass(frozen=True)
class ModelMetadata:
    """What a model says about itself; empty, and 0, where it says nothing."""

    producer_name: str = ""
    producer_version: str = ""
    graph_name: str = ""
    graph_description: str = ""
    domain: str = ""
    description: str = ""
    version: int = 0
    custom_metadata_map: dict[str, str] = field(default_factory=dict)


class Package:
    """A compiled model in memory, all of it verified; immutable, for any number of sessions and threads. It can be pickled."""

    def __init__(self, native: _runtime.Package) -> None:
        """Users call `load`, `from_bytes` or `cupola.compile`."""
        self.native = native

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Package:
        """Reads and verifies a file. Raises FileError, or PackageError where it is damaged."""
        return cls(_runtime.Package.of_file(os.fspath(path)))

    @classmethod
    def from_bytes(cls, data: Any) -> Package:
        """The same for the bytes of a file (any contiguous buffer), which are copied."""
        return cls(_runtime.Package.of_bytes(memoryview(data).cast("B")))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, which is there whole or not at all. Raises OSError."""
        path = os.fspath(path)
        descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".", suffix=".part")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(self.contents())
                file.flush()
                os.fsync(file.fileno())
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    def contents(self) -> memoryview:
        """The bytes of the file, without a copy; the package lives as long as this."""
        return self.native.contents()

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        return describe(self.native.inputs, self.native.outputs, self.native.symbols)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        return describe(self.native.outputs, self.native.inputs, self.native.symbols)

    @property
    def input_composites(self) -> tuple[Composite, ...]:
        """The model's inputs that are no tensors, and which of `inputs` they are."""
        return composites_of(self.native.composites, self.inputs, is_output=False)

    @property
    def output_composites(self) -> tuple[Composite, ...]:
        return composites_of(self.native.composites, self.outputs, is_output=True)

    @property
    def metadata(self) -> ModelMetadata:
        """The model's own, also of onnxruntime's `get_modelmeta`."""
        kept = self.native.metadata
        return ModelMetadata(kept.producer_name, kept.producer_version, kept.graph_name, kept.graph_description, kept.domain,
                             kept.description, kept.version, dict(kept.properties))

    def __repr__(self) -> str:
        def side(tensors: tuple[Tensor, ...]) -> str:
            return ", ".join(f"{t.name}: {t.dtype}[{', '.join(map(str, t.shape))}]" for t in tensors)

        return f"<cupola.Package ({side(self.inputs)}) -> ({side(self.outputs)}), {len(self.contents())} bytes>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Package.from_bytes, (bytes(self.contents()),)
