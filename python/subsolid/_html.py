"""Tables and pages for notebooks and browsers."""

from __future__ import annotations

import atexit
import os
import tempfile
import webbrowser
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Optional, Union

from ._error import Error

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


def show(html: str, path: Optional[Union[str, "os.PathLike[str]"]]) -> None:
    """Write a page, or open it in a browser."""
    if path is not None:
        _write(html, Path(path))
        return
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", suffix=".html", prefix="subsolid-", delete=False
    ) as file:
        file.write(html)
    # the browser reads it after this returns
    atexit.register(Path(file.name).unlink, missing_ok=True)
    webbrowser.open(Path(file.name).as_uri())


def _write(html: str, path: Path) -> None:
    """Write a page, which appears under its name when it is complete."""
    part = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", suffix=".part", delete=False
        ) as file:
            part = Path(file.name)
            file.write(html)
        # as open() makes files
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        part.replace(path)
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}", "give a file in an existing directory") from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
