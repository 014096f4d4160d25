#===- python/cupola/html.py - Tables for notebooks ---===#
# SPDX-License-Identifier: Apache-2.0
"""HTML without scripts, styles or links. Names come from models, which may be anybody's: they are texts and nothing else."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

LONGEST, MOST = 120, 50  # characters of a cell, rows of a table


def visible(text: str) -> str:
    """Control and formatting characters (bidi, zero-width) as \\u202e, cut after LONGEST characters."""
    shown = "".join(character if not unicodedata.category(character).startswith("C") else f"\\u{ord(character):04x}"
                    for character in text[:LONGEST])
    return shown if len(text) <= LONGEST else f"{shown}.. ({len(text)} characters)"


def cell(value: Any) -> str:
    """A number in few digits, else a text."""
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return html.escape(visible(text))


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """At most MOST rows, and how many more there are."""
    given = list(rows)
    lines = ["<tr>" + "".join(f"<th>{cell(name)}</th>" for name in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in given[:MOST]]
    if len(given) > MOST:
        lines.append(f'<tr><td colspan="{len(head)}">{len(given) - MOST} more</td></tr>')
    return f"<table><caption>{cell(caption)}</caption>{''.join(lines)}</table>"
