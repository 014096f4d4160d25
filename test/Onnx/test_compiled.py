#===- test/Onnx/test_compiled.py - Compiled models, by cupola.backend, in ONNX's own tests ---===#
# SPDX-License-Identifier: Apache-2.0
"""On the CPU, or with CUPOLA_ONNX_DEVICE=CUDA on the GPU, with SIM in the simulator, which onnx takes for a CPU."""

import os

import cupola.backend
from suite import cases

OPTIONS = {"isolate": False, "threads": 1, "cache_dir": "none", "allow_decoders": True}
DEVICE = os.environ.get("CUPOLA_ONNX_DEVICE", "CPU")


class Backend(cupola.backend.Backend):
    is_compatible = None                                 # would skip what is to raise

    @classmethod
    def supports_device(cls, device):
        return device == DEVICE.replace("SIM", "CPU")

    @classmethod
    def prepare(cls, model, device="CPU"):
        return super().prepare(model, DEVICE, **OPTIONS)


globals().update(cases(Backend, __name__))
