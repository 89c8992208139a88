"""Solids from the meshes of other packages."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, Optional

import numpy as np

from ._error import Error
from ._subsolid import Solid

#: Names of cell kinds by VTK's numbers, and their corners.
_KINDS = {12: ("hexahedron", 8), 13: ("wedge", 6), 10: ("tetra", 4)}
#: VTK's numbers of faces, and of vertices and lines.
_FACES = (5, 7, 8, 9)
_LOWER = (1, 2, 3, 4)


def from_pyvista(grid: Any, *, crease_angle: Optional[float] = None) -> Solid:
    """A solid from the cells of a ``pyvista.UnstructuredGrid`` (or what casts to one).

    Point data become attributes, cell data stay. Cells are sorted by kind: hexahedra, wedges,
    tetrahedra, polyhedra. Triangles, quads and polygons beside them are in groups of faces as in VTK files:
    by cell data of integers, ``group:NAME`` or ``ARRAY:VALUE``. Arrays of creases and corners are
    those of VTK files too.

    Args:
        grid: Hexahedra, voxels, wedges, tetrahedra and polyhedra, and faces of them.
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
    polyhedra = np.flatnonzero(types == 42)
    if len(polyhedra):
        sides = [grid.get_cell(cell).faces for cell in polyhedra.tolist()]
        cells["polyhedron"] = [[list(face.point_ids) for face in faces] for faces in sides]
        order.append(polyhedra)
    kinds = set(types.tolist())
    others = sorted(kinds - {12, 11, 13, 10, 42, *_FACES, *_LOWER})
    if kinds and kinds <= {*_FACES, *_LOWER}:
        raise Error(
            "a surface, not a grid of volume cells",
            "give its points and faces to subsolid.Surface: Surface(mesh.points, mesh.regular_faces) of a "
            "pyvista.PolyData of triangles",
        )
    if others or not cells:
        raise Error(
            f"cells of VTK types {others or sorted(kinds)}" if kinds else "a grid without cells",
            "give hexahedra, wedges, tetrahedra and polyhedra, and faces of them alone",
        )
    sort = np.concatenate(order)
    data = {name: _kept(name, values) for name, values in grid.cell_data.items()}
    groups = _Groups()
    flat = np.flatnonzero(np.isin(types, _FACES))
    ends = np.append(offsets, len(connectivity))
    for cell in flat.tolist():
        face = connectivity[ends[cell] : ends[cell + 1]].tolist()
        groups.faces.append([face[i] for i in (0, 1, 3, 2)] if types[cell] == 8 else face)
    for name, values in data.items():
        groups.take_array(name, values[flat])
    data = {name: values[sort] for name, values in data.items()}
    return _solid(grid, cells, data, groups, crease_angle)


def _solid(
    mesh: Any, cells: dict[str, Any], data: dict[str, Any], groups: _Groups, angle: Optional[float]
) -> Solid:
    # an array that marks faces alone says nothing of the cells
    for name in [name for name in data if _group_name(name) in groups.members]:
        if not data[name].any():
            del data[name]
    attributes = _numbers(mesh.point_data)
    corners = attributes.pop("corner_sharpness", np.zeros(0))
    sharp = np.flatnonzero(corners)
    fields = getattr(mesh, "field_data", None) or {}
    creases = None
    if "crease_edges" in fields:
        edges = np.asarray(fields["crease_edges"]).reshape(-1, 2)
        creases = (edges, np.asarray(fields["crease_sharpness"], dtype=float).ravel())
    return Solid(
        np.asarray(mesh.points, dtype=float),
        cells if len(cells) > 1 or "polyhedron" in cells else next(iter(cells.values())),
        creases=creases,
        corners=(sharp, corners[sharp]) if len(sharp) else None,
        attributes=attributes,
        cell_data=data,
        face_groups=groups.of(cells),
        crease_angle=angle,
    )


def _group_name(array: str) -> Optional[str]:
    return array[6:] if array.startswith("group:") and len(array) > 6 else None


class _Groups:
    """Faces beside the cells of a mesh, and the groups that they are in, as files have them."""

    #: Most groups that one array makes; one of more values numbers the faces.
    MOST = 256
    #: Sides by kinds of cells.
    SIDES = {
        "hexahedron": ("0123", "4567", "0154", "1265", "2376", "3047"),
        "wedge": ("012", "345", "0143", "1254", "2035"),
        "tetra": ("012", "013", "123", "203"),
    }

    def __init__(self) -> None:
        self.faces: list[list[int]] = []
        self.members: dict[str, list[int]] = {}

    def add(self, name: str, faces: Iterable[int]) -> None:
        self.members.setdefault(name, []).extend(faces)

    def take_array(self, array: str, values: Any, names: Optional[dict[int, str]] = None) -> None:
        """Groups faces by their values, of which some have names."""
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        group = _group_name(array)
        if values.ndim != 1 or not len(values):
            return
        if values.dtype.kind not in "iu" and not (group and np.all(values == np.floor(values))):
            return
        kinds = np.unique(values)
        if len(kinds) > self.MOST:
            return
        for value in kinds[kinds != 0].tolist():
            named = group or (names or {}).get(int(value), f"{array}:{int(value)}")
            self.add(named, np.flatnonzero(values == value).tolist())

    def of(self, cells: dict[str, Any]) -> dict[str, list[list[int]]]:
        """The groups, without faces that no cell has."""
        used = np.unique([v for face in self.faces for v in face])
        known: set[frozenset[int]] = set()
        for kind, ids in cells.items() if self.members else ():
            if kind == "polyhedron":
                known.update(frozenset(face) for faces in ids for face in faces)
                continue
            for side in self.SIDES[kind]:
                sides = ids[:, [int(corner) for corner in side]]
                sides = sides[np.isin(sides, used).all(axis=1)]
                known.update(map(frozenset, sides.tolist()))
        groups = {}
        for name, members in self.members.items():
            faces = [self.faces[face] for face in sorted(set(members))]
            kept = [face for face in faces if frozenset(face) in known]
            if len(kept) < len(faces):
                lost = len(faces) - len(kept)
                message = f"left out: {lost} faces of group {name!r} that no cell has"
                warnings.warn(message, stacklevel=4)
            if kept:
                groups[name] = kept
        return groups


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

    Point data become attributes; cell data stay. Triangles, quads and polygons are in groups of
    faces: by Gmsh's names in ``field_data``, by ``cell_sets``, and by cell data of integers as in VTK
    files. Named volumes and ``cell_sets`` of cells become groups of cells. Arrays of creases and
    corners are those of VTK files.

    Args:
        mesh: Hexahedra, wedges and tetrahedra, and faces of them.
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
    flat_blocks = []
    groups = _Groups()
    for index, block in enumerate(mesh.cells):
        if block.type in ("triangle", "quad", "polygon"):
            flat_blocks.append(index)
            groups.faces.extend([list(map(int, face)) for face in block.data])
        if block.type.startswith(left_out):
            continue
        if block.type not in ("hexahedron", "wedge", "tetra"):
            raise Error(
                f"cells of the kind {block.type}",
                "give hexahedra, wedges and tetrahedra, and faces of them alone",
            )
        blocks.setdefault(block.type, []).append(index)
    for name, own in blocks.items():
        cells[name] = np.concatenate([np.asarray(mesh.cells[index].data) for index in own])
    if not cells:
        raise Error(
            "a mesh without volume cells",
            "give hexahedra, wedges or tetrahedra; a surface's points and faces go to subsolid.Surface",
        )
    solid_blocks = [index for own in blocks.values() for index in own]
    data = {}
    names = getattr(mesh, "field_data", None) or {}
    names = {name: np.ravel(given).tolist() for name, given in names.items()}
    for name, values in mesh.cell_data.items():
        data[name] = np.concatenate([_kept(name, values[index]) for index in solid_blocks])
        is_physical = name == "gmsh:physical"
        tags = {given[0]: of for of, given in names.items() if is_physical and given[1:] == [2]}
        if flat_blocks:
            of_faces = np.concatenate([_kept(name, values[index]) for index in flat_blocks])
            groups.take_array(name, of_faces, tags)
    for name, given in names.items():
        if given[1:] == [3] and np.any(data.get("gmsh:physical", 0) == given[0]):
            data[f"group:{name}"] = (data["gmsh:physical"] == given[0]).astype(int)
    for name, sets in (getattr(mesh, "cell_sets", None) or {}).items():
        if not name.startswith("gmsh:"):
            marked = _marks(mesh, solid_blocks, sets)
            if marked.any():
                data[f"group:{name}"] = marked.astype(int)
            groups.add(name, np.flatnonzero(_marks(mesh, flat_blocks, sets)).tolist())
    return _solid(mesh, cells, data, groups, crease_angle)


def _marks(mesh: Any, blocks: list[int], sets: Any) -> Any:
    """Which of the elements of some blocks are in a set of meshio's."""
    marks = [np.zeros(len(mesh.cells[index].data), bool) for index in blocks]
    for mark, index in zip(marks, blocks):
        if sets[index] is not None:
            mark[np.asarray(sets[index], int)] = True
    return np.concatenate(marks) if marks else np.zeros(0, bool)
