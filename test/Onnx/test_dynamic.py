#===- test/Onnx/test_dynamic.py - ONNX's own tests, with no extent of an input known while compiling ---===#
# SPDX-License-Identifier: Apache-2.0
"""By cupola.backend on the CPU: what has to be a number is taken from the inputs of the run. A sample, the same in every run; all tests with
CUPOLA_ONNX_SHARE=1."""

import os
import zlib

import cupola.backend
from suite import cases
from test_compiled import OPTIONS

SHARE = int(os.environ.get("CUPOLA_ONNX_SHARE", "12"))


def opened(model):
    """The model with a name of its own for every extent of an input, and outputs that say nothing."""
    result = type(model)()
    result.CopyFrom(model)
    for i, value in enumerate(result.graph.input):
        for j, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"d{i}_{j}"
    for value in result.graph.output:
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.ClearField("shape")
    del result.graph.value_info[:]
    return result


class Backend(cupola.backend.Backend):
    is_compatible = None

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"

    @classmethod
    def prepare(cls, model, device="CPU"):
        return super().prepare(opened(model), device, **OPTIONS)


globals().update(cases(Backend, __name__, lambda name: zlib.crc32(name.encode()) % SHARE == 0))
