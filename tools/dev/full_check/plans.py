#===- tools/dev/full_check/plans.py - Steps of a run, launches that only move data, the arena ---===#
# SPDX-License-Identifier: Apache-2.0

import heapq
from collections import Counter

from full_check import roles
from full_check.journal import Row
from kernel_limits import CONTRACTIONS

STEPS = {"bert_base.static": 138, "resnet50.static": 57, "llama_prefill.static": 90, "vit_b16.static": 140}
# At most a step per op of these kinds; what is above that needs a reason.
PER_OP = ("sd_unet.static", "mobilenet_v3_large.static")
COUNTED = {"Conv", "ConvTranspose", "Softmax"}
MEANS = {"GlobalAveragePool", "ReduceMean"}
# Ops of which such a step has some, those beside which it has no other (none given: any), and the reason, which
# docs/rationale/steps.md argues.
REASONS = [({"Gemm", "MatMul"}, None, "linear layer"), (MEANS, None, "mean over an image"),
           ({"Gelu"}, {"Gelu", "Mul", "Split"}, "one half of a layer gates the other"),
           ({"Resize"}, None, "resized image"), ({"Concat"}, None, "joined images"),
           ({"Sin", "Cos", "Cast"}, {"Sin", "Cos", "Cast", "Mul", "Concat", "Slice", "Unsqueeze"}, "positions")]
# TorchScript's dynamic exports may have as many more steps than the static ones, for positions and masks.
DYNAMIC = {"vit_b16.dyn": "vit_b16.static", "bert_base.dyn": "bert_base.static", "sd_unet.dyn": "sd_unet.static"}
MORE = 4
# No launch that only moves data.
NO_MOVES = tuple(STEPS)
# Of others, one that does says why.
MOVES = {"joined", "part", "shared", "uncomputed"}
ARENA_BYTES = {"resnet50.static": 7 << 20}
UNIT = 256       # of an address in the arena


def is_counted(op):
    return op in COUNTED or op.endswith("Normalization")


def reason_of(ops):
    for some, only, reason in REASONS:
        if some & ops and (only is None or ops <= only):
            return reason
    return "no reason: " + " ".join(sorted(ops))


def per_op(model, report):
    """The steps beside the ops that may have one; each step without such an op needs a reason."""
    graph = model.graph()
    kinds = {node.name: node.op_type for node in graph.node}
    constants = {t.name for t in graph.initializer} | {n.output[0] for n in graph.node if n.op_type == "Constant"}
    products = sum(n.op_type == "MatMul" and not constants & set(n.input) for n in graph.node)
    limit = sum(is_counted(kind) for kind in kinds.values()) + products
    schedules, excess = {kernel["name"]: kernel["schedule"] for kernel in report["kernels"]}, Counter()
    for step in report["steps"]:
        ops = {kinds.get(name, "?") for name in step["nodes"]}
        is_mean = ops & MEANS and schedules.get(step["kernel"]) not in CONTRACTIONS      # maybe of what views of a Conv give it
        if is_mean or not any(map(is_counted, ops)):
            excess[reason_of(ops)] += 1
    excess["linear layer"] = max(0, excess["linear layer"] - products)
    above = report["launches"] - limit
    allowed = sum(count for reason, count in excess.items() if not reason.startswith("no reason"))
    note = ", ".join(f"{count} x {reason}" for reason, count in sorted(excess.items()) if count)
    return Row(model.name, "", "steps", str(report["launches"]), f"{limit} + reasons", above <= allowed, note)


def moves(report):
    """The reasons of the launches that only move elements, as the compiler says them, and how many; a copy has none."""
    reasons = {kernel["name"]: kernel["copies"] for kernel in report["kernels"] if "copies" in kernel}
    return Counter(reasons.get(step["kernel"], "no reason") for step in report["steps"]
                   if step["kernel"] in reasons or step["kernel"] is None)


def steps(model, tool):
    report = tool.explain(model.path, "--libraries", "none")
    if model.name in STEPS:
        limit = STEPS[model.name]
        yield Row(model.name, "", "steps", str(report["launches"]), str(limit), report["launches"] <= limit)
    elif model.name in PER_OP:
        yield per_op(model, report)
    elif model.name in DYNAMIC:
        limit = tool.explain(model.folder / f"{DYNAMIC[model.name]}.onnx", "--libraries", "none")["launches"] + MORE
        yield Row(model.name, "", "steps", str(report["launches"]), str(limit), report["launches"] <= limit)
    else:
        yield Row(model.name, "", "steps", str(report["launches"]), "", True)
    found = moves(report)
    passed = not found if model.name in NO_MOVES else set(found) <= MOVES
    limit = "0" if model.name in NO_MOVES else "a reason each"
    note = ", ".join(f"{count} x {reason}" for reason, count in sorted(found.items()))
    yield Row(model.name, "", "launches that only move data", str(found.total()), limit, passed, note)
    yield from roles.rows(model, report)


# The arena, beside what other orders of the same steps would need

def edges(report):
    """Successors of each step: a reader follows every writer."""
    writers, follow = {}, [set() for _ in report["steps"]]
    for i, step in enumerate(report["steps"]):
        for buffer in step["reads"]:
            for writer in writers.get(buffer, []):
                follow[writer].add(i)
        for buffer in step["writes"]:
            writers.setdefault(buffer, []).append(i)
    return follow


def live_peak(report, order):
    """Most bytes of the arena that are alive at one step of an order."""
    first, last = {}, {}
    for time, i in enumerate(order):
        for buffer in report["steps"][i]["reads"] + report["steps"][i]["writes"]:
            if report["buffers"][buffer]["kind"] == "arena":
                first.setdefault(buffer, time)
                last[buffer] = time
    change = [0] * (len(order) + 1)
    for buffer, begin in first.items():
        size = -(-int(report["buffers"][buffer]["bytes"]) // UNIT) * UNIT
        change[begin] += size
        change[last[buffer] + 1] -= size
    peak = now = 0
    for delta in change:
        now += delta
        peak = max(peak, now)
    return peak


def file_order(report, follow, position):
    """Each step as soon as the file has given its last node."""
    waiting = [0] * len(follow)
    for successors in follow:
        for i in successors:
            waiting[i] += 1

    def key(i):
        return max((position.get(name, 0) for name in report["steps"][i]["nodes"]), default=0), i

    ready, order = [key(i) for i, count in enumerate(waiting) if count == 0], []
    heapq.heapify(ready)
    while ready:
        i = heapq.heappop(ready)[1]
        order.append(i)
        for successor in follow[i]:
            waiting[successor] -= 1
            if waiting[successor] == 0:
                heapq.heappush(ready, key(successor))
    return order


def reverse_postorder(follow):
    seen, finished = set(), []
    for root in range(len(follow)):
        stack = [(root, iter(sorted(follow[root])))] if root not in seen else []
        seen.add(root)
        while stack:
            successor = next((s for s in stack[-1][1] if s not in seen), None)
            if successor is None:
                finished.append(stack.pop()[0])
            else:
                seen.add(successor)
                stack.append((successor, iter(sorted(follow[successor]))))
    return finished[::-1]


def arena(model, tool):
    """At the shapes of the first set."""
    label = model.sets()[0]
    report = tool.explain(model.path, *model.shapes(label))
    peak, live = report["memory"]["peak_bytes"], report["memory"]["lower_bound_bytes"]
    if peak is None:
        yield Row(model.name, label, "arena", "not static", "", False)
        return
    follow = edges(report)
    position = {node.name: i for i, node in enumerate(model.graph().node)}
    others = [live_peak(report, order) for order in (file_order(report, follow, position), reverse_postorder(follow))]
    limit = min(1.02 * live, 1.05 * min([live] + others), ARENA_BYTES.get(model.name, float("inf")))
    note = f"live {live}, file order {others[0]}, reverse postorder {others[1]}"
    yield Row(model.name, label, "arena", str(peak), str(int(limit)), peak <= limit, note)
