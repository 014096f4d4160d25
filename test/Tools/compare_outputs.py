#===- test/Tools/compare_outputs.py - Outputs of runs that should agree ---===#
# SPDX-License-Identifier: Apache-2.0
"""compare_outputs.py TOLERANCE EXPECTED.npz OTHER.npz...: |a - b| of every output is at most TOLERANCE of its largest value."""

import sys

import numpy as np

tolerance, expected = float(sys.argv[1]), np.load(sys.argv[2])
for path in sys.argv[3:]:
    other = np.load(path)
    for name in expected.files:
        error, most = np.abs(expected[name] - other[name]).max(), np.abs(expected[name]).max()
        if not error <= tolerance * most or most == 0:
            sys.exit(f"{path}: {name}: {error} of {most}")
