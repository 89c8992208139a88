"""Tables and pages for notebooks and browsers."""

from __future__ import annotations

import atexit
import tempfile
import webbrowser
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._subsolid import Solid

# Cells up to which a notebook shows the page itself: some 2 MB.
SHOWN = 1000


def table(solid: Solid) -> str:
    """Counts, classes and attributes of a solid."""
    info = solid.info()
    low, high = info["bounds"]
    rows = {
        "vertices": f"{info['vertices']} ({info['boundary_vertices']} boundary)",
        "cells": ", ".join(f"{n} {kind}" for kind, n in info["cells_by_kind"].items() if n),
        "classes": ", ".join(f"{n} {name}" for name, n in info["classes"].items()),
        "bounds": " × ".join(f"[{a:.4g}, {b:.4g}]" for a, b in zip(low, high)),
        "attributes": ", ".join(solid.attributes) or "none",
    }
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows.items()
    )
    html = f"<table><caption>subsolid.Solid</caption>{cells}</table>"
    if info["cells"] <= SHOWN:
        page = escape(solid.page(), quote=True)
        style = "width:100%;height:480px;border:0"
        html += f'<iframe srcdoc="{page}" title="subsolid.Solid" style="{style}"></iframe>'
    return html


def show(html: str) -> None:
    """Open a page in a browser."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", suffix=".html", prefix="subsolid-", delete=False
    ) as file:
        file.write(html)
    # the browser reads it after this returns
    atexit.register(Path(file.name).unlink, missing_ok=True)
    webbrowser.open(Path(file.name).as_uri())
