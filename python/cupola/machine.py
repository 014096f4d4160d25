#===- python/cupola/machine.py - The devices of this machine, and packages for them ---===#
# SPDX-License-Identifier: Apache-2.0
"""What there is to run on, and what a model is compiled for to run there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from . import _runtime
from .package import MAGIC, Package


@dataclass(frozen=True)
class DeviceInfo:
    """A device, or with a `reason` what is missing for one. `arch` of the processor is its highest level, x86-64-v4, which runs code of
    the lower ones, too; of a GPU sm_90. `memory_bytes` of cpu and sim are the machine's. `driver`, of cuda, is the newest CUDA that it
    knows, "12.4"."""

    name: str
    ordinal: int
    arch: str
    description: str
    memory_bytes: int
    driver: str
    reason: str

    @property
    def is_there(self) -> bool:
        return not self.reason


def devices() -> tuple[DeviceInfo, ...]:
    """The processor, every GPU or one entry with the reason why there is none, the simulator. Nothing of a GPU is taken."""
    return tuple(
        DeviceInfo(found.name, found.ordinal, found.arch, found.description, found.memory_bytes, found.driver, found.reason)
        for found in _runtime.devices())


def found(device: str, ordinal: int = 0) -> _runtime.Device:
    """The device that this name stands for here. Raises ResourceError where it is missing."""
    return _runtime.Device.create(device, "", ordinal, 1, "none")


def compiled(model: Any, device: _runtime.Device, **options: Any) -> Package:
    """A package for the device: the model itself where it is one (a Package, its path or its bytes), else what `cupola.compile` makes of
    it for this device alone. `options` are those of `cupola.compile`."""
    given = packaged(model)
    if given is not None:
        return given
    from .compiler import compile
    return compile(model, **{**target(device), **options})


def packaged(model: Any) -> Package | None:
    """The package that `model` is, or None for what is to be compiled."""
    if isinstance(model, Package):
        return model
    if isinstance(model, (str, os.PathLike)):
        try:
            with open(model, "rb") as file:
                return Package.load(model) if file.read(len(MAGIC)) == MAGIC else None
        except OSError:
            return None  # whose error the compiler says
    if isinstance(model, (bytes, bytearray, memoryview)) and bytes(model[:len(MAGIC)]) == MAGIC:
        return Package.from_bytes(model)
    return None


def target(device: _runtime.Device) -> dict[str, Any]:
    """The options of `cupola.compile` that mean this device alone."""
    if device.name == "cpu":
        return {"targets": "cpu", "cpu": device.arch}
    return {"targets": "cuda", **({"arch": device.arch, "source_only": True} if device.name == "sim" else {})}
