"""Tables for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._subsolid import Solid


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
    return f"<table><caption>subsolid.Solid</caption>{cells}</table>"
