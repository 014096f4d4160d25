#===- test/Onnx/test_strings.py - Ops on strings beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0
"""What only moves or compares strings, what looks into them, and labels that are strings."""

import numpy as np
import pytest
from beside import Const, by_cupola, equal, model_of
from onnx import TensorProto, helper, numpy_helper

ML = {"domain": "ai.onnx.ml"}


def texts(*values, shape=None):
    array = np.array(values, dtype=object)
    return array if shape is None else array.reshape(shape)


WORDS = texts("red", "Green", "", "été", "red", "a,b", shape=(2, 3))
INDEX = np.array([1, 0], dtype=np.int64)


@pytest.mark.parametrize("op, operands, attributes", [
    ("Identity", [WORDS], {}),
    ("Reshape", [WORDS, Const(np.array([3, 2], dtype=np.int64))], {}),
    ("Transpose", [WORDS], {}),
    ("Flatten", [WORDS], {"axis": 0}),
    ("Squeeze", [WORDS[None], Const(np.array([0], dtype=np.int64))], {}),
    ("Unsqueeze", [WORDS, Const(np.array([1], dtype=np.int64))], {}),
    ("Expand", [WORDS[:, :1], Const(np.array([2, 4], dtype=np.int64))], {}),
    ("Tile", [WORDS, Const(np.array([2, 1], dtype=np.int64))], {}),
    ("Slice", [WORDS, Const(INDEX[1:]), Const(np.array([2], dtype=np.int64)), Const(np.array([1], dtype=np.int64))], {}),
    ("Concat", [WORDS, WORDS], {"axis": 1}),
    ("Gather", [WORDS, INDEX], {"axis": 1}),
    ("GatherElements", [WORDS, INDEX.reshape(2, 1)], {"axis": 1}),
    ("GatherND", [WORDS, INDEX.reshape(1, 2)], {}),
    ("ScatterElements", [WORDS, INDEX.reshape(2, 1), texts("x", "y", shape=(2, 1))], {"axis": 1}),
    ("ScatterND", [WORDS, INDEX.reshape(1, 2), texts("new")], {}),
    ("Where", [np.array([[True], [False]]), WORDS, texts("w")], {}),
    ("Equal", [WORDS, texts("red", "Green", "été")], {}),
    ("Compress", [WORDS, np.array([False, True])], {"axis": 0}),
    ("OneHot", [INDEX, Const(np.array(2, dtype=np.int64)), texts("off", "on")], {}),
    ("Shape", [WORDS], {}),
    ("Size", [WORDS], {}),
])
def test_moves(op, operands, attributes):
    equal(op, *operands, **attributes)


def test_split():
    equal("Split", WORDS, results=3, axis=1, num_outputs=3)


@pytest.mark.parametrize("mode, fill", [("constant", None), ("constant", "fill"), ("constant", "red"), ("edge", None), ("reflect", None)])
def test_pads(mode, fill):
    """onnxruntime has no kernel for it."""
    operands = [WORDS, Const(np.array([0, 1, 1, 2], dtype=np.int64))] + ([] if fill is None else [np.array(fill, dtype=object)])
    found, = by_cupola(model_of("Pad", operands, types=[object], mode=mode), operands)
    expected = np.pad(WORDS, ((0, 1), (1, 2)), mode, **({"constant_values": fill or ""} if mode == "constant" else {}))
    assert found.tolist() == expected.tolist()


def test_constants():
    equal("Concat", WORDS, Const(texts("red", "own", shape=(2, 1))), axis=1)
    equal("Equal", WORDS, Const(texts("red")))


def test_no_elements():
    equal("Concat", WORDS[:0], WORDS, axis=0)
    equal("StringConcat", WORDS[:0], texts("a", "b", "c"))
    equal("RegexFullMatch", WORDS[:0], pattern="a")


@pytest.mark.parametrize("dynamic", [False, True])
def test_concat(dynamic):
    equal("StringConcat", WORDS, texts("x", "", "ü"), dynamic=dynamic)


@pytest.mark.parametrize("attributes", [{}, {"delimiter": ","}, {"delimiter": ", "}, {"maxsplit": 1}, {"delimiter": ",", "maxsplit": 2},
                                        {"delimiter": "", "maxsplit": 0}])
def test_split_strings(attributes):
    x = texts("a,b, c", "", "no delimiter", " x  y ", "a,,b,", ",", shape=(2, 3))
    if attributes.get("maxsplit") == 0:  # onnxruntime takes it for any number, numpy's split for none
        found = by_cupola(model_of("StringSplit", [x], 2, types=[object, np.int64], **attributes), [x])
        np.testing.assert_array_equal(found[1], [[1, 0, 1], [1, 1, 1]])
        return
    if attributes.get("delimiter"):  # of an empty string onnxruntime makes no part, ONNX's reference one
        x = texts("a,b, c", "no delimiter", "a,,b,", ",")
    if "delimiter" not in attributes and "maxsplit" in attributes:  # onnxruntime drops the spaces behind the last part
        x = texts("a b  c", "", "d")
    equal("StringSplit", x, results=2, **attributes)


def test_split_of_no_strings():
    x = np.empty((2, 0), dtype=object)
    found = by_cupola(model_of("StringSplit", [x], 2, types=[object, np.int64]), [x])
    assert found[0].shape == (2, 0, 0) and found[1].shape == (2, 0)


@pytest.mark.parametrize("pattern", [r"[a-z]+", r"(red|green)", r"(?i)(red|green)", r"a.b", r".*é.*", r"\w*", r"[^,]*", r"(\S+\s?)*", r"",
                                     r"\p{Ll}+", r"[\pL\s]*", r"\P{Lu}*", r"\p{^L}*"])
def test_patterns(pattern):
    equal("RegexFullMatch", WORDS, pattern=pattern)


@pytest.mark.parametrize("action", ["NONE", "LOWER", "UPPER"])
@pytest.mark.parametrize("sensitive", [0, 1])
@pytest.mark.parametrize("words", [None, ["red"], ["RED", "ÉTÉ"], ["red", "Green", "", "été", "a,b"]])
@pytest.mark.parametrize("rank", [1, 2])
def test_normalizer(action, sensitive, words, rank):
    x = WORDS.reshape((6,) if rank == 1 else (1, 6))
    attributes = {} if words is None else {"stopwords": words}
    equal("StringNormalizer", x, case_change_action=action, is_case_sensitive=sensitive, locale="C.UTF-8", dynamic=rank == 1, **attributes)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64])
def test_parses(kind):
    values = ["0", "-1", "100"] if kind().dtype.kind == "i" else ["0", "1", "100"]
    if kind().dtype.kind == "f":
        values += ["1.5", "-1e-5", "1E8", "INF", "-INF", "NaN"]
    x = texts(*values)
    model = model_of("Cast", [x], types=[kind], to=int(np_type(kind)))
    found, = by_cupola(model, [x])
    assert found.dtype == kind
    np.testing.assert_array_equal(found, np.array([float(v) for v in values]).astype(kind))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint64, np.bool_])
def test_formats_as_numpy(kind):
    values = [0, 1, 7] if kind().dtype.kind in "iub" else [0, 1, -0.1, 1e-5, 3.14, 65504, np.inf, np.nan, 1e20 if kind is not np.float16 else 2]
    x = np.array(values).astype(kind)
    found, = by_cupola(model_of("Cast", [x], types=[object], to=8), [x])
    assert found.tolist() == x.astype(np.str_).tolist()


def test_cast_like():
    x, like = texts("1", "2.5"), np.zeros(1, dtype=np.float32)
    np.testing.assert_array_equal(by_cupola(model_of("CastLike", [x, like], types=[np.float32]), [x, like])[0], [1, 2.5])
    assert by_cupola(model_of("CastLike", [like, x], types=[object]), [like, x])[0].tolist() == ["0.0"]


@pytest.mark.parametrize("axis, is_reverse", [(0, 0), (1, 1)])
def test_scan(axis, is_reverse):
    """What is carried, what is walked over, and rows."""
    body = helper.make_graph(
        [helper.make_node("StringConcat", ["before", "x"], ["after"]), helper.make_node("Identity", ["before"], ["row"])], "body",
        [helper.make_tensor_value_info(name, TensorProto.STRING, [2]) for name in ("before", "x")],
        [helper.make_tensor_value_info(name, TensorProto.STRING, [2]) for name in ("after", "row")])
    x = texts("a", "b", "c", "", "é", "f").reshape((3, 2) if axis == 0 else (2, 3))
    equal("Scan", texts("<", "["), x, results=2, body=body, num_scan_inputs=1, scan_input_axes=[axis], scan_output_axes=[axis],
          scan_input_directions=[is_reverse])


@pytest.mark.parametrize("is_sorted", [0, 1])
def test_unique(is_sorted):
    equal("Unique", texts("b", "a", "ba", "b", "", "é", "a", "Z"), results=4, sorted=is_sorted)
    equal("Unique", texts("b", "a", "b", "", "b", "a").reshape(3, 2), results=4, sorted=is_sorted, axis=0)


@pytest.mark.parametrize("op, version, attributes", [
    ("LabelEncoder", 2, {"keys_strings": ["red", "été"], "values_int64s": [1, 2], "default_int64": 7}),
    ("LabelEncoder", 2, {"keys_strings": ["red", "été"], "values_floats": [1.5, 2.5]}),
    ("LabelEncoder", 2, {"keys_strings": ["red", "été"], "values_strings": ["rouge", ""], "default_string": "rien"}),
    ("LabelEncoder", 4, {"keys_strings": ["red", "red", "été"], "values_strings": ["rouge", "x", ""]}),
    ("LabelEncoder", 1, {"classes_strings": ["red", "été"], "default_int64": 9}),
    ("CategoryMapper", 1, {"cats_strings": ["red", "été"], "cats_int64s": [5, 6], "default_int64": -4}),
    ("OneHotEncoder", 1, {"cats_strings": ["red", "", "été"]}),
])
def test_labels_of_strings(op, version, attributes):
    equal(op, WORDS, version=version, **ML, **attributes)


@pytest.mark.parametrize("op, version, attributes", [
    ("LabelEncoder", 2, {"keys_int64s": [1, 0], "values_strings": ["one", "none"], "default_string": "many"}),
    ("LabelEncoder", 1, {"classes_strings": ["none", "one"]}),
    ("CategoryMapper", 1, {"cats_strings": ["none", "one"], "cats_int64s": [0, 1], "default_string": "many"}),
])
def test_strings_of_labels(op, version, attributes):
    equal(op, np.array([0, 1, 2, -1], dtype=np.int64), version=version, **ML, **attributes)


def test_label_tensors():
    keys, values = (numpy_helper.from_array(array) for array in (texts("red", "été"), texts("rouge", "summer")))
    default = numpy_helper.from_array(texts("none"))
    equal("LabelEncoder", WORDS, version=4, keys_tensor=keys, values_tensor=values, default_tensor=default, **ML)


def test_extractor():
    equal("ArrayFeatureExtractor", WORDS, np.array([2, 0], dtype=np.int64), **ML)


def test_classifiers():
    x = np.array([[1, 2], [3, -4], [-5, 0.5]], dtype=np.float32)
    equal("LinearClassifier", x, results=2, coefficients=[1.0, 2.0, -1.0, 0.5, 0.0, 1.0], intercepts=[0.0, 1.0, -1.0],
          classlabels_strings=["a", "b", "c"], **ML)
    tree = {"nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0, 0, 0], "nodes_values": [0.0, 0.0, 0.0],
            "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0],
            "class_treeids": [0, 0], "class_nodeids": [1, 2], "class_ids": [0, 2], "class_weights": [1.0, 1.0]}
    equal("TreeEnsembleClassifier", x, results=2, classlabels_strings=["low", "middle", "high"], **tree, **ML)


def test_tfidf():
    x = texts("to", "be", "or", "not", "to", "be")
    equal("TfIdfVectorizer", x, mode="TF", min_gram_length=1, max_gram_length=2, max_skip_count=0, ngram_counts=[0, 2],
          ngram_indexes=[0, 1, 2, 3], pool_strings=["to", "or", "to", "be", "not", "to"])


def np_type(kind):
    from onnx import helper
    return helper.np_dtype_to_tensor_dtype(np.dtype(kind))
