#===- tools/dev/fuzzing/shapes.py - A model with named extents at others than it was drawn with ---===#
# SPDX-License-Identifier: Apache-2.0

import numpy as np

from fuzzing import peers

# At other shapes nobody has looked at whether a sum lies between two steps, or fits into a narrow type.
STEPPING = ("Cast", "CastLike", "QuantizeLinear", "DynamicQuantizeLinear", "QLinearMatMul", "QLinearConv")
WAYS = (1e-6, -1e-6)      # by how much inputs are moved to see which outputs hang on the last bits


def other_case(sample, draft):
    """(inputs, expected, tolerances) at other extents by onnxruntime; None where the model is bound to those that it was drawn with."""
    wanted = {extent: draft.random.choice([n for n in (2, 3, 4, 6, 9, 11, 20) if n != extent]) for extent in sorted(draft.named)}
    feeds = {name: draft.data(array.dtype, [wanted.get(extent, extent) for extent in array.shape])
             for name, array in sample.feeds.items()}
    if max((array.size for array in feeds.values()), default=0) > 40000:
        return None
    if any(node.op_type in STEPPING for node in sample.model.graph.node):
        return None
    if any(array.dtype.kind in "iu" and np.abs(array.astype(np.float64)).max(initial=0) > 1e6 for array in feeds.values()):
        return None     # sums overflow, which the two do each in its way
    run, names = peers.by_onnxruntime(sample.model), list(sample.expected)
    found = peers.attempt(run, feeds)
    if found is None or not all(np.isfinite(array).all() for array in found):
        return None
    moved = [peers.attempt(run, {name: moved_by(array, way) for name, array in feeds.items()}) for way in WAYS]
    if any(way is None for way in moved):
        return None
    second = peers.attempt(peers.by_reference(sample.model), feeds) or found
    expected, tolerances = {}, {}
    for name, array, *others in zip(names, found, second, *moved):
        spread = max(peers.distance(other, array) for other in others)
        if spread < 1e-3:
            expected[name], tolerances[name] = array, max(10 * peers.TOLERANCE.get(array.dtype, 0), 20 * spread)
    return feeds, expected, tolerances


def moved_by(array, way):
    return (array * (1 + way)).astype(array.dtype) if array.dtype.kind == "f" else array
