#===- test/Python/test_examples.py - The programs of docs/examples in Python ---===#
# SPDX-License-Identifier: Apache-2.0

import pathlib
import subprocess
import sys

from PIL import Image, ImageDraw, ImageFont

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples"


def test_a_picture_is_read(tmp_path):
    texts = ["Graph compiler", "reads 2026 lines", "of CUDA code"]
    picture = Image.new("RGB", (416, 256), (250, 248, 240))
    for row, text in enumerate(texts):
        ImageDraw.Draw(picture).text((24, 20 + 74 * row), text, (20, 20, 60), ImageFont.load_default(40))
    picture.save(tmp_path / "picture.png")
    done = subprocess.run([sys.executable, EXAMPLES / "ocr.py", tmp_path / "picture.png"], stdout=subprocess.PIPE, text=True, check=True)
    assert [line.replace(" ", "") for line in done.stdout.splitlines()] == [text.replace(" ", "") for text in texts]
