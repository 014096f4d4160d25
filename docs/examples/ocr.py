#===- docs/examples/ocr.py - Reads the text of a picture ---===#
# SPDX-License-Identifier: Apache-2.0
"""ocr.py PICTURE: prints the lines of text in a picture, from top to bottom, by two models that people ship: PP-OCR's detector, which says
where text is, and its recogniser, which reads one line. `pip install cupola pillow`, and `pip install --no-deps rapidocr-onnxruntime` for
the models. Both have dynamic shapes: they are compiled once for all pictures."""

import importlib.util
import pathlib
import sys

import cupola
import numpy as np
from PIL import Image

MODELS = pathlib.Path(importlib.util.find_spec("rapidocr_onnxruntime").origin).parent / "models"
detector = cupola.InferenceSession(MODELS / "ch_PP-OCRv4_det_infer.onnx")
reader = cupola.InferenceSession(MODELS / "ch_PP-OCRv4_rec_infer.onnx")
letters = ["", *reader.get_modelmeta().custom_metadata_map["character"].splitlines(), " "]


def tensor(picture, width, height):
    """[1, 3, height, width], blue first, from -1 to 1."""
    pixels = np.asarray(picture.resize((width, height)), np.float32)[:, :, ::-1]
    return np.ascontiguousarray((pixels / 127.5 - 1).transpose(2, 0, 1)[None])


def spots(mask):
    """(left, top, right, bottom) of what hangs together."""
    labels = np.where(mask, np.arange(1, mask.size + 1).reshape(mask.shape), 0)
    while True:  # each place takes the largest number beside it
        wide = np.pad(labels, 1)
        spread = np.max([wide[1:-1, 1:-1], wide[:-2, 1:-1], wide[2:, 1:-1], wide[1:-1, :-2], wide[1:-1, 2:]], axis=0) * mask
        if (spread == labels).all():
            break
        labels = spread
    for label in np.unique(labels[mask]):
        rows, columns = np.nonzero(labels == label)
        yield columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


def lines_of(picture):
    """Boxes in pixels, from top to bottom. The detector marks the middle of a line: a box grows by its own height."""
    width, height = (max(32, round(side / 32) * 32) for side in picture.size)
    chance = detector.run(None, {"x": tensor(picture, width, height)})[0][0, 0]
    for left, top, right, bottom in sorted(spots(chance > 0.3), key=lambda box: box[1]):
        more = 0.4 * (bottom - top)
        if bottom - top > 3:
            yield [round(at * scale) for at, scale in zip((left - more, top - more, right + more, bottom + more),
                                                          (picture.width / width, picture.height / height) * 2)]


def text_of(line):
    scores = reader.run(None, {"x": tensor(line, max(48, round(line.width * 48 / line.height)), 48)})[0][0]
    best = scores.argmax(axis=1)
    return "".join(letters[i] for i, before in zip(best, [0, *best]) if i != before).strip()


picture = Image.open(sys.argv[1]).convert("RGB")
for box in lines_of(picture):
    print(text_of(picture.crop(box)))
