#===- python/cupola/__main__.py - The command line, `python -m cupola` and `cupola` ---===#
# SPDX-License-Identifier: Apache-2.0
"""Becomes the program that the package ships."""

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "cupola")
    os.execv(tool, [tool, *sys.argv[1:]])  # by its path: what it loads is looked for beside it


if __name__ == "__main__":
    main()
