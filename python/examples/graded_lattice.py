"""A lattice of struts, graded by an attribute, to a stack of layers."""

from __future__ import annotations

import itertools
import pathlib
import sys
from typing import Optional

import numpy as np

import subsolid


def lattice(n: int) -> subsolid.Solid:
    """A simple cubic lattice of n × n × n nodes: a cube each, and a cell in each strut."""
    offsets = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)])
    ids: dict[tuple[int, int, int], int] = {}

    def cube(x: int, y: int, z: int) -> list[int]:
        return [ids.setdefault((x + i, y + j, z + k), len(ids)) for i, j, k in offsets]

    cells = []
    for node in itertools.product(range(n), repeat=3):
        place = 3 * np.array(node)
        cells.append(cube(*place))
        for axis in range(3):
            if node[axis] < n - 1:
                for step in (1, 2):
                    cells.append(cube(*(place + step * np.eye(3, dtype=int)[axis])))
    grid = np.array(list(ids))
    # a node is thinner than the gap between two: 0.6 of 2.4
    points = 2.4 * (grid // 3) + np.choose(grid % 3, [0.0, 0.6, 1.5])
    return subsolid.Solid(points, cells, attributes={"density": points[:, 2] / points[:, 2].max()})


def main(
    directory: pathlib.Path, n: int = 3, pixel: float = 0.05, picture: Optional[pathlib.Path] = None
) -> list[float]:
    """Writes layers as .npy of 16 bits; returns their areas; draws the lattice."""
    solid = lattice(n)
    if picture is not None:
        solid.plot("density", screenshot=picture)
    areas = []
    for layer in solid.slice(0.3, pixel=pixel):
        assert layer.coverage is not None
        gray = np.nan_to_num(layer.attributes["density"]) * layer.coverage
        np.save(directory / f"layer{layer.index:03}.npy", gray.astype(np.uint16))
        areas.append(layer.area)
    print(f"{solid}: {len(areas)} layers")
    return areas


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
