#===- test/Onnx/test_svm.py - SVMClassifier beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0

import functools

import cupola
import numpy as np
import pytest
from beside import both, by_cupola, by_onnxruntime, model_of
from onnx import TensorProto, helper

DOMAIN = "ai.onnx.ml"
both = functools.partial(both, "SVMClassifier", domain=DOMAIN, results=2)
FEATURES = 6
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]


def rows(random, count=17):
    return random.uniform(-2, 2, (count, FEATURES)).astype(np.float32)


def numbers(random, *shape):
    return [float(v) for v in random.uniform(-1, 1, np.prod(shape, dtype=int))]


def attributes(random, x, classes, kernel="RBF", strings=False, probabilities=False, **others):
    """Classes have 1, 2, .. vectors; `rho` is such that half of the rows are on each side of a pair."""
    pairs, counts = classes * (classes - 1) // 2, list(range(1, classes + 1))
    labels = {"classlabels_strings": [f"class {i}" for i in range(classes)]} if strings else {
        "classlabels_ints": [int(v) for v in random.permutation(50)[:classes]]}
    machine = {"kernel_type": kernel, "kernel_params": [0.05, 0.2, 2.0], "coefficients": numbers(random, classes - 1, sum(counts)),
               "support_vectors": numbers(random, sum(counts), FEATURES), "vectors_per_class": counts, **labels}
    _, values = by_onnxruntime(model_of("SVMClassifier", [x], 2, domain=DOMAIN, rho=[0.0] * pairs, **machine), [x])
    if probabilities:
        machine |= {"prob_a": numbers(random, pairs), "prob_b": numbers(random, pairs)}
    return {**machine, "rho": [-float(v) for v in np.median(values[:, -pairs:], 0)], **others}


def same(x, **options):
    (labels, expected_labels), (scores, expected_scores) = both(x, **options)
    assert labels.tolist() == expected_labels.tolist() and len(set(labels.tolist())) > 1
    np.testing.assert_allclose(scores, expected_scores, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("strings", [False, True], ids=["integers", "strings"])
def test_votes(kernel, classes, strings):
    random = np.random.default_rng(3 + classes)
    x = rows(random, 60)
    same(x, dynamic=classes == 3, **attributes(random, x, classes, kernel, strings))


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("classes", [2, 4])
def test_probabilities(transform, classes):
    random = np.random.default_rng(40 + classes)
    x = rows(random, 60)
    same(x, dynamic=classes == 2, **attributes(random, x, classes, probabilities=True, post_transform=transform))


@pytest.mark.parametrize("classes, transform", [*((3, transform) for transform in TRANSFORMS[:4]), (2, "LOGISTIC")])
def test_scores(classes, transform):
    random = np.random.default_rng(45)
    x = rows(random)
    same(x, **attributes(random, x, classes, post_transform=transform))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("sign", [0, 1, -1], ids=["any", "positive", "negative"])
@pytest.mark.parametrize("transform", TRANSFORMS[:2])
def test_without_support_vectors(classes, sign, transform):
    """Of two classes the second has what exceeds a threshold, which depends on the signs of the weights."""
    random = np.random.default_rng(50 + classes)
    weights = [abs(v) * sign if sign else v for v in numbers(random, classes, FEATURES)]
    same(rows(random, 60), kernel_type="LINEAR", kernel_params=[0.0, 0.0, 0.0], coefficients=weights, rho=[0.1],
         classlabels_ints=list(range(classes)), post_transform=transform)


def test_maps_of_probabilities():
    """onnxruntime gives a list of maps; here they are the values as one array, and the labels."""
    random = np.random.default_rng(62)
    x = rows(random)
    model = model_of("SVMClassifier", [x], 2, domain=DOMAIN, types=[object, np.float32],
                     **attributes(random, x, 3, strings=True, probabilities=True))
    names = ["dog", "cat", "bird"]
    model.graph.node.append(helper.make_node("ZipMap", ["y1"], ["maps"], domain=DOMAIN, classlabels_strings=names))
    kind = helper.make_sequence_type_proto(helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, [])))
    del model.graph.output[:]
    model.graph.output.append(helper.make_value_info("maps", kind))
    expected, = by_onnxruntime(model, [x])
    session = cupola.InferenceSession(model)
    assert [output.name for output in session.get_outputs()] == ["maps", "maps[labels]"]
    values, labels = session.run(None, {"x0": x})
    assert labels.tolist() == names
    np.testing.assert_allclose(values, [[row[name] for name in names] for row in expected], rtol=2e-5, atol=2e-5)


def test_no_rows():
    random = np.random.default_rng(60)
    options, x = attributes(random, rows(random), 3, probabilities=True), rows(random, 0)
    labels, scores = by_cupola(model_of("SVMClassifier", [x], 2, domain=DOMAIN, types=[np.int64, np.float32], **options), [x])
    assert labels.shape == (0,) and scores.shape == (0, 3)


def test_doubles():
    random = np.random.default_rng(61)
    x = rows(random, 20).astype(np.float64)
    same(x, **attributes(random, x, 3, probabilities=True))
