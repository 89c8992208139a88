"""Solids from the meshes of other packages."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._error import Error
from ._subsolid import Solid

#: Names of cell kinds by VTK's numbers, and their corners.
_KINDS = {12: ("hexahedron", 8), 13: ("wedge", 6), 10: ("tetra", 4)}


def from_pyvista(grid: Any, *, crease_angle: Optional[float] = None) -> Solid:
    """A solid from the cells of a ``pyvista.UnstructuredGrid`` (or what casts to one).

    Point data become attributes, cell data stay. Cells are sorted by kind: hexahedra, wedges,
    tetrahedra.

    Args:
        grid: Hexahedra, voxels, wedges and tetrahedra.
        crease_angle: Makes boundary edges sharp whose faces turn by more degrees.

    Raises:
        Error: For other cells, and for data that are no numbers.
    """
    if not hasattr(grid, "celltypes"):
        if not hasattr(grid, "cast_to_unstructured_grid"):
            raise Error(f"a {type(grid).__name__} is no grid", "give a pyvista.UnstructuredGrid")
        grid = grid.cast_to_unstructured_grid()
    types = np.asarray(grid.celltypes)
    connectivity = np.asarray(grid.cell_connectivity)
    offsets = np.asarray(grid.cell_offsets if hasattr(grid, "cell_offsets") else grid.offset)
    cells: dict[str, Any] = {}
    order = []
    for kind in (12, 11, 13, 10):
        own = np.flatnonzero(types == kind)
        if not len(own):
            continue
        name, corners = _KINDS.get(kind, ("hexahedron", 8))
        ids = connectivity[offsets[own][:, None] + np.arange(corners)]
        if kind == 11:
            ids = ids[:, [0, 1, 3, 2, 4, 5, 7, 6]]
        cells[name] = np.concatenate([cells[name], ids]) if name in cells else ids
        order.append(own)
    others = sorted(set(types.tolist()) - {12, 11, 13, 10})
    if others or not cells:
        raise Error(
            f"cells of VTK types {others}" if others else "a grid without cells",
            "give hexahedra, wedges and tetrahedra alone",
        )
    sort = np.concatenate(order)
    return Solid(
        np.asarray(grid.points, dtype=float),
        cells if len(cells) > 1 else next(iter(cells.values())),
        attributes=_numbers(grid.point_data),
        cell_data={name: _kept(name, values)[sort] for name, values in grid.cell_data.items()},
        crease_angle=crease_angle,
    )


def _numbers(data: Any) -> dict[str, Any]:
    return {str(name): _kept(name, values).astype(float) for name, values in data.items()}


def _kept(name: Any, values: Any) -> Any:
    """Data that are numbers: integers stay integers, what is true becomes 1."""
    array = np.asarray(values)
    if array.dtype.kind not in "iufb":
        raise Error(
            f"the data {str(name)!r} have the type {array.dtype}",
            "give numbers, or remove them from the mesh first",
        )
    return array if array.dtype.kind in "iu" else array.astype(float)


def from_meshio(mesh: Any, *, crease_angle: Optional[float] = None) -> Solid:
    """A solid from the cells of a ``meshio.Mesh``.

    Point data become attributes; cell data stay. Lines and surface cells are left out.

    Args:
        mesh: Hexahedra, wedges and tetrahedra.
        crease_angle: Makes boundary edges sharp whose faces turn by more degrees.

    Raises:
        Error: If there is no cell of these kinds, or one of another kind of volume, and for data
            that are no numbers.
    """
    if not hasattr(mesh, "cells") or not hasattr(mesh, "cell_data"):
        raise Error(f"a {type(mesh).__name__} is no mesh", "give a meshio.Mesh: meshio.read(...)")
    left_out = ("vertex", "line", "triangle", "quad", "polygon")
    cells: dict[str, Any] = {}
    blocks: dict[str, list[int]] = {}
    for index, block in enumerate(mesh.cells):
        if block.type.startswith(left_out):
            continue
        if block.type not in ("hexahedron", "wedge", "tetra"):
            raise Error(
                f"cells of the kind {block.type}",
                "give hexahedra, wedges and tetrahedra alone",
            )
        blocks.setdefault(block.type, []).append(index)
    for name, own in blocks.items():
        cells[name] = np.concatenate([np.asarray(mesh.cells[index].data) for index in own])
    if not cells:
        raise Error("a mesh without volume cells", "give hexahedra, wedges or tetrahedra")
    flat = [index for own in blocks.values() for index in own]
    data = {
        name: np.concatenate([_kept(name, values[index]) for index in flat])
        for name, values in mesh.cell_data.items()
    }
    return Solid(
        np.asarray(mesh.points, dtype=float),
        cells if len(cells) > 1 else next(iter(cells.values())),
        attributes=_numbers(mesh.point_data),
        cell_data=data,
        crease_angle=crease_angle,
    )
