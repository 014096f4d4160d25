#===- test/Hostile/bodies.py - Branches and loops that are not sound, or ask for too much ---===#
# SPDX-License-Identifier: Apache-2.0

import onnx

from case import Case, write

FLAG = "flag = Constant <value = bool {1}> ()"
GO = "go = Identity(c)"


def case(name, code, text, nodes):
    source = f'<ir_version: 8, opset_import: ["" : 17]> g (float[2, 3] x, int64 n, bool b) => (float[m, k] y) {{{nodes}}}'
    return Case(name, code, text, lambda folder: write(folder, onnx.parser.parse_model(source)))


def loop(body, name="bad"):
    return f'{FLAG} [{name}] y = Loop (n, flag, x) <body = l {body}>'


def nested(depth):
    """Loops in loops: each grows what it carries, so that its body is imported twice."""
    if depth == 0:
        return "w0 = Concat <axis = 1> (v0, v0)"
    k = depth
    return (f"w{k} = Loop (n, c0, v{k}) <body = l{k} (int64 i{k}, bool c{k}, float[p, q] v{k - 1}) => (bool g{k}, float[r, s] w{k - 1})"
            f" {{ g{k} = Identity(c{k}) {nested(k - 1)} }}>")


CASES = [
    case("40 a loop that never ends", 4, "'bad'.*never ends",
         '[bad] y = Loop ("", "", x) <body = l (int64 i, bool c, float[2, 3] v) => (bool go, float[2, 3] w) '
         f'{{ {GO} w = Relu(v) }}>'),
    case("40 a body without its inputs", 3, "'bad'.*2 inputs", loop(f"(int64 i, bool c) => (bool go, float[2, 3] w) {{ {GO} w = Relu(x) }}")),
    case("40 a body without its outputs", 3, "'bad'.*1 output", loop(f"(int64 i, bool c, float[2, 3] v) => (bool go) {{ {GO} }}")),
    case("40 a carried value of another type", 3, "'bad'.*float32.*float16",
         loop(f"(int64 i, bool c, float[2, 3] v) => (bool go, float16[2, 3] w) {{ {GO} w = Cast <to = 10> (v) }}")),
    case("40 a carried value of another rank", 4, "'bad'.*rank",
         loop(f"(int64 i, bool c, float[2, 3] v) => (bool go, float[6] w) {{ {GO} w = ReduceSum <keepdims = 0> (v) }}")),
    case("40 a node in a body that is not supported", 4, "'inner'.*Frobnicate",
         loop(f"(int64 i, bool c, float[2, 3] v) => (bool go, float[2, 3] w) {{ {GO} [inner] w = Frobnicate(v) }}")),
    case("40 loops in loops whose shapes change", 5, "--limit body-nodes",
         "c0 = Constant <value = bool {1}> () v28 = Identity(x) " + nested(28) + " y = Relu(w28)"),
    case("40 a branch that is not supported, in a body", 4, "'inner'.*rank",
         loop(f"(int64 i, bool c, float[2, 3] v) => (bool go, float[2, 3] w) {{ {GO} u = Neg(v) "
              "[inner] w = If (b) <then_branch = t () => (float[2, 3] p) { p = Relu(u) }, "
              "else_branch = e () => (float q) { q = ReduceSum <keepdims = 0> (u) }> }")),
    case("41 branches of other types", 3, "'bad'.*float32.*int64",
         "[bad] y = If (b) <then_branch = t () => (float[2, 3] p) { p = Relu(x) }, "
         "else_branch = e () => (int64[2, 3] q) { q = Cast <to = 7> (x) }>"),
    case("41 branches of other ranks", 4, "'bad'.*rank",
         "[bad] y = If (b) <then_branch = t () => (float[2, 3] p) { p = Relu(x) }, "
         "else_branch = e () => (float q) { q = ReduceSum <keepdims = 0> (x) }>"),
    case("41 a branch without its output", 3, "'bad'.*outputs",
         "[bad] y = If (b) <then_branch = t () => (float[2, 3] p) { p = Relu(x) }, else_branch = e () => () { q = Relu(x) }>"),
]
