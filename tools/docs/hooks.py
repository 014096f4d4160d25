#===- tools/docs/hooks.py - What the site has beyond the pages of docs/ ---===#
# SPDX-License-Identifier: Apache-2.0
"""The pages of the interfaces, folders in the navigation and as targets of links, and links to what is no page: those become its name."""

import pathlib
import posixpath
import re

from mkdocs.structure.files import File

import cupola

ROOT = pathlib.Path(__file__).resolve().parents[2]

C_PAGE = """# C and C++

The headers, their types and functions: [reference](../c/index.html). [How they are used](../embedding.md), with examples.
"""


def python_page():
    """Every public name, the functions and classes that most programs need first."""
    homes = {name: module for module, names in cupola._HOMES.items() for name in names}
    first = ["compile", "Session", "Package", "InferenceSession", "check", "explain", "verify", "bench", "inspect"]
    names = first + [name for name in cupola.__all__ if name not in first and not name.startswith("__")]
    blocks = (f"::: cupola.{homes.get(name, 'errors')}.{name}\n" for name in names)
    return "# Python\n\n[How it is used](../python.md).\n\n" + "\n".join(blocks)


def on_config(config):
    """`FOLDER/*.md` in the navigation stands for the pages of the folder."""
    docs = pathlib.Path(config.docs_dir)
    for entry in config.nav:
        for title, value in entry.items() if isinstance(entry, dict) else ():
            if isinstance(value, str) and "*" in value:
                entry[title] = [str(path.relative_to(docs)) for path in sorted(docs.glob(value))]
    return config


def on_files(files, config):
    for name, text in (("python", python_page()), ("c", C_PAGE)):
        files.append(File.generated(config, f"interfaces/{name}.md", content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """A link to a file of the repository that is no page, or to a folder, would lead nowhere."""
    def lead(match):
        text, target = match.groups()
        path = target.split("#")[0]
        if re.match(r"[a-z]+:", target) or not path or path.startswith("../c/"):
            return match[0]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), path))
        if files.get_file_from_path(place):
            return match[0]
        assert (pathlib.Path(config.docs_dir) / place).exists(), f"{page.file.src_uri}: {target} leads nowhere"
        return text

    return re.sub(r"(?<!!)\[([^\]\[]+)\]\(([^)\s]+)\)", lead, markdown)
