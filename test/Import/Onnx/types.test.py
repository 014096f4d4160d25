#===- test/Import/Onnx/types.test.py - Every op over every combination of element types that ONNX declares ---===#
# SPDX-License-Identifier: Apache-2.0
"""types.test.py FOLDER OPTABLE RUNNER...: cases of make_ops.py for each op of the table, in each combination of the types that its
schema allows. What the importer refuses must be unsupported, never a bad model. All others become one model, and its answers from
each RUNNER (`reference`: lib/Reference; else a device of `cupola run`) are held against onnx.reference. That is given floats as
float64, and for ops that compute with integers as if they were floats those, too: so an answer is right if it was rounded once, to
the type of the result. Types of up to 8 bits that numpy lacks are imported here; test/Onnx/test_narrow.py has their answers."""

import collections
import itertools
import pathlib
import re
import subprocess
import sys
import warnings

import ml_dtypes
import numpy as np
from onnx import TensorProto, defs, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models"))
import make_ops   # noqa: E402
from make_ops import Case, Const, NEWEST   # noqa: E402

BF16, F64 = np.dtype(ml_dtypes.bfloat16), np.dtype("f8")
TOLERANCE = {np.dtype("f2"): 2e-3, BF16: 1.6e-2, np.dtype("f4"): 4e-6, F64: 1e-13}   # of the largest value
# Computed in float32 by onnx.reference, whatever the type, or with constants in float32.
SINGLE = {"AffineGrid", "DeformConv", "Erf", "Gelu", "GridSample", "HardSwish", "Resize"}
SHORT_BETWEEN = {"LayerNormalization", "RMSNormalization"}   # ONNX wants a step in the type of X, whatever the result's
ELSEWHERE = {**dict.fromkeys(("If", "Loop", "Scan"), "the types are those of other ops"),
             **dict.fromkeys(("RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"), "test/Onnx/test_strings.py"),
             "ImageDecoder": "test/Python/test_pictures.py",
             **dict.fromkeys(("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"),
                             "test/Onnx/test_random.py, what is drawn is ours"),
             "Scatter": "has become ScatterElements",
             "Upsample": "has become Resize",
             **dict.fromkeys(("ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement", "SequenceAt", "SequenceConstruct",
                              "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence"),
                             "test/Python/test_sequences.py, no element is computed")}
AS_FLOATS = {"GridSample", "ReduceL2", "ReduceMean", "Resize", "Shrink"}
SUPPORTED = {np.dtype(bool), *TOLERANCE, *(np.dtype(f"{sign}{size}") for sign in "iu" for size in (1, 2, 4, 8))}
MANY = 1000                        # combinations; of more, those in which up to two types are not the usual ones
USUAL = {"tensor(float)", "tensor(int64)", "tensor(bool)"}
DISTINCT = ("mode", "reduction")   # attributes each of whose values is another computation

Typed = collections.namedtuple("Typed", "case results")   # an entry for make_ops.add_case, the numbers of its results' types


def number_of(text):
    """'tensor(float)' as onnx numbers it."""
    return TensorProto.DataType.Value(text[7:-1].upper())


def numpy_type(number):
    return np.dtype(helper.tensor_dtype_to_np_dtype(number))


def bits_of(number):
    """Of an element, where ml_dtypes has a byte for fewer."""
    kind = numpy_type(number)
    if kind.itemsize > 1 or kind in SUPPORTED:
        return 8 * kind.itemsize
    return (ml_dtypes.iinfo if "int" in kind.name else ml_dtypes.finfo)(kind).bits


def retyped(array, number):
    """The array in another type: small whole numbers for integers, none below 0 where there are none."""
    kind = numpy_type(number)
    if kind == bool:
        return array > 0
    is_integer = kind.kind in "iu" or "int" in kind.name
    values = np.rint(array * 3) if array.dtype.kind == "f" and is_integer else array
    return (np.abs(values) if "uint" in kind.name else values).astype(kind)


def typed_attributes(entry, types):
    """Attributes that say what the type variables of the result are."""
    attributes = dict(entry.attributes)
    if entry.op in ("Cast", "BitCast"):
        attributes["to"] = types["T2"]
    if entry.op == "EyeLike":
        attributes["dtype"] = types["T2"]
    if entry.op == "ConstantOfShape":
        attributes.setdefault("value", numpy_helper.from_array(np.ones(1)))
    if entry.op == "MelWeightMatrix":
        attributes["output_datatype"] = types["T3"]
    if entry.op == "DequantizeLinear":
        attributes["output_dtype"] = types["T3"]
    if "value" in attributes:
        value = numpy_helper.to_array(attributes["value"])
        attributes["value"] = numpy_helper.from_array(retyped(value, types["T" if entry.op == "Constant" else "T2"]))
    return attributes


def combinations(schema, entry):
    """{type variable: number} for the variables of the operands and results that the case has."""
    formal = list(schema.inputs)
    present = {formal[min(i, len(formal) - 1)].type_str for i, operand in enumerate(entry.operands) if operand is not None}
    present |= {output.type_str for output in schema.outputs[:entry.outputs]}
    # Of strings test/Onnx/test_strings.py knows the right answers.
    variables = {c.type_param_str: [t for t in c.allowed_type_strs if t.startswith("tensor(") and t != "tensor(string)"]
                 for c in schema.type_constraints
                 if c.type_param_str in present}
    every = list(itertools.product(*variables.values()))
    if entry.op == "BitCast":                            # all others are bad models
        every = [row for row in every if len({bits_of(number_of(t)) for t in row}) == 1]
    if len(every) > MANY:
        every = [row for row in every if sum(t not in USUAL for t in row) <= 2]
    return [dict(zip(variables, map(number_of, row))) for row in every]


def typed(schema, entry, types):
    formal = list(schema.inputs)

    def number(parameter):
        return types.get(parameter.type_str) or number_of(parameter.type_str)
    operands = []
    for i, operand in enumerate(entry.operands):
        to = number(formal[min(i, len(formal) - 1)]) if operand is not None else None
        if isinstance(operand, Const):
            operands.append(Const())
            operands[-1].array = retyped(operand.array, to)
        else:
            operands.append(operand if operand is None else retyped(operand, to))
    case = Case(entry.op, operands, typed_attributes(entry, types), 1, NEWEST, entry.outputs)
    return Typed(case, [number(output) for output in schema.outputs[:entry.outputs]])


def representatives(op):
    """The first case for each value of the DISTINCT attributes."""
    chosen = {}
    entries = [entry for entry in make_ops.CASES if entry.op == op]
    newest = max((entry.until for entry in entries), default=NEWEST)
    for entry in entries:
        if entry.until == newest:
            chosen.setdefault(tuple(entry.attributes.get(name) for name in DISTINCT), entry)
    return chosen.values()


def typed_cases(table):
    """{name of the node: Typed} for the whole table."""
    make_ops.make_cases()
    cases = {}
    for op in sorted(set(re.findall(r'^ +\{"", "(\w+)", \{', pathlib.Path(table).read_text(encoding="utf-8"), re.MULTILINE))):
        found = [] if op in ELSEWHERE else representatives(op)
        if not found and op not in ELSEWHERE:
            print(f"FAIL: no case for {op}")
        schema = defs.get_schema(op, NEWEST)
        for entry in found:
            for types in combinations(schema, entry):
                cases[f"{op}_{len(cases)}"] = typed(schema, entry, types)
    return cases


def add(graph, feeds, name, entry):
    """Appends the node `name`, OP_INDEX; results have no shape, so that no inference of ONNX is asked for it."""
    make_ops.add_case(graph, feeds, name.rsplit("_", 1)[1], entry.case)
    for output, number in zip(graph["outputs"][-entry.case.outputs:], entry.results):
        graph["values"].append(helper.make_tensor_value_info(output, number, None))


def model_of(cases):
    graph, feeds = collections.defaultdict(list), {}
    for name, entry in cases.items():
        add(graph, feeds, name, entry)
    body = helper.make_graph(graph["nodes"], "types", graph["inputs"], graph["values"], graph["initializer"])
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", NEWEST)])
    model.ir_version = helper.find_min_ir_version_for(model.opset_import)
    return model, feeds


def run(*command):
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def import_cases(cases, path):
    """(exit code, {name: message of the first error about it})."""
    path.write_bytes(model_of(cases)[0].SerializeToString())
    done = run("cupola-import-onnx", path)
    messages = {}
    for line in done.stdout.splitlines() if done.returncode else ():
        for name in re.findall(r"'(\w+?_\d+)(?:_\w+)?'", line)[:1]:
            messages.setdefault(name, line)
    return done.returncode, messages


def refuse(cases, path):
    """Takes out of `cases` what the importer refuses; returns {name: message} and the names of those it calls bad."""
    refused, bad = {}, []
    while cases:
        code, messages = import_cases(cases, path)
        if code == 0:
            break
        if not set(messages) <= set(cases) or not messages:
            sys.exit(f"FAIL: exit code {code} with errors about none of the nodes: {messages}")
        part = {name: cases.pop(name) for name in messages}
        refused.update(messages)
        if import_cases(part, path)[0] != 4:
            bad += [name for name, entry in part.items() if import_cases({name: entry}, path)[0] != 4]
    return refused, bad


def group_normalization(x, scale, bias, num_groups):
    rows = x.reshape(len(x), num_groups, -1)
    normal = (rows - rows.mean(2, keepdims=True)) / np.sqrt(rows.var(2, keepdims=True) + np.float32(1e-5))
    dims = (-1,) + (1,) * (x.ndim - 2)
    return normal.reshape(x.shape) * scale.reshape(dims) + bias.reshape(dims)


def mean_variance_normalization(x):
    return (x - x.mean((0, 2, 3), keepdims=True)) / (x.std((0, 2, 3), keepdims=True) + 1e-9)


def global_lp_pool(x, p):
    return (np.abs(x)**p).sum(tuple(range(2, x.ndim)), keepdims=True)**(1 / p)


def one_hot(indices, depth, values, axis=-1):
    whole, classes = indices.astype(int), np.arange(int(depth))
    places = np.expand_dims(np.where(whole < 0, whole + len(classes), whole), axis)
    return np.where(places == np.moveaxis(classes[:, None, None], 0, axis), values[1], values[0])


def lrn(x, size, alpha=1e-4, beta=0.75, bias=1.0):
    squares = np.pad(x**2, ((0, 0), ((size - 1) // 2, size // 2)) + ((0, 0),) * (x.ndim - 2))
    total = sum(squares[:, i:i + x.shape[1]] for i in range(size))
    return x / (bias + float(np.float32(alpha)) / size * total)**beta


def divide(a, b):
    return a / b if a.dtype == F64 else (np.abs(a) // np.abs(b) * np.sign(a) * np.sign(b)).astype(a.dtype)


def power(base, exponent):
    """Integers to the power of integers wrap; below 0 there is 1 to any power, -1 to an odd or even one, else 0."""
    if F64 in (base.dtype, exponent.dtype):
        return np.power(base, exponent)
    pairs = np.broadcast(base, exponent)
    whole = [int(b)**int(e) if e >= 0 else (0 if abs(int(b)) != 1 else int(b)**(int(e) % 2)) for b, e in pairs]
    return np.array([n & (2**64 - 1) for n in whole], np.uint64).astype(base.dtype).reshape(pairs.shape)


def max_roi_pool(images, regions, pooled_shape, spatial_scale=1.0):
    """Regions of a batch's image each: x and y of both ends, of whole elements."""
    result = np.zeros((len(regions), images.shape[1], *pooled_shape), images.dtype)
    for i, (batch, *corners) in enumerate(regions):
        x, y, right, bottom = (int(np.floor(c * spatial_scale + 0.5)) for c in corners)
        sizes = max(bottom - y + 1, 1), max(right - x + 1, 1)
        for place in np.ndindex(*pooled_shape):
            rows, columns = (slice(*(min(max(start + int(end), 0), extent)
                                     for end in (np.floor(at * size / places), np.ceil((at + 1) * size / places))))
                             for at, size, places, start, extent in zip(place, sizes, pooled_shape, (y, x), images.shape[2:]))
            part = images[int(batch), :, rows, columns]
            result[i, :, *place] = part.max(axis=(1, 2)) if part.size else 0
    return result


# Where onnx.reference has no op, fails for some types or is wrong: it lets what Cast saturates wrap, divides integers downwards,
# forgets channels in LRN, has float32 constants in the function of MeanVarianceNormalization, subtracts the values of OneHot, and
# refuses integers to negative powers.
OWN = {"Cast": lambda x, to: x, "CastLike": lambda x, like: x, "Div": divide, "GlobalLpPool": global_lp_pool,
       "GroupNormalization": group_normalization, "LRN": lrn, "MaxRoiPool": max_roi_pool,
       "MeanVarianceNormalization": mean_variance_normalization, "OneHot": one_hot, "Pow": power}


def as_wide(array, op):
    wide = (array.dtype in TOLERANCE and op != "BitCast") or (op in AS_FLOATS and array.dtype.kind in "iub")
    return array.astype(F64) if wide else array


def expected(name, entry):
    """Its answers, floats as float64."""
    op = entry.case.op
    if op in OWN:
        operands = [as_wide(o.array if isinstance(o, Const) else o, op) for o in entry.case.operands if o is not None]
        with np.errstate(all="ignore"):
            return [OWN[op](*operands, **entry.case.attributes)]
    graph, feeds = collections.defaultdict(list), {}
    add(graph, feeds, name, entry)
    for tensor in graph["initializer"]:
        feeds[tensor.name] = numpy_helper.to_array(tensor)
    inputs = [helper.make_tensor_value_info(n, TensorProto.UNDEFINED, None) for n in feeds]
    body = helper.make_graph(graph["nodes"], "node", inputs, graph["values"])
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", NEWEST)])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(model).run(None, {n: as_wide(a, op if n.endswith("_0") else "") for n, a in feeds.items()})


def is_right(entry, found, answer, kind):
    op, answer = entry.case.op, np.asarray(answer)
    if found.dtype != kind or found.shape != answer.shape:
        return False
    if kind in TOLERANCE:
        a, b = found.astype(F64), answer.astype(kind).astype(F64)
        steps = [kind] + [np.dtype("f4")] * (op in SINGLE) + [o.dtype for o in entry.case.operands[:1] if op in SHORT_BETWEEN]
        tolerance = max(TOLERANCE[step] for step in steps)
        return bool(((a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance * np.abs(b).max(initial=0))).all())
    if answer.dtype != F64:
        return bool((found == answer.astype(kind)).all())
    if kind == bool:
        return bool((found == (answer != 0)).all())
    # Truncated: what is next to a whole number may fall on either side.
    bounds, slack = np.iinfo(kind), 1e-5 * np.abs(answer).max(initial=1)
    low, high = (np.trunc(np.clip(answer + side, bounds.min, bounds.max)) for side in (-slack, slack))
    return bool(((low <= found) & (found <= high)).all())


def operand_kinds(entry):
    return [(o.array if isinstance(o, Const) else o).dtype for o in entry.case.operands if o is not None]


def kinds_of(entry):
    return {*operand_kinds(entry), *map(numpy_type, entry.results)}


def described(name, entry):
    return f"{name} of {', '.join(k.name for k in operand_kinds(entry))} {entry.case.attributes or ''} -> " \
        f"{', '.join(numpy_type(r).name for r in entry.results)}"


def answers(runner, model, case, out):
    arch = ("--arch", "sm_80") if runner == "sim" else ()
    command = ("cupola-reference", model, case, out) if runner == "reference" else \
        ("cupola", "run", model, "--device", runner, *arch, "--inputs", case, "--outputs", out)
    done = run(*command)
    if done.returncode:
        sys.exit(f"FAIL: {runner}: exit code {done.returncode}\n{done.stdout[-3000:]}")
    with np.load(out) as arrays:
        return {name: array.view(BF16) if array.dtype == np.dtype("V2") else array for name, array in arrays.items()}


def compare(runner, cases, right, folder):
    """Whether the runner's answers for all cases are right; prints those that are not."""
    found = answers(runner, folder / "types.onnx", folder / "in.npz", folder / "out.npz")
    wrong = 0
    for name, entry in cases.items():
        for i, (answer, number) in enumerate(zip(right[name], entry.results)):
            value = found[f"{name}_out{i}"]
            if not is_right(entry, value, answer, numpy_type(number)):
                wrong += 1
                print(f"FAIL: {runner}: {described(name, entry)}: {value.ravel()[:8]}, expected {np.ravel(answer)[:8]}")
    print(f"{runner}: {len(cases) - wrong} of {len(cases)} right")


def main():
    folder, table, *runners = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    cases = typed_cases(table)
    everything = dict(cases)
    print(f"{len(cases)} combinations")
    refused, bad = refuse(cases, folder / "import.onnx")
    for name in bad:
        print(f"FAIL: a bad model: {described(name, everything[name])}: {refused[name]}")
    cases = {name: entry for name, entry in cases.items() if kinds_of(entry) <= SUPPORTED}
    model, feeds = model_of(cases)
    (folder / "types.onnx").write_bytes(model.SerializeToString())
    np.savez(folder / "in.npz", **{"in:" + n: a.view("V2") if a.dtype == BF16 else a for n, a in feeds.items()})
    right = {name: expected(name, entry) for name, entry in cases.items()}
    for runner in runners:
        compare(runner, cases, right, folder)
    counts = collections.Counter(name.rsplit("_", 1)[0] for name in refused if kinds_of(everything[name]) <= SUPPORTED)
    print(f"unsupported: {len(refused)}, of types that are there:", ", ".join(f"{op} {n}" for op, n in sorted(counts.items())))


main()
