#===- test/Transforms/Inputs/chains.py - chains of cheap ops before and after a hero ---===#
# SPDX-License-Identifier: Apache-2.0
"""chains.py COUNT: prints a module with `op1`, `op2`, .. before a reduction and after one, and a walk from index to index before one."""

import sys

TYPE, INDICES = "tensor<4x8xf32>", "tensor<4x8xi32>"


def chain(first, count):
    names = [first] + [f"%{i}" for i in range(1, count + 1)]
    return [f'  {y} = graph.unary neg {x} : {TYPE} -> {TYPE} loc("op{i}")' for i, (x, y) in enumerate(zip(names, names[1:]), 1)]


def main(count):
    last = f"%{count}"
    print(f"func.func @prologue(%x: {TYPE}) -> tensor<4x1xf32> {{", *chain("%x", count), sep="\n")
    print(f'  %s = graph.reduce sum {last} [1] : {TYPE} -> tensor<4x1xf32> loc("sum")\n  return %s : tensor<4x1xf32>\n}}')
    print(f"func.func @epilogue(%x: {TYPE}) -> {TYPE} {{")
    print(f'  %h = graph.softmax %x axis 1 : {TYPE} -> {TYPE} loc("softmax")', *chain("%h", count), sep="\n")
    print(f"  return {last} : {TYPE}\n}}")
    print(f"func.func @walk(%links: tensor<99xi32>, %0: {INDICES}) -> tensor<4x1xi32> {{")
    for i in range(1, count + 1):
        print(f'  %{i} = graph.gather %links, %{i - 1} axis 0 {{in_range}} : tensor<99xi32>, {INDICES} -> {INDICES} loc("op{i}")')
    print(f'  %s = graph.reduce sum {last} [1] : {INDICES} -> tensor<4x1xi32> loc("sum")\n  return %s : tensor<4x1xi32>\n}}')


main(int(sys.argv[1]))
