#===- test/Transforms/Inputs/pack_weights.py - products of weights of a few bits, as models write them ---===#
# SPDX-License-Identifier: Apache-2.0
"""A function for each case. The integers are those of a formula."""


def dense(values, shape, element):
    """A constant; bytes as hex digits, else one row-major list of numbers."""
    if element in ("i8", "ui8"):
        return f'graph.constant dense<"0x{bytes(v % 256 for v in values).hex()}"> : {tensor(shape, element)}'
    nested = values
    for extent in reversed(shape[1:]):
        nested = [nested[i:i + extent] for i in range(0, len(nested), extent)]
    return f"graph.constant dense<{nested}> : {tensor(shape, element)}"


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


class Function:
    """%a times `integers * scale`, both [depth, columns]; scales of blocks of the depth."""

    def __init__(self, name, depth=64, columns=64, block=32, least=-8, levels=16, element="f32", zeros=False, uses=1):
        self.lines = []
        self.shape = [depth, columns]
        self.element = element
        integers = [least + (7 * k + 3 * n) % levels for k in range(depth) for n in range(columns)]
        f = tensor(self.shape, element)
        a = tensor([4, depth], element)
        out = tensor([4, columns], element)
        print(f"func.func @{name}(%a: {a}) -> {out} {{")
        kind = "i8" if least < 0 else "ui8"
        self.line("q", f"{dense(integers, self.shape, kind)} : {tensor(self.shape, kind)}")
        self.line("f", f"graph.cast %q : {tensor(self.shape, kind)} -> {f}")
        if zeros:
            self.blocks("z", block, lambda b, n: float((b + n) % 16))
            self.line("d", f"graph.binary sub %f, %z : {f}, {f} -> {f}")
        self.blocks("s", block, lambda b, n: 0.5 + b + n)
        self.line("w", f"graph.binary mul %{'d' if zeros else 'f'}, %s : {f}, {f} -> {f}")
        self.line("y", f"graph.matmul %a, %w : {a}, {f} -> {out}")
        for i in range(1, uses):
            self.line(f"y{i}", f"graph.matmul %y, %w : {out}, {f} -> {out}")
        print(f"  return %y{uses - 1 if uses > 1 else ''} : {out}\n}}")

    @staticmethod
    def line(name, text):
        print(f"  %{name} = {text}")

    def blocks(self, name, block, number):
        """One number for each block and column, repeated: %name."""
        depth, columns = self.shape
        shape = [depth // block, 1, columns]
        values = [number(b, n) for b in range(shape[0]) for n in range(columns)]
        spread = [shape[0], block, columns]
        self.line(name + "b", f"{dense(values, shape, self.element)} : {tensor(shape, self.element)}")
        self.line(name + "r", f"graph.broadcast %{name}b : {tensor(shape, self.element)} -> {tensor(spread, self.element)}")
        self.line(name, f"graph.reshape %{name}r : {tensor(spread, self.element)} -> {tensor(self.shape, self.element)}")


Function("signed")
Function("zeros", least=0, zeros=True)
Function("columns", block=64)
Function("small_blocks", block=16)
Function("half", element="f16")
Function("narrow_blocks", block=8)
Function("ragged", depth=80, block=16)
Function("eight_bits", levels=17)
Function("few", columns=8)
Function("double", element="f64")
Function("square", uses=2)
