#===- test/Python/test_pictures.py - ImageDecoder, beside Pillow ---===#
# SPDX-License-Identifier: Apache-2.0

import io

import cupola
import numpy as np
import pytest
from onnx import TensorProto, helper

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

FORMATS = {"jpeg": {"quality": 85}, "jpeg progressive": {"progressive": True}, "png": {}, "webp": {"quality": 80}, "bmp": {}, "ppm": {}}


def model_of(form="RGB", then=None):
    nodes = [helper.make_node("ImageDecoder", ["file"], ["y" if then is None else "pixels"], name="decoder", pixel_format=form), *(then or [])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("file", TensorProto.UINT8, ["bytes"])],
                              [helper.make_empty_tensor_value_info("y")])
    graph.output[0].type.tensor_type.elem_type = TensorProto.UINT8 if then is None else TensorProto.FLOAT
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def picture(height=37, width=53):
    y, x = np.mgrid[:height, :width]
    return Image.fromarray(np.stack([x * 4 % 256, y * 6 % 256, (x * y) % 256], -1).astype(np.uint8))


def file_of(image, name, **options):
    file = io.BytesIO()
    image.save(file, name.split()[0], **{**FORMATS[name], **options})
    return np.frombuffer(file.getvalue(), np.uint8)


@pytest.fixture(scope="module")
def session():
    return cupola.Session(cupola.compile(model_of(), targets="cpu", allow_decoders=True, progress=False), "cpu")


def read(file, form="RGB"):
    return np.array(Image.open(io.BytesIO(file.tobytes())).convert("L" if form == "Grayscale" else "RGB"))


@pytest.mark.parametrize("name", FORMATS)
def test_as_pillow(session, name):
    for size in ((37, 53), (1, 1), (8, 16)):
        file = file_of(picture(*size), name)
        found = session.run({"file": file})["y"]
        assert found.dtype == np.uint8 and found.shape == (*size, 3)
        np.testing.assert_array_equal(found, read(file))


@pytest.mark.parametrize("mode, name", [("L", "png"), ("L", "jpeg"), ("L", "ppm"), ("P", "png"), ("P", "bmp"), ("1", "bmp"), ("RGBA", "png"),
                                        ("LA", "png")])
def test_other_modes_become_colours(session, mode, name):
    file = file_of(picture().convert(mode), name)
    np.testing.assert_array_equal(session.run({"file": file})["y"], read(file))


@pytest.mark.parametrize("form", ["BGR", "Grayscale"])
def test_forms_of_pixels(form):
    file = file_of(picture(), "jpeg")
    session = cupola.Session(cupola.compile(model_of(form), targets="cpu", allow_decoders=True, progress=False), "cpu")
    expected = read(file, form)[..., None] if form == "Grayscale" else read(file)[..., ::-1]
    np.testing.assert_array_equal(session.run({"file": file})["y"], expected)


def test_what_is_made_of_a_picture():
    """Its extents are known to what follows."""
    nodes = [helper.make_node("Cast", ["pixels"], ["f"], to=TensorProto.FLOAT), helper.make_node("Transpose", ["f"], ["t"], perm=[2, 0, 1]),
             helper.make_node("ReduceMean", ["t"], ["y"], keepdims=0)]
    file = file_of(picture(), "png")
    report = cupola.verify(model_of(then=nodes), "cpu", inputs={"file": file}, allow_decoders=True)
    assert report.passed
    found = cupola.Session(cupola.compile(model_of(then=nodes), targets="cpu", allow_decoders=True, progress=False), "cpu").run({"file": file})
    np.testing.assert_allclose(found["y"], read(file).mean(), rtol=1e-5)


def test_off_unless_allowed():
    with pytest.raises(cupola.UnsupportedError, match="pass --allow-decoders"):
        cupola.compile(model_of(), targets="cpu", progress=False)
    problem, = cupola.check(model_of()).problems
    assert problem.node == "decoder" and problem.op == "ImageDecoder"


def test_damaged_files(session):
    """An error, and the session runs on."""
    file = file_of(picture(), "jpeg")
    for bad, error, words in [(file[:-200], cupola.UsageError, "JPEG: it is damaged"),
                              (file[:0], cupola.UnsupportedError, "0 bytes do not begin as a picture"),
                              (np.frombuffer(b"P6 60000 60000 255 ", np.uint8), cupola.UsageError, "expected at most 67108864 in all")]:
        with pytest.raises(error, match=words):
            session.run({"file": bad})
    np.testing.assert_array_equal(session.run({"file": file})["y"], read(file))
