#===- test/Onnx/test_ml.py - Ops of ai.onnx.ml beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0
"""Random trees, linear models and features, from a seed. The splits are values that features have, so that equality decides often."""

import functools
import itertools

import numpy as np
import pytest
from beside import Const, both, by_cupola, close, equal, model_of
from onnx import numpy_helper

DOMAIN = "ai.onnx.ml"
close, equal, both = (functools.partial(f, domain=DOMAIN) for f in (close, equal, both))
FEATURES = 6
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]


def rows(random, count=17, missing=0.0, kind=np.float32):
    x = random.integers(-3, 4, (count, FEATURES)).astype(kind)
    return np.where(random.random(x.shape) < missing, np.nan, x).astype(kind) if missing else x


def grown(random, modes, depth, trees):
    """The nodes of random trees in the form by (tree, id); `leaves`: their (tree, id)."""
    n = {key: [] for key in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids",
                             "missing_value_tracks_true")}
    leaves = []

    def node(tree, left):
        place = len(n["nodeids"]) - start
        is_leaf = left == 0 or (left < depth and random.random() < 0.2)
        entry = (tree, place, 0, 0.0, "LEAF", 0, 0, 0) if is_leaf else (
            tree, place, int(random.integers(FEATURES)), float(random.integers(-3, 4)), str(random.choice(modes)), 0, 0,
            int(random.integers(2)))
        for values, value in zip(n.values(), entry, strict=True):
            values.append(value)
        if is_leaf:
            leaves.append((tree, place))
        else:
            n["truenodeids"][start + place] = node(tree, left - 1)
            n["falsenodeids"][start + place] = node(tree, left - 1)
        return place
    for tree in range(trees):
        start = len(n["nodeids"])
        node(tree, depth)
    return {f"nodes_{key}": values for key, values in n.items()}, leaves


def weights(random, prefix, leaves, targets, low=-1.0, every=False):
    chosen = [(*leaf, t) for leaf in leaves for t in range(targets) if every or targets == 1 or random.random() < 0.7]
    return {f"{prefix}_treeids": [c[0] for c in chosen], f"{prefix}_nodeids": [c[1] for c in chosen], f"{prefix}_ids": [c[2] for c in chosen],
            f"{prefix}_weights": [float(v) for v in random.uniform(low, 1.0, len(chosen))]}


# ---- Trees ----

@pytest.mark.parametrize("modes", [[mode] for mode in MODES] + [MODES[:4]], ids=lambda modes: "-".join(m[7:] for m in modes))
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_comparisons(modes, missing):
    random = np.random.default_rng(1)
    nodes, leaves = grown(random, modes, depth=5, trees=7)
    close("TreeEnsembleRegressor", rows(random, missing=missing), n_targets=1, **nodes, **weights(random, "target", leaves, 1))


@pytest.mark.parametrize("aggregate, targets", itertools.product(["SUM", "AVERAGE", "MIN", "MAX"], [1, 3]))
def test_aggregates(aggregate, targets):
    random = np.random.default_rng(2)
    nodes, leaves = grown(random, MODES[:1], depth=4, trees=5)
    base = [float(v) for v in random.uniform(-1, 1, targets)]
    close("TreeEnsembleRegressor", rows(random), n_targets=targets, aggregate_function=aggregate, base_values=base, **nodes,
          **weights(random, "target", leaves, targets, every=True))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("dynamic", [False, True])
def test_types(kind, dynamic):
    random = np.random.default_rng(3)
    nodes, leaves = grown(random, MODES[:1], depth=6, trees=3)
    close("TreeEnsembleRegressor", rows(random, kind=kind), n_targets=2, dynamic=dynamic, **nodes, **weights(random, "target", leaves, 2))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE", "MIN", "MAX"])
def test_trees_of_several_depths(kind, aggregate):
    """A kernel for those of about one depth; a tree may be a leaf alone."""
    random = np.random.default_rng(21)
    nodes, leaves = {}, []
    for tree, depth in enumerate([0, 12, 1, 8, 9, 3]):
        grown_nodes, grown_leaves = grown(random, MODES[:4], depth=depth, trees=1)
        for key, values in grown_nodes.items():
            nodes.setdefault(key, []).extend([tree] * len(values) if key == "nodes_treeids" else values)
        leaves += [(tree, place) for _, place in grown_leaves]
    close("TreeEnsembleRegressor", rows(random, count=40, missing=0.2, kind=kind), n_targets=1, aggregate_function=aggregate, **nodes,
          **weights(random, "target", leaves, 1))


def weights_of_one_target(random, leaves, targets):
    """Each tree adds to a single target, as boosting makes them; some of its leaves to none."""
    chosen = [(tree, place) for tree, place in leaves if random.random() < 0.9]
    return {"target_treeids": [tree for tree, _ in chosen], "target_nodeids": [place for _, place in chosen],
            "target_ids": [tree % targets for tree, _ in chosen], "target_weights": [float(v) for v in random.uniform(-1, 1, len(chosen))]}


# By target: as many trees as fill blocks, and some over; of too few for each target, and with a weight that is infinite, by rows of targets.
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("trees, targets, dynamic, infinite",
                         [(96, 3, False, False), (110, 3, True, False), (100, 1, False, False), (96, 40, False, False), (96, 2, False, True)])
def test_large_forests_of_one_target_each(kind, trees, targets, dynamic, infinite):
    random = np.random.default_rng(22)
    nodes, leaves = grown(random, MODES[:1], depth=11, trees=trees)
    assert len(nodes["nodes_modes"]) * 16 > 2**18, "small forests are in one block"
    added = weights_of_one_target(random, leaves, targets)
    if infinite:
        added["target_weights"][0] = np.inf
    close("TreeEnsembleRegressor", rows(random, count=37, missing=0.1, kind=kind), n_targets=targets, dynamic=dynamic, **nodes, **added)


@pytest.mark.parametrize("aggregate, targets", itertools.product(["SUM", "AVERAGE", "MIN", "MAX"], [1, 5]))
def test_large_forests_of_all_targets(aggregate, targets):
    random = np.random.default_rng(23)
    nodes, leaves = grown(random, MODES[:1], depth=11, trees=70)
    close("TreeEnsembleRegressor", rows(random, count=37), n_targets=targets, aggregate_function=aggregate, **nodes,
          **weights(random, "target", leaves, targets, every=True))


@pytest.mark.parametrize("mode", range(4))
@pytest.mark.parametrize("tracks", [0, 1])
def test_places_that_several_nodes_lead_to(mode, tracks):
    """Of x0, x1 and x2, how many are below 0.5, twice that in the second tree: a node for each (feature, number so far)."""
    kind = np.float32
    tensor = lambda values, kind=kind: numpy_helper.from_array(np.array(values, kind))
    attributes = dict(nodes_featureids=[0, 1, 1, 2, 2, 2], nodes_modes=tensor([mode] * 6, np.uint8), nodes_splits=tensor([0.5] * 6),
                      nodes_truenodeids=[2, 4, 5, 1, 2, 3], nodes_falsenodeids=[1, 3, 4, 0, 1, 2], nodes_trueleafs=[0, 0, 0, 1, 1, 1],
                      nodes_falseleafs=[0, 0, 0, 1, 1, 1], nodes_missing_value_tracks_true=[tracks] * 6, tree_roots=[0, 0], n_targets=1,
                      leaf_targetids=[0] * 4, leaf_weights=tensor([0, 1, 2, 3]), aggregate_function=1, post_transform=0)
    x = np.array(list(itertools.product([0.0, 0.5, 1.0, np.nan, np.inf, -np.inf], repeat=3)), kind)
    holds = [x <= 0.5, x < 0.5, x >= 0.5, x > 0.5][mode] | (np.isnan(x) & bool(tracks))
    found, = by_cupola(model_of("TreeEnsemble", [x], domain=DOMAIN, version=5, types=[kind], **attributes), [x])
    np.testing.assert_array_equal(found[:, 0], 2 * holds.sum(axis=1))


def test_integers():
    """onnxruntime has classifiers of integers alone."""
    random = np.random.default_rng(3)
    nodes, leaves = grown(random, MODES[:1], depth=6, trees=3)
    for kind in (np.int64, np.int32):
        close("TreeEnsembleClassifier", rows(random, kind=kind), results=2, classlabels_int64s=[0, 1], **nodes,
              **weights(random, "class", leaves, 1))


def test_splits_of_doubles():
    random = np.random.default_rng(4)
    nodes, leaves = grown(random, MODES[1:2], depth=4, trees=3)
    x = rows(random, kind=np.float64) + random.choice([0.0, 1e-12, -1e-12], (17, FEATURES))
    nodes["nodes_values_as_tensor"] = numpy_helper.from_array(np.array(nodes.pop("nodes_values")))
    w = weights(random, "target", leaves, 1)
    w["target_weights_as_tensor"] = numpy_helper.from_array(np.array(w.pop("target_weights")))
    w["base_values_as_tensor"] = numpy_helper.from_array(np.array([1 / 3]))
    close("TreeEnsembleRegressor", x, n_targets=1, version=3, **nodes, **w)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_classes_with_a_score_each(classes, transform):
    """Of two, onnxruntime looks at the second score alone, and gives 0 or 1 for a label: ONNX's reference takes the greater one."""
    random = np.random.default_rng(5)
    nodes, leaves = grown(random, MODES[:1], depth=4, trees=1)
    low, labels = 0.01 if transform == "PROBIT" else -1.0, [7, 3, 9, 1][:classes]
    (label, theirs), (scores, expected) = both(
        "TreeEnsembleClassifier", rows(random), results=2, classlabels_int64s=labels, post_transform=transform, **nodes,
        **weights(random, "class", leaves, classes, low=low, every=True))
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(label, theirs if classes > 2 else np.array(labels)[np.argmax(scores, axis=1)])


@pytest.mark.parametrize("transform, low", itertools.product(["NONE", "LOGISTIC"], [0.0, -1.0]))
@pytest.mark.parametrize("base", [None, 0.25, -0.25])
def test_two_classes_of_one_score(transform, low, base):
    """A base, as XGBoost's classifiers have one: whether the score is a probability is said by the weights alone."""
    random = np.random.default_rng(6)
    nodes, leaves = grown(random, MODES[:1], depth=4, trees=3)
    more = {} if base is None else {"base_values": [base]}
    close("TreeEnsembleClassifier", rows(random), results=2, classlabels_int64s=[5, -2], post_transform=transform, **nodes,
          **weights(random, "class", leaves, 1, low=low), **more)


# ---- Linear models ----

@pytest.mark.parametrize("classes, transform", [(2, "NONE"), (2, "LOGISTIC"), *((3, transform) for transform in TRANSFORMS[:4])])
def test_linear_classifier(classes, transform):
    random = np.random.default_rng(7)
    scores = classes if classes > 2 else 1
    close("LinearClassifier", rows(random), results=2, classlabels_ints=[4, 8, 6][:classes], post_transform=transform,
          coefficients=[float(v) for v in random.uniform(-1, 1, scores * FEATURES)],
          intercepts=[float(v) for v in random.uniform(-1, 1, scores)])


@pytest.mark.parametrize("targets", [1, 3])
def test_linear_regressor(targets):
    random = np.random.default_rng(8)
    close("LinearRegressor", rows(random), targets=targets, coefficients=[float(v) for v in random.uniform(-1, 1, targets * FEATURES)],
          intercepts=[float(v) for v in random.uniform(-1, 1, targets)])


# ---- Features ----

@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, np.int32])
@pytest.mark.parametrize("each", [1, FEATURES])
def test_scaler(kind, each):
    random = np.random.default_rng(9)
    close("Scaler", rows(random, kind=kind), offset=[float(v) for v in random.uniform(-1, 1, each)],
          scale=[float(v) for v in random.uniform(0.5, 2, each)])


@pytest.mark.parametrize("norm", ["MAX", "L1", "L2"])
def test_normalizer(norm):
    x = np.abs(rows(np.random.default_rng(10)))
    x[3] = 0
    close("Normalizer", x, norm=norm)


def test_binarizer():
    equal("Binarizer", rows(np.random.default_rng(11)), threshold=1.0)


@pytest.mark.parametrize("each", [1, FEATURES])
def test_imputer(each):
    random = np.random.default_rng(12)
    fills = [float(v) for v in random.uniform(-1, 1, each)]
    equal("Imputer", rows(random, missing=0.3), imputed_value_floats=fills, replaced_value_float=float("nan"))
    equal("Imputer", rows(random), imputed_value_floats=fills, replaced_value_float=2.0)
    equal("Imputer", rows(random, kind=np.int64), imputed_value_int64s=[int(v) for v in random.integers(-9, 9, each)], replaced_value_int64=2)


def test_array_feature_extractor():
    random = np.random.default_rng(13)
    equal("ArrayFeatureExtractor", rows(random), Const(np.array([4, 0, 4], np.int64)))
    equal("ArrayFeatureExtractor", rows(random)[0], np.array([[5, 1]], np.int64))


def test_feature_vectorizer():
    random = np.random.default_rng(14)
    equal("FeatureVectorizer", rows(random), rows(random, kind=np.float32)[:, :2], inputdimensions=[FEATURES, 2])


@pytest.mark.parametrize("kind", [np.int64, np.float32])
def test_one_hot_encoder(kind):
    equal("OneHotEncoder", rows(np.random.default_rng(15), kind=kind), cats_int64s=[2, -1, 0], zeros=1)


# ---- Support vectors, tables ----

def numbers(random, *shape):
    return [float(v) for v in random.uniform(-1, 1, np.prod(shape, dtype=int))]


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
@pytest.mark.parametrize("one_class", [0, 1])
@pytest.mark.parametrize("dynamic", [False, True])
def test_support_vector_regressor(kernel, one_class, dynamic):
    random = np.random.default_rng(20)
    close("SVMRegressor", rows(random), kernel_type=kernel, kernel_params=[0.3, 0.2, 2.0], n_supports=5, one_class=one_class,
          coefficients=numbers(random, 5), support_vectors=numbers(random, 5, FEATURES), rho=[0.1], dynamic=dynamic)


def test_regressor_without_support_vectors():
    random = np.random.default_rng(21)
    close("SVMRegressor", rows(random), kernel_type="LINEAR", kernel_params=[0.0, 0.0, 3.0], coefficients=numbers(random, FEATURES), rho=[-0.4])


@pytest.mark.parametrize("shape", [(23,), (4, 7), (2, 3, 5)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_label_encoder(shape, dynamic):
    random = np.random.default_rng(22)
    integers = random.integers(0, 9, shape)
    keys = [int(v) for v in random.permutation(9)[:6]]
    floats = (integers / 2).astype(np.float32)
    options = {"version": 2, "dynamic": dynamic}
    equal("LabelEncoder", integers, keys_int64s=keys, values_floats=numbers(random, 6), default_float=7.5, **options)
    equal("LabelEncoder", integers, keys_int64s=keys, values_int64s=[10 * k for k in keys], **options)
    equal("LabelEncoder", floats, keys_floats=[k / 2 for k in keys], values_int64s=keys, default_int64=-7, **options)
    equal("LabelEncoder", floats, keys_floats=[k / 2 for k in keys], values_floats=[float(k) for k in keys], **options)


@pytest.mark.parametrize("count", [16, 17, 32, 33, 1000])
def test_label_encoder_of_many_keys(count):
    """More than a few are searched in their order."""
    random = np.random.default_rng(count)
    keys = random.choice(np.concatenate([np.arange(-3 * count, 3 * count), [2**62, -2**62]]), count, replace=False)
    x = np.concatenate([keys, keys - 1, keys + 1, [0, 2**63 - 1, -2**63]]).reshape(-1, 1)
    equal("LabelEncoder", x, keys_int64s=keys.tolist(), values_int64s=random.integers(0, 99, count).tolist(), version=2)
    equal("LabelEncoder", x, keys_int64s=keys.tolist(), values_floats=random.random(count).astype(np.float32).tolist(), version=2,
          dynamic=True)


def test_label_encoder_by_tensors():
    random = np.random.default_rng(23)
    x = np.where(random.random(20) < 0.2, np.nan, random.integers(0, 5, 20)).astype(np.float32)
    tensors = {"keys_tensor": np.float32([3, np.nan, 1]), "values_tensor": np.array([30, -1, 10]), "default_tensor": np.array([99])}
    equal("LabelEncoder", x, version=4, **{key: numpy_helper.from_array(array) for key, array in tensors.items()})
