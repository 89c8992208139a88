"""Tables and pages for notebooks and browsers."""

from __future__ import annotations

import atexit
import tempfile
import webbrowser
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from ._error import Error

if TYPE_CHECKING:
    from ._subsolid import Solid, Surface

# Cells or faces up to which a notebook shows the page itself: some 2 MB.
SHOWN = 1000


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
    return _table("subsolid.Solid", rows, solid.page() if info["cells"] <= SHOWN else None)


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
    page = None
    if info["faces"] <= SHOWN:
        try:
            page = surface.page()
        except Error:
            # a mesh without a limit has its counts alone
            pass
    return _table("subsolid.Surface", rows, page)


def _bounds(bounds: Any) -> str:
    low, high = bounds
    return " × ".join(f"[{a:.4g}, {b:.4g}]" for a, b in zip(low, high))


def _table(title: str, rows: dict[str, str], page: Optional[str]) -> str:
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows.items()
    )
    html = f"<table><caption>{title}</caption>{cells}</table>"
    if page is not None:
        style = "width:100%;height:480px;border:0"
        html += f'<iframe srcdoc="{escape(page, quote=True)}" title="{title}" style="{style}"></iframe>'
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
