#===- test/Onnx/test_reference.py - lib/Reference in ONNX's own tests ---===#
# SPDX-License-Identifier: Apache-2.0
"""Through the program CUPOLA_BIN/cupola-reference, with arrays in .npz files."""

import os
import pathlib
import subprocess
import tempfile

import numpy as np
from onnx import helper
from onnx.backend import base
from suite import cases

TOOL = pathlib.Path(os.environ["CUPOLA_BIN"]) / "cupola-reference"
KINDS = {"bfloat16", "bool", "float16", "float32", "float64", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (2, 4, 8, 16, 32, 64)),
         "float4_e2m1fn", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"}


class Rep(base.BackendRep):

    def __init__(self, model):
        self.model = model

    def run(self, inputs, **kwargs):
        initial = {tensor.name for tensor in self.model.graph.initializer}
        names = [value.name for value in self.model.graph.input if value.name not in initial]
        # What an .npz cannot hold is refused by the model's types.
        feeds = {"in:" + name: array.astype(str) if array.dtype.kind in "OSU" else array
                 for name, array in _arrays(dict(zip(names, inputs, strict=True)))
                 if hasattr(array, "dtype") and (array.dtype.name in KINDS or array.dtype.kind in "OSU")}
        with tempfile.TemporaryDirectory() as folder:
            model, case, out = (pathlib.Path(folder) / file for file in ("model.onnx", "in.npz", "out.npz"))
            model.write_bytes(self.model.SerializeToString())
            np.savez(case, **feeds)
            done = subprocess.run([TOOL, model, case, out], capture_output=True, text=True, check=False)
            if done.returncode == 4:
                raise NotImplementedError(done.stderr)
            assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr}"
            with np.load(out) as found:
                return [_result(found, value) for value in self.model.graph.output]


def _arrays(inputs):
    """A sequence x is x[0], x[1], .., or x[] where it is empty; an optional that is absent is left out."""
    for name, value in inputs.items():
        if isinstance(value, list):
            yield from ((f"{name}[{i}]", element) for i, element in enumerate(value))
            if not value:
                yield f"{name}[]", np.zeros(0, np.float32)
        elif value is not None:
            yield name, value


def _result(found, value):
    """The reverse, of an output."""
    if value.name in found:
        return _typed(found[value.name], value)
    if value.type.HasField("optional_type") and f"{value.name}[0]" not in found:
        return None
    return [found[f"{value.name}[{i}]"] for i in range(len(found.files)) if f"{value.name}[{i}]" in found]


def _typed(array, value):
    """numpy has no name for bfloat16 and types of up to 8 bits in a file; onnx has strings as objects."""
    if array.dtype.kind == "U":
        return array.astype(object)
    return array.view(helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)) if array.dtype.kind == "V" else array


class Backend(base.Backend):
    is_compatible = None                                 # what is refused raises

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        return Rep(model)


globals().update(cases(Backend, __name__))
