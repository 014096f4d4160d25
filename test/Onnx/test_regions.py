#===- test/Onnx/test_regions.py - Samples of regions of images beside onnxruntime ---===#
# SPDX-License-Identifier: Apache-2.0
"""RoiAlign, also where the size of a region says how many samples there are, and MaxRoiPool, of which ONNX has no reference: regions
inside, beyond all edges, without a size, turned around, of one element, and none at all."""

import cupola.backend
import numpy as np
import pytest
from beside import OPTIONS, by_onnxruntime, model_of

RANDOM = np.random.default_rng(20261129)
IMAGE = RANDOM.standard_normal((2, 3, 17, 23)).astype(np.float32)
REGIONS = np.array([[0, 0, 22, 16], [3.2, 2.1, 9.7, 8.8], [5, 5, 5, 5], [-10, -7, 60, 40], [8, 9, 4, 3], [10.5, 3, 11, 14],
                    [-20, -20, -9, -8], [60, 50, 90, 80]], np.float32)
BATCH = np.array([0, 1, 1, 0, 1, 0, 0, 1])
BEHIND_IMAGES = np.concatenate([BATCH[:, None].astype(np.float32), REGIONS], axis=1)


def one(op, operands, **options):
    return model_of(op, operands, types=[np.float32], **options)


def run(model, operands, device="CPU"):
    return cupola.backend.prepare(model, device, **OPTIONS).run(operands)[0]


def check(model, operands, device):
    np.testing.assert_allclose(run(model, operands, device), by_onnxruntime(model, operands)[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("device", ["CPU", "SIM"])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("opset, transform", [(10, None), (16, "half_pixel"), (16, "output_half_pixel")])
@pytest.mark.parametrize("height, width, samples", [(3, 2, 0), (1, 1, 0), (7, 5, 2)])
def test_align(device, dynamic, mode, opset, transform, height, width, samples):
    more = {"coordinate_transformation_mode": transform} if transform else {}
    operands = [IMAGE, REGIONS, BATCH]
    model = one("RoiAlign", operands, onnx_opset=opset, dynamic=dynamic, mode=mode, output_height=height, output_width=width,
                     sampling_ratio=samples, spatial_scale=0.9, **more)
    check(model, operands, device)


@pytest.mark.parametrize("device", ["CPU", "SIM"])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("scale", [1.0, 0.43])
@pytest.mark.parametrize("places", [[1, 1], [2, 3], [7, 7]])
def test_pool(device, dynamic, scale, places):
    operands = [IMAGE, BEHIND_IMAGES]
    check(one("MaxRoiPool", operands, dynamic=dynamic, pooled_shape=places, spatial_scale=scale), operands, device)


def test_no_regions():
    align = one("RoiAlign", [IMAGE, REGIONS, BATCH], dynamic=True, output_height=3, output_width=2)
    assert run(align, [IMAGE, REGIONS[:0], BATCH[:0]]).shape == (0, 3, 3, 2)
    pool = one("MaxRoiPool", [IMAGE, BEHIND_IMAGES], dynamic=True, pooled_shape=[2, 3])
    assert run(pool, [IMAGE, BEHIND_IMAGES[:0]]).shape == (0, 3, 2, 3)


def test_region_beyond_all_images():
    operands = [IMAGE, np.array([[0, 0, 1e30, 4]], np.float32), BATCH[:1]]
    with pytest.raises(cupola.Error, match="samples of a place along a row' = .* compiled for 0..65536"):
        run(one("RoiAlign", operands, dynamic=True), operands)
