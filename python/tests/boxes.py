"""Control meshes in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def box(nx: int, ny: int, nz: int, rng: Any = None) -> tuple[Any, Any]:
    """Points and hexahedra of a box of unit cells; moved a little at random if rng is given."""
    axes = [np.arange(n + 1.0) for n in (nz, ny, nx)]
    z, y, x = np.meshgrid(*axes, indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    if rng is not None:
        points += 0.2 * rng.uniform(-1, 1, points.shape)
    ids = np.arange(len(points)).reshape(nz + 1, ny + 1, nx + 1)
    corner = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0)]
    cells = [ids[k : nz + k, j : ny + j, i : nx + i].ravel() for k, j, i in corner]
    return points, np.stack(cells, axis=1)
