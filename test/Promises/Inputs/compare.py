#===- test/Promises/Inputs/compare.py - Compares the outputs of a run with those of a case ---===#
# SPDX-License-Identifier: Apache-2.0
"""compare.py CASE.npz OUTPUTS.npz"""

import sys

import numpy as np

case, outputs = np.load(sys.argv[1]), np.load(sys.argv[2])
expected = {name: case[name] for name in case.files if name.startswith("out:")}
assert expected
for name, want in expected.items():
    got = outputs[name] if name in outputs.files else outputs[name[4:]]
    np.testing.assert_allclose(got, want, rtol=5e-5, atol=5e-5 * np.abs(want).max())
