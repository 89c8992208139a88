"""Linear elasticity on a limit solid: a bar that is pulled, by SciPy."""

from __future__ import annotations

import pathlib
from typing import Optional

import numpy as np
from fit_points import box
from scipy.sparse.linalg import spsolve

import subsolid


def main(cells: int = 3, strain: float = 0.01, picture: Optional[pathlib.Path] = None) -> float:
    """Returns the reaction force over that of the theory, young * strain * area; draws the bar with
    its displacement 20 times as large."""
    points, hexahedra = box(cells)
    solid = subsolid.Solid(points, hexahedra, crease_angle=40.0)
    young, poisson = 200.0, 0.3
    stiffness = solid.quadrature(gauss=4).elasticity(young=young, poisson=poisson).tocsr()
    low, high = (np.flatnonzero(points[:, 2] == z) for z in (-1.0, 1.0))
    # z is given at both ends; three more numbers stop rigid motion
    values = {int(3 * v + 2): 0.0 for v in low} | {int(3 * v + 2): 2 * strain for v in high}
    values |= {3 * int(low[0]): 0.0, 3 * int(low[0]) + 1: 0.0, 3 * int(low[cells]) + 1: 0.0}
    fixed = np.array(sorted(values))
    free = np.setdiff1d(np.arange(3 * len(points)), fixed)
    displacement = np.zeros(3 * len(points))
    displacement[fixed] = [values[k] for k in fixed]
    right = -stiffness[free][:, fixed] @ displacement[fixed]
    displacement[free] = spsolve(stiffness[free][:, free].tocsc(), right)
    force = (stiffness @ displacement)[3 * high + 2].sum()
    ratio = float(force / (young * strain * 4.0))
    bent = solid.with_points(points + displacement.reshape(-1, 3))
    print(f"force / theory = {ratio:.12f}; {bent}")
    if picture is not None:
        moved = displacement.reshape(-1, 3)
        much = solid.with_points(points + 20 * moved)
        much = much.with_attributes({"displacement": np.linalg.norm(moved, axis=1)})
        much.plot("displacement", screenshot=picture)
    return ratio


if __name__ == "__main__":
    main()
