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

    def __init__(self, name, **product):
        self.element = product.get("element", "f32")
        depth, columns, uses = product.get("depth", 64), product.get("columns", 64), product.pop("uses", 1)
        a, out = tensor([4, depth], self.element), tensor([4, columns], self.element)
        print(f"func.func @{name}(%a: {a}) -> {out} {{")
        self.product("", **product)
        for i in range(1, uses):
            self.line(f"y{i}", f"graph.matmul %y, %w : {out}, {tensor([depth, columns], self.element)} -> {out}")
        print(f"  return %y{uses - 1 if uses > 1 else ''} : {out}\n}}")

    def product(self, mark, **weights):
        """%a times the weights, whose values have the mark in their names."""
        self.weights(mark, **weights)
        (depth, columns), e = self.shape, self.element
        self.line("y" + mark, f"graph.matmul %a, %w{mark} : {tensor([4, depth], e)}, {tensor(self.shape, e)} -> {tensor([4, columns], e)}")

    def weights(self, mark, depth=64, columns=64, block=32, least=-8, levels=16, element="f32", zeros=False):
        self.shape, self.element = [depth, columns], element
        integers = [least + (7 * k + 3 * n) % levels for k in range(depth) for n in range(columns)]
        f, kind = tensor(self.shape, element), "i8" if least < 0 else "ui8"
        self.line("q" + mark, f"{dense(integers, self.shape, kind)} : {tensor(self.shape, kind)}")
        self.line("f" + mark, f"graph.cast %q{mark} : {tensor(self.shape, kind)} -> {f}")
        if zeros:
            self.blocks("z" + mark, block, lambda b, n: float((b + n) % 16))
            self.line("d" + mark, f"graph.binary sub %f{mark}, %z{mark} : {f}, {f} -> {f}")
        self.blocks("s" + mark, block, lambda b, n: 0.5 + b + n)
        self.line("w" + mark, f"graph.binary mul %{'d' if zeros else 'f'}{mark}, %s{mark} : {f}, {f} -> {f}")

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


class Several(Function):
    """Products of the same %a, whose results only change their shapes."""

    def __init__(self, name, *products):
        print(f"func.func @{name}(%a: {tensor([4, 64], 'f32')}) -> {tensor([8, 32], 'f32')} {{")
        for i, product in enumerate(products):
            self.product(str(i), **product)
        for i, product in enumerate(products):
            columns = product.get("columns", 64)
            shape = tensor([4 * columns // 32, 32], "f32")
            self.line(f"r{i}", f"graph.reshape %y{i} : {tensor([4, columns], 'f32')} -> {shape}")
            self.line(f"p{i}", f"graph.slice %r{i} [\"0\", \"0\"] [1, 1] : {shape} -> {tensor([8, 32], 'f32')}")
            if i:
                last = f"%u{i - 1}" if i > 1 else "%p0"
                part = tensor([8, 32], "f32")
                self.line(f"u{i}", f"graph.binary add {last}, %p{i} : {part}, {part} -> {part}")
        print(f"  return %u{len(products) - 1} : {tensor([8, 32], 'f32')}\n}}")


class Batches(Function):
    """Batches that share the weights, as an importer writes a product with a matrix."""

    def __init__(self, name):
        a, one, all = (tensor(shape, "f32") for shape in ([3, 4, 64], [1, 64, 64], [3, 64, 64]))
        print(f"func.func @{name}(%a: {a}) -> {a} {{")
        self.weights("")
        self.line("o", f"graph.reshape %w : {tensor([64, 64], 'f32')} -> {one}")
        self.line("r", f"graph.broadcast %o : {one} -> {all}")
        self.line("y", f"graph.matmul %a, %r : {a}, {all} -> {a}")
        print(f"  return %y : {a}\n}}")


Function("signed")
Batches("batches")
Function("zeros", least=0, zeros=True)
Function("zeros_of_bytes", least=0, levels=256, zeros=True)
Function("columns", block=64)
Function("small_blocks", block=16)
Function("half", element="f16")
Function("narrow_blocks", block=8)
Function("ragged", depth=80, block=16)
Function("five_bits", least=-16, levels=32)
Function("few", columns=8)
Function("double", element="f64")
Function("square", uses=2)
Several("alike", {}, {"columns": 96})
Several("unlike", {}, {"block": 16})
