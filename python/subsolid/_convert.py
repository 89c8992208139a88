"""Solids from the meshes of other packages."""

from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np

from ._error import Error
from ._subsolid import Solid, plain_array, solid_of_parts

#: VTK's number of polyhedra.
_POLYHEDRON = 42


def from_pyvista(grid: Any, *, crease_angle: Optional[float] = None) -> Solid:
    """A solid from the cells of a ``pyvista.UnstructuredGrid`` (or what casts to one).

    Point data become attributes, cell data stay. Cells keep their order. Triangles, quads and polygons
    beside them are in groups of faces as in VTK files: by cell data of integers, ``group:NAME`` or
    ``ARRAY:VALUE``. Arrays of creases and corners are those of VTK files too.

    Args:
        grid: Hexahedra, voxels, wedges, tetrahedra and polyhedra, and faces of them. Cells of high
            order are taken by their corners.
        crease_angle: Makes boundary edges sharp whose faces turn by more degrees.

    What is left out, as of files, and non-numeric data, is named in a UserWarning.

    Returns:
        The solid.

    Raises:
        Error: For other cells.

    Example:
        >>> grid = subsolid.shape("box", 2, 2, 2).to_pyvista("control")
        >>> subsolid.from_pyvista(grid).n_cells
        8
    """
    if not hasattr(grid, "celltypes"):
        if not hasattr(grid, "cast_to_unstructured_grid"):
            raise Error(f"a {type(grid).__name__} is not a grid", "give a pyvista.UnstructuredGrid")
        grid = grid.cast_to_unstructured_grid()
    types = np.asarray(grid.celltypes)
    if not len(types):
        raise Error("a grid without cells", "give hexahedra, wedges, tetrahedra and polyhedra")
    vertices = np.asarray(grid.cell_connectivity)
    starts = np.asarray(grid.cell_offsets if hasattr(grid, "cell_offsets") else grid.offset)
    lost: list[str] = []
    block = {
        "types": types,
        "vertices": vertices,
        "ends": np.append(starts[1 : len(types)], len(vertices)),
        "data": _numbers(grid.cell_data, "cell", lost),
        **_face_streams(grid, types),
    }
    return _solid("grid", grid, [block], [], lost, crease_angle)


def _face_streams(grid: Any, types: Any) -> dict[str, Any]:
    """The faces of polyhedra, and the end of each cell among them; -1 of others."""
    stream: list[int] = []
    ends = np.full(len(types), -1)
    for cell in np.flatnonzero(types == _POLYHEDRON).tolist():
        faces = [list(face.point_ids) for face in grid.get_cell(cell).faces]
        stream.append(len(faces))
        for face in faces:
            stream += [len(face), *face]
        ends[cell] = len(stream)
    return {"face_stream": stream, "face_ends": ends} if stream else {}


def from_meshio(mesh: Any, *, crease_angle: Optional[float] = None) -> Solid:
    """A solid from the cells of a ``meshio.Mesh``.

    Point data become attributes; cell data stay. Triangles, quads and polygons are in groups of
    faces: by Gmsh's names in ``field_data``, by ``cell_sets``, and by cell data of integers as in VTK
    files. Named volumes and ``cell_sets`` of cells become groups of cells. An element that Gmsh lists
    once for each of its groups is one cell in all of them. Arrays of creases and corners are those of
    VTK files.

    Args:
        mesh: Hexahedra, wedges and tetrahedra, and faces of them. Cells of high order are taken by
            their corners.
        crease_angle: Makes boundary edges sharp whose faces turn by more degrees.

    What is left out, as of files, and non-numeric data, is named in a UserWarning.

    Returns:
        The solid.

    Raises:
        Error: If there is no cell of these kinds, or one of another kind of volume.

    Example:
        >>> import meshio
        >>> box = subsolid.shape("box", 2, 2, 2)
        >>> subsolid.from_meshio(meshio.Mesh(box.points, [("hexahedron", box.cells)])).n_cells
        8
    """
    if not hasattr(mesh, "cells") or not hasattr(mesh, "cell_data"):
        raise Error(f"a {type(mesh).__name__} is not a mesh", "give a meshio.Mesh: meshio.read(...)")
    lost: list[str] = []
    def own_arrays(name: str, own: Any) -> list[Any]:
        return [plain_array(part, f"the cell array {name!r}") for part in own]

    parts = {name: own_arrays(name, own) for name, own in mesh.cell_data.items()}
    # those of blocks without cells may have any type
    whole = {name: [part for part in own if len(part)] for name, own in parts.items()}
    data = _numbers({name: np.concatenate(own) for name, own in whole.items() if own}, "cell", lost)
    sets = getattr(mesh, "cell_sets", None) or {}
    sets = {name: own for name, own in sets.items() if not name.startswith("gmsh:")}
    blocks: list[dict[str, Any]] = []
    start = 0
    for index, block in enumerate(mesh.cells):
        end = start + len(block.data)
        blocks.append({
            "kind": block.type,
            "vertices": block.data,
            "data": {name: values[start:end] for name, values in data.items()},
            "sets": {name: own[index] for name, own in sets.items() if own[index] is not None},
        })
        start = end
    names = []
    for name, given in (getattr(mesh, "field_data", None) or {}).items():
        numbers = np.ravel(given)
        # Gmsh names points and curves too
        if numbers.dtype.kind in "iu" and len(numbers) == 2 and numbers[1] in (2, 3):
            names.append((name, int(numbers[0]), int(numbers[1])))
    lost += [f"point set `{name}`" for name in getattr(mesh, "point_sets", None) or {}]
    return _solid("mesh", mesh, blocks, names, lost, crease_angle)


def _solid(
    what: str,
    mesh: Any,
    blocks: list[dict[str, Any]],
    names: list[tuple[str, int, int]],
    lost: list[str],
    angle: Optional[float],
) -> Solid:
    attributes = _numbers(mesh.point_data, "point", lost)
    fields = getattr(mesh, "field_data", None) or {}
    creases = {name: fields[name] for name in ("crease_edges", "crease_sharpness") if name in fields}
    taken = {name for name, _, _ in names}.union(creases)
    # PyVista's own notes, such as which arrays are boolean
    others = [name for name in fields.keys() if name not in taken and not name.startswith("_PYVISTA_")]
    lost += [f"field array `{name}`" for name in others]
    solid, left_out = solid_of_parts(what, mesh.points, blocks, attributes, creases, names, angle)
    lost += left_out
    if lost:
        warnings.warn(f"left out: {', '.join(lost)}", stacklevel=3)
    return solid


def _numbers(data: Any, what: str, lost: list[str]) -> dict[str, Any]:
    """Data that are numbers: integers stay integers, what is true becomes the integer 1."""
    kept = {}
    for name, values in data.items():
        array = plain_array(values, f"the {what} array {name!r}")
        if array.dtype.kind in "iufb":
            as_files = {"f": float, "b": np.uint8}.get(array.dtype.kind)
            kept[str(name)] = array if as_files is None else array.astype(as_files)
        else:
            lost.append(f"{what} array `{name}` of type {array.dtype}")
    return kept
