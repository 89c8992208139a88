"""Tables and pages for notebooks and browsers."""

from __future__ import annotations

import atexit
import base64
import tempfile
import webbrowser
import zlib
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._error import Error
from ._preview import preview

if TYPE_CHECKING:
    from ._subsolid import Solid, Surface

# Cells or faces up to which a notebook holds a picture and the page: some 1 MB.
SHOWN = 1000

# Unpacks a page in its frame.
LOADER = """<script>(async () => {
const bytes = Uint8Array.from(atob("%s"), (c) => c.charCodeAt(0));
const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
document.open(); document.write(text); document.close(); })();</script>"""


def table(solid: Solid) -> str:
    """Counts, classes and attributes of a solid, and its page if it is small."""
    info = solid.info()
    rows = {
        "vertices": f"{info['vertices']} ({info['boundary_vertices']} boundary)",
        "cells": ", ".join(f"{n} {kind}" for kind, n in info["cells_by_kind"].items() if n),
        "classes": ", ".join(f"{n} {name}" for name, n in info["classes"].items()),
        "bounds": _bounds(info["bounds"]),
        "attributes": ", ".join(solid.attributes) or "none",
    }
    if info["cells"] > SHOWN:
        return _table("subsolid.Solid", rows)
    return _table("subsolid.Solid", rows, preview(solid.boundary()), solid.page())


def table_of_surface(surface: Surface) -> str:
    """Counts and attributes of a surface, and its page if it is small and has a limit."""
    info = surface.info()
    corners = info["faces_by_corners"]
    rows = {
        "vertices": f"{info['vertices']} ({info['boundary_vertices']} boundary)",
        "faces": ", ".join(f"{n} of {count} corners" for count, n in corners.items()),
        "creases": f"{info['creases']}, {info['sharp_corners']} sharp corners",
        "bounds": _bounds(info["bounds"]),
        "attributes": ", ".join(surface.attributes) or "none",
    }
    if info["faces"] > SHOWN:
        return _table("subsolid.Surface", rows)
    try:
        return _table("subsolid.Surface", rows, preview(surface), surface.page())
    except Error:
        # a mesh without a limit has its counts alone
        return _table("subsolid.Surface", rows)


def _bounds(bounds: Any) -> str:
    low, high = bounds
    return " × ".join(f"[{a:.4g}, {b:.4g}]" for a, b in zip(low, high))


def _table(title: str, rows: dict[str, str], picture: str = "", page: str = "") -> str:
    """Counts, a picture, and a page that is unpacked when it is asked for."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows.items()
    )
    html = f"<table><caption>{title}</caption>{cells}</table>{picture}"
    if page:
        packed = base64.b64encode(zlib.compress(page.encode(), 9)).decode()
        frame = f'srcdoc="{escape(LOADER % packed, quote=True)}" title="{title}"'
        style = "width:100%;height:480px;border:0"
        html += f'<details><summary>Look at it</summary><iframe loading="lazy" {frame} style="{style}"></iframe></details>'
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
