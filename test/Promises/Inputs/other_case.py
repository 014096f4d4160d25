#===- test/Promises/Inputs/other_case.py - A case with other outputs ---===#
# SPDX-License-Identifier: Apache-2.0
"""other_case.py CASE.npz COPY.npz: the outputs are reversed along their first dimension."""

import sys

import numpy as np

case = np.load(sys.argv[1])
np.savez(sys.argv[2], **{name: case[name][::-1] if name.startswith("out:") else case[name] for name in case.files})
