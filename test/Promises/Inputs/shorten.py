#===- test/Promises/Inputs/shorten.py - A case whose inputs do not fit together ---===#
# SPDX-License-Identifier: Apache-2.0
"""shorten.py CASE.npz ARRAYS AXIS OUT.npz: copies the case with the arrays that a pattern matches one element shorter along AXIS."""

import fnmatch
import sys

import numpy as np

case, pattern, axis, out = sys.argv[1:]
arrays = dict(np.load(case))
for name in fnmatch.filter(arrays, pattern):
    arrays[name] = np.delete(arrays[name], -1, int(axis))
np.savez(out, **arrays)
