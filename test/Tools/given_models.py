#===- test/Tools/given_models.py - Models that leave open what a node has to know, and files of their inputs ---===#
# SPDX-License-Identifier: Apache-2.0
"""given_models.py STEM writes STEM.conv.onnx, whose node needs all extents of its weights; STEM.steps.onnx, whose node needs the value of
an input, though extents would have to be known, too, if it were not for that; STEM.data.onnx, which data would have to decide; and
.npz files of inputs."""

import sys

import numpy as np
import onnx
import onnx.parser

stem = sys.argv[1]


def save(name, text, **inputs):
    onnx.save(onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 18]>\n' + text), f"{stem}.{name}.onnx")
    np.savez(f"{stem}.{name}.npz", **inputs)


x, w, filters = np.ones((1, 2, 4, 5), np.float32), np.ones((3, 2, 2, 2), np.float32), np.ones((2, 2, 2, 2), np.float32)
save("conv", """g (float[n, c, h, w] x, float[o, i, kh, kw] filters) => (float[N, C, H, W] y) {
  [node] y = Conv(x, filters) }""", x=x, filters=w)
np.savez(f"{stem}.other.npz", x=x, filters=filters)
np.savez(f"{stem}.case.npz", **{"in:x": x, "in:filters": w, "out:y": np.full((1, 3, 3, 4), 8, np.float32)})
save("steps", """g (float[b, n, 1] x, int64[k] steps, float[5] window) => (float[B, F, C, 2] y) <int64 first = {0}> {
  step = Gather(steps, first) [node] y = STFT(x, step, window) }""",
     x=np.ones((1, 9, 1), np.float32), steps=np.array([2, 7]), window=np.ones(5, np.float32))
save("data", """g (float[n, c, k] x, bool[m] mask, float[o, i, k] filters) => (float[N, C, K] y) {
  some = Compress<axis = 0>(filters, mask) [node] y = Conv(x, some) }""",
     x=np.ones((1, 2, 5), np.float32), mask=np.array([True, False, True]), filters=np.ones((4, 2, 2), np.float32))
