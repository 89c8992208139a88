"""Fit control points to a point cloud by linear least squares."""

from __future__ import annotations

import pathlib
from typing import Optional

import numpy as np
from scipy.sparse import identity, vstack
from scipy.sparse.linalg import lsqr

import subsolid


def box(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and hexahedra of a cube of n × n × n cells."""
    axis = np.linspace(-1, 1, n + 1)
    z, y, x = np.meshgrid(axis, axis, axis, indexing="ij")
    ids = np.arange((n + 1) ** 3).reshape(n + 1, n + 1, n + 1)
    corners = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0)]
    cells = [ids[k : n + k, j : n + j, i : n + i].ravel() for k, j, i in corners]
    return np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1), np.stack(cells, axis=1)


def twist(points: np.ndarray) -> np.ndarray:
    """The shape to fit: a cube whose layers turn."""
    angle = 0.6 * points[:, 2]
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = points[:, 0], points[:, 1]
    return np.stack([cos * x - sin * y, sin * x + cos * y, points[:, 2]], axis=1)


def main(cells: int = 4, samples: int = 6, picture: Optional[pathlib.Path] = None) -> float:
    """Returns the root mean square of the distances that are left; draws them, as a power of 10."""
    points, hexahedra = box(cells)
    solid = subsolid.Solid(points, hexahedra, crease_angle=40.0)
    plan = solid.plan(samples=samples)
    matrix = plan.basis_matrix()
    cloud = twist(plan.evaluate().points)
    # a little weight on the control points where they are keeps the problem regular
    system = vstack([matrix, 1e-6 * identity(len(points))])
    fitted = [
        lsqr(system, np.concatenate([cloud[:, d], 1e-6 * points[:, d]]), atol=1e-12, btol=1e-12)[0]
        for d in range(3)
    ]
    moved = np.stack(fitted, axis=1).copy(order="C")
    left = plan.evaluate(moved).points - cloud
    rms = float(np.sqrt((left**2).sum(axis=1).mean()))
    print(f"{len(cloud)} points, {len(points)} control points, distance {rms:.2e}")
    if picture is not None:
        import pyvista

        plotter = solid.with_points(moved).plot(show=False)
        distance = np.log10(np.maximum(np.linalg.norm(left, axis=1), 1e-9))
        shown = pyvista.PolyData(cloud[::3])
        plotter.add_mesh(shown, scalars=distance[::3], point_size=6, scalar_bar_args={"title": "log10 distance"})
        plotter.show(screenshot=picture)
    return rms


if __name__ == "__main__":
    main()
