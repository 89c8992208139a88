"""A small picture of a surface, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._subsolid import Surface

WIDTH, HEIGHT, MARGIN = 420, 315, 8
# toward the eye, as in the first view of pages
EYE = np.array([1.0, -1.45, 0.82])
LIGHT = np.array([0.3, -0.5, 1.0])


def preview(surface: Surface) -> str:
    """The faces between the limits of the vertices as an SVG image, the farthest first."""
    points, _ = surface.limit()
    eye, light = (v / np.linalg.norm(v) for v in (EYE, LIGHT))
    right = np.cross([0.0, 0.0, 1.0], eye)
    right /= np.linalg.norm(right)
    flat = points @ np.stack([right, -np.cross(eye, right)], axis=1)
    low, high = flat.min(axis=0), flat.max(axis=0)
    room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN
    scale = (room / np.maximum(high - low, 1e-300)).min()
    flat = MARGIN + (flat - low) * scale + (room - (high - low) * scale) / 2
    shapes = []
    for face in surface.faces:
        corners = points[np.asarray(face)]
        normal = sum(np.cross(a, b) for a, b in zip(corners - corners[0], np.roll(corners, -1, axis=0) - corners[0]))
        length = np.linalg.norm(normal)
        if not length > 0:
            continue
        shade = 120 + 110 * abs(normal @ light) / length
        shapes.append(((corners @ eye).mean(), _polygon(flat[np.asarray(face)], shade)))
    shapes.sort(key=lambda shape: shape[0])
    polygons = "".join(polygon for _, polygon in shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" '
        f'aria-label="Preview" stroke="#333" stroke-width="0.5" stroke-linejoin="round">{polygons}</svg>'
    )


def _polygon(corners: Any, shade: float) -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<path d="M{places}z" fill="#{int(shade) * 0x10101:06x}"/>'
