#!/usr/bin/env python3
#===- test/models/make_control.py - Branches and loops as small models with their answers ---===#
# SPDX-License-Identifier: Apache-2.0
"""make_control.py -o FOLDER: writes control_NAME.onnx and control_NAME.K.npz (in:NAME and out:NAME, what `cupola verify --case`
reads) for every row of MODELS and set of inputs. The answers are onnxruntime's."""

import numpy as np
import onnx
from references import output_folder, reference, write_case

RANDOM = np.random.default_rng(20261123)


def floats(*shape):
    return RANDOM.uniform(-2, 2, shape).astype(np.float32)


def flag(value):
    return np.array(value)


def number(value):
    return np.array(value, np.int64)


X = floats(3, 4)

# name: signature, nodes, input sets. The bodies use what is around them, constants and each other's names.
MODELS = {
    "if_data": ("(bool c, float[n, 4] x) => (float[n, 4] y)", """
        y = If (c) <then_branch = t () => (float[n, 4] a) { a = Relu(x) },
                    else_branch = e () => (float[n, 4] b) { k = Constant <value = float {2}> () b = Mul(x, k) }>""",
                [{"c": flag(True), "x": X}, {"c": flag(False), "x": X}]),
    "if_passes_through": ("(bool c, float[2] x, float[2] z) => (float[2] y, float[2] w)", """
        y, w = If (c) <then_branch = t () => (float[2] a, float[2] b) { a = Identity(x) b = Neg(z) },
                       else_branch = e () => (float[2] d, float[2] g) { d = Identity(z) g = Identity(x) }>""",
                          [{"c": flag(v), "x": floats(2), "z": floats(2)} for v in (True, False)]),
    "if_names": ("(bool c, float[4] x) => (float[4] y)", """
        a = Identity(x) b = Identity(x)
        y = If (c) <then_branch = t () => (float[4] p) { p = Add(a, b) },
                    else_branch = e () => (float[4] q) { r = Mul(b, x) q = Sub(r, a) }>""",
                 [{"c": flag(c), "x": floats(4)} for c in (True, False)]),
    "if_extent": ("(float[n] x) => (float[m] y, float total)", """
        zero = Constant <value = float {0}> ()
        sum = ReduceSum <keepdims = 0> (x)
        c = Greater(sum, zero)
        part = If (c) <then_branch = t () => (float[a] p) { p = Concat <axis = 0> (x, x) },
                       else_branch = e () => (float[b] q) {
                           s = Constant <value = int64[1] {1}> () l = Constant <value = int64[1] {99}> ()
                           q = Slice(x, s, l) }>
        y = Exp(part)
        total = ReduceSum <keepdims = 0> (y)""",
                  [{"x": np.array([1, 2, 3], np.float32)}, {"x": np.array([-1, -2, -3, .5], np.float32)}]),
    "if_nested": ("(bool c, bool d, float[4] x) => (float[4] y)", """
        k = Sin(x)
        y = If (c) <then_branch = t () => (float[4] a) {
                        v = Add(x, k)
                        a = If (d) <then_branch = tt () => (float[4] aa) { aa = Mul(v, k) },
                                    else_branch = te () => (float[4] ab) { ab = Sub(v, k) }> },
                    else_branch = e () => (float[4] b) { v = Exp(k) b = Neg(v) }>""",
                  [{"c": flag(c), "d": flag(d), "x": floats(4)} for c in (True, False) for d in (True, False)]),
    "loop_trip": ("(int64 n, float[2, 3] x) => (float[2, 3] y)", """
        none = Constant <value = bool {1}> ()
        y = Loop (n, none, x) <body = b (int64 i, bool c, float[2, 3] v) => (bool go, float[2, 3] w) {
            go = Identity(c) f = Cast <to = 1> (i) s = Add(v, f) w = Tanh(s) }>""",
                  [{"n": number(n), "x": floats(2, 3)} for n in (0, 1, 5, -2)]),
    "loop_condition": ("(float[2] x, float most) => (float[2] y)", """
        yes = Constant <value = bool {1}> ()
        y = Loop ("", yes, x) <body = b (int64 i, bool c, float[2] v) => (bool go, float[2] w) {
            w = Add(v, v) m = ReduceMax <keepdims = 0> (w) go = Less(m, most) }>""",
                       [{"x": np.array([1, .5], np.float32), "most": np.array(m, np.float32)} for m in (0, 10, 100)]),
    "loop_both": ("(int64 n, bool begin, float[2] x) => (float[2] y, int64 count)", """
        zero = Constant <value = int64 {0}> ()
        y, count = Loop (n, begin, x, zero) <body = b (int64 i, bool c, float[2] v, int64 k)
                                             => (bool go, float[2] w, int64 k2) {
            one = Constant <value = int64 {1}> () four = Constant <value = int64 {4}> ()
            w = Neg(v) k2 = Add(k, one) go = Less(k2, four) }>""",
                  [{"n": number(n), "begin": flag(c), "x": floats(2)} for n, c in ((3, True), (9, True), (9, False), (0, True))]),
    "loop_exchange": ("(int64 n, float[3] x, float[3] z) => (float[3] y, float[3] w)", """
        yes = Constant <value = bool {1}> ()
        y, w = Loop (n, yes, x, z) <body = b (int64 i, bool c, float[3] v, float[3] u)
                                    => (bool go, float[3] p, float[3] q) {
            go = Identity(c) p = Identity(u) q = Add(v, u) }>""",
                      [{"n": number(n), "x": floats(3), "z": floats(3)} for n in (0, 1, 2, 7)]),
    "loop_rows": ("(int64 n, float[3] x) => (float[3] y, float[r, 3] all, float[r] sums)", """
        yes = Constant <value = bool {1}> ()
        y, all, sums = Loop (n, yes, x) <body = b (int64 i, bool c, float[3] v) => (bool go, float[3] w, float[3] row, float s) {
            go = Identity(c) w = Sin(v) row = Exp(w) s = ReduceSum <keepdims = 0> (row) }>""",
                  [{"n": number(n), "x": floats(3)} for n in (0, 1, 4, 40)]),
    "loop_slices": ("(int64 n, float[5] x) => (float[a] y, float[r, b] all)", """
        yes = Constant <value = bool {1}> () zero = Constant <value = float[1] {0}> ()
        y, all = Loop (n, yes, zero) <body = b (int64 i, bool c, float[p] v) => (bool go, float[q] w, float[q] row) {
            go = Identity(c) front = Constant <value = int64[1] {0}> () one = Constant <value = int64[1] {1}> ()
            start = Unsqueeze(i, front) end = Add(start, one)
            part = Slice(x, start, end) w = Add(v, part) row = Identity(w) }>""",
                    [{"n": number(n), "x": floats(5)} for n in (1, 3, 5)]),   # from 6 on the parts are empty
    "loop_row_extents": ("(int64 n, bool c, float[6] x) => (float[r, b] all)", """
        yes = Constant <value = bool {1}> ()
        all = Loop (n, yes) <body = o (int64 i, bool d) => (bool go, float[q] row) {
            go = Identity(d)
            row = If (c) <then_branch = t () => (float[a] p) { p = Sin(x) },
                          else_branch = e () => (float[b] q) {
                              s = Constant <value = int64[1] {4}> () l = Constant <value = int64[1] {99}> ()
                              q = Slice(x, s, l) }> }>""",
                         [{"n": number(n), "c": flag(c), "x": floats(6)} for n, c in ((1, True), (4, False), (3, True))]),
    "loop_known": ("(float[3] x) => (float[3] y, float[6, 3] all)", """
        six = Constant <value = int64 {6}> ()
        y, all = Loop (six, "", x) <body = b (int64 i, bool c, float[3] v) => (bool go, float[3] w, float[3] row) {
            go = Identity(c) w = Cos(v) row = Neg(w) }>""",
                   [{"x": floats(3)}]),
    "loop_grows": ("(int64 n, float[2, k] x) => (float[2, m] y, float[2] total)", """
        yes = Constant <value = bool {1}> () last = Constant <value = int64[1] {1}> ()
        y = Loop (n, yes, x) <body = b (int64 i, bool c, float[2, p] v) => (bool go, float[2, q] w) {
            go = Identity(c) f = Cast <to = 1> (i) col = ReduceMax <keepdims = 1> (v, last)
            new = Add(col, f) w = Concat <axis = 1> (v, new) }>
        total = ReduceSum <keepdims = 0> (y, last)""",
                   [{"n": number(n), "x": floats(2, k)} for n, k in ((0, 2), (1, 1), (5, 3), (30, 2))]),
    "loop_in_branch": ("(bool c, int64 n, float[2] x) => (float[2] y)", """
        yes = Constant <value = bool {1}> ()
        y = If (c) <then_branch = t () => (float[2] a) {
                        a = Loop (n, yes, x) <body = b (int64 i, bool d, float[2] v) => (bool go, float[2] w) {
                            go = Identity(d) s = Add(v, x)
                            w = If (d) <then_branch = tt () => (float[2] h) { h = Sin(s) },
                                        else_branch = te () => (float[2] g) { g = Cos(s) }> }> },
                    else_branch = e () => (float[2] o) { o = Neg(x) }>""",
                       [{"c": flag(c), "n": number(n), "x": floats(2)} for c, n in ((True, 3), (False, 3), (True, 0))]),
    "loop_in_loop": ("(int64 n, int64 m, float[2] x) => (float[2] y, float[a, b, 2] all)", """
        yes = Constant <value = bool {1}> () three = Constant <value = int64 {3}> ()
        y, all = Loop (n, yes, x) <body = o (int64 i, bool c, float[2] v) => (bool go, float[2] w, float[b, 2] rows) {
            go = Identity(c)
            w, rows = Loop (three, yes, v) <body = p (int64 j, bool d, float[2] u) => (bool on, float[2] t, float[2] r) {
                on = Identity(d) k = Add(i, j) f = Cast <to = 1> (k) s = Add(u, f) t = Sin(s) r = Identity(s) }> }>""",
                     [{"n": number(n), "m": number(2), "x": floats(2)} for n in (1, 4)]),   # with 0, onnxruntime has rows of 0
    "loop_weights": ("(int64 n, float[b, 8] x) => (float[b, 8] y)", f"""
        w = Constant <value = float[8, 8] {{{", ".join(f"{v:.6f}" for v in floats(64) / 4)}}}> ()
        yes = Constant <value = bool {{1}}> ()
        y = Loop (n, yes, x) <body = l (int64 i, bool c, float[b, 8] v) => (bool go, float[b, 8] u) {{
            go = Identity(c) p = MatMul(v, w) t = Tanh(p) u = Add(t, x) }}>""",
                     [{"n": number(n), "x": floats(b, 8)} for n, b in ((3, 1), (6, 5))]),
    "scan_sum": ("(float[2] s, float[t, 2] x) => (float[2] y, float[t, 2] all)", """
        y, all = Scan <num_scan_inputs = 1, body = b (float[2] v, float[2] n) => (float[2] w, float[2] row) {
            w = Add(v, n) row = Identity(w) }> (s, x)""",
                 [{"s": floats(2), "x": floats(t, 2)} for t in (1, 3, 20)]),
    "scan_ways": ("(float[3] s, float[3, 5] x, float[5, 3] z) => (float[3] y, float[3, 5] all)", """
        y, all = Scan <num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [0, 1], scan_output_axes = [1],
                       scan_output_directions = [1],
                       body = b (float[3] v, float[3] n, float[3] m) => (float[3] w, float[3] row) {
            a = Mul(v, n) w = Add(a, m) row = Neg(w) }> (s, x, z)""",
                  [{"s": floats(3), "x": floats(3, 5), "z": floats(5, 3)}]),
    # What an iteration reads and fills up is as long as x, since there are no more of them than elements.
    "loop_shifts": ("(float[2, k] x) => (float[2, k] y)", """
        shape = Shape(x) first = Constant <value = int64[1] {0}> () second = Constant <value = int64[1] {1}> ()
        size = Gather(shape, second) n = Squeeze(size) one = Constant <value = float {1}> () ones = Expand(one, shape)
        y = Loop (n, "", ones) <body = b (int64 i, bool c, float[2, p] v) => (bool go, float[2, q] w) {
            go = Identity(c) shift = Unsqueeze(i, first) rest = Sub(size, shift)
            part = Slice(x, first, rest, second) pads = Concat <axis = 0> (first, shift, first, first)
            shifted = Pad(part, pads, one) w = Mul(v, shifted) }>""",
                    [{"x": floats(2, k)} for k in (1, 7)]),
    # Weights and z are carried and handed on, one of them under another name.
    "loop_hands_on": ("(int64 n, float[2] z, float[b, 2] x) => (float[2, 2] v, float[b, 2] y, float[2] last, float[n, 2] all)", """
        w = Constant <value = float[2, 2] {1.5, 0.5, -0.25, 1.25}> () yes = Constant <value = bool {1}> ()
        v, y, last, all = Loop (n, yes, w, x, z) <body = l (int64 i, bool c, float[2, 2] a, float[b, 2] h, float[2] d)
                                                  => (bool go, float[2, 2] a, float[b, 2] u, float[2] g, float[2] r) {
            go = Identity(c) p = MatMul(h, a) s = Add(p, d) u = Tanh(s) e = Identity(d) g = Identity(e) r = Neg(e) }>""",
                      [{"n": number(n), "z": floats(2), "x": floats(3, 2)} for n in (0, 4)]),
    # Places that data gives count from either end.
    "slice_places": ("(float[n] x, float[k] z) => (float[a] u, float[b] v, float[c] w)", """
        zero = Constant <value = int64[1] {0}> () back = Constant <value = int64[1] {-1}> ()
        far = Constant <value = int64[1] {9223372036854775807}> () low = Constant <value = int64[1] {-9223372036854775807}> ()
        most = ReduceMax <keepdims = 1> (z) at = Cast <to = 7> (most) u = Slice(x, at, far) v = Slice(x, zero, at)
        w = Slice(x, at, low, zero, back)""",
                     [{"x": floats(7), "z": np.array([n - 1, n], np.float32)} for n in (-9, -3, 2)]),
}


def main():
    folder = output_folder(__doc__)
    for name, (signature, nodes, sets) in MODELS.items():
        model = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 18]> {name} {signature} {{{nodes}}}')
        path = folder / f"control_{name}.onnx"
        onnx.save(model, path)
        for k, feeds in enumerate(sets):
            write_case(folder / f"control_{name}.{k}.npz", feeds, reference(path, feeds))


if __name__ == "__main__":
    main()
