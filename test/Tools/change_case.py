#===- test/Tools/change_case.py - A case and what may be wrong with one ---===#
# SPDX-License-Identifier: Apache-2.0
"""change_case.py CASE.npz PREFIX: writes PREFIX.NAME.npz for every change below."""

import sys

import numpy as np

case = dict(np.load(sys.argv[1]))
inputs = {name: value for name, value in case.items() if name.startswith("in:")}
(output,) = case.keys() - inputs.keys()


def element(value):
    changed = case[output].copy()
    changed.flat[7] = value
    return {**inputs, output: changed}


changes = {
    "same": case,
    "other": element(case[output].flat[7] + 0.1),
    "nan": element(np.nan),
    "shape": {**inputs, output: case[output][:, None]},
    "nothing": inputs,
    "unknown": {**case, "out:frob": case[output]},
    "bare": {**case, "frob": case[output]},
}
for name, arrays in changes.items():
    np.savez(f"{sys.argv[2]}.{name}.npz", **arrays)
