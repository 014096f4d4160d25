#===- python/cupola/torch_calls.py - What a call of a program is ---===#
# SPDX-License-Identifier: Apache-2.0
"""Of nodes of torch.export's programs, for torch_export.py and torch_parts.py."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Node


def storages(nodes: Sequence[Any], key: str = "val") -> set[int]:
    """Which memory the tensors of nodes lie in; a view lies in that of its tensor. Dynamo's graphs have them by another `key`."""
    values = [node.meta.get(key) for node in nodes if isinstance(node, Node)]
    tensors = [tensor for value in values for tensor in (value if isinstance(value, (tuple, list)) else [value])]
    return {tensor.untyped_storage()._cdata for tensor in tensors if isinstance(tensor, torch.Tensor)}


def draws(node: Node) -> bool:
    """Whether it takes random numbers. Ops that may leave numbers out at random say with which chance, and whether they train."""
    if torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ()):
        return False
    arguments = node.target._schema.arguments
    chosen = {argument.name: argument.default_value for argument in arguments}
    chosen |= dict(zip((argument.name for argument in arguments), node.args)) | node.kwargs
    if any(chosen.get(name) is False for name in ("train", "training")):
        return False
    chances = [chosen[name] for name in ("dropout", "dropout_p") if name in chosen]
    return not chances or any(chance != 0 for chance in chances)


def op_name(node: Node) -> str:
    return str(node.target) if isinstance(node.target, torch._ops.OpOverload) else getattr(node.target, "__name__", str(node.target))


def is_number(node: Node) -> bool:
    return isinstance(node.meta.get("val"), (int, float, torch.SymInt, torch.SymFloat, torch.SymBool))


def is_element(node: Node) -> bool:
    return bool(node.target is operator.getitem)


def is_view(node: Node) -> bool:
    return bool(node.all_input_nodes and storages([node]) & storages(node.all_input_nodes[:1]))


def is_complex(node: Node) -> bool:
    value = node.meta.get("val")
    values = value if isinstance(value, (tuple, list)) else [value]
    return any(isinstance(tensor, torch.Tensor) and tensor.is_complex() for tensor in values)


def writes(node: Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and bool(node.target._schema.is_mutable)


def has_effect(node: Node) -> bool:
    return writes(node) or draws(node) or node.meta.get("val") is None
