#===- test/Promises/Inputs/run_as_case.py - The outputs of a run as the references of a case ---===#
# SPDX-License-Identifier: Apache-2.0
"""run_as_case.py CASE.npz OUTPUTS.npz COPY.npz: the inputs of CASE, the outputs of the run."""

import sys

import numpy as np

case, outputs = np.load(sys.argv[1]), np.load(sys.argv[2])
inputs = {name: case[name] for name in case.files if name.startswith("in:")}
assert inputs and outputs.files
np.savez(sys.argv[3], **inputs, **{"out:" + name.removeprefix("out:"): outputs[name] for name in outputs.files})
