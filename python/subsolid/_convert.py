"""Solids from the meshes of other packages."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any, Optional

import numpy as np

from ._error import Error
from ._subsolid import Solid

#: Corners of the kinds of cells.
_CORNERS = {"hexahedron": 8, "wedge": 6, "tetra": 4}
#: VTK's numbers of each kind, the voxel aside; those after the first are of high order.
_KINDS = {
    "hexahedron": (12, 25, 29, 33, 72, 79),
    "wedge": (13, 26, 31, 32, 73, 80),
    "tetra": (10, 24, 71, 78),
}
_VOXEL, _POLYHEDRON = 11, 42
#: Corners of VTK's faces, None for as many as they have points; and its vertices and lines.
_FACES: dict[int, Optional[int]] = {
    **dict.fromkeys((5, 22, 34, 69, 76), 3),
    **dict.fromkeys((8, 9, 23, 28, 30, 70, 77), 4),
    7: None,
}
_LOWER = (0, 1, 2, 3, 4, 21, 35, 68, 75)
#: Bits of VTK's ghosts, what they mark, and what to do about it.
_GHOSTS = (
    (1, "ghost cells", "write it without ghost levels; ghosts repeat cells of others"),
    (32, "hidden cells", "write the cells that are not hidden as an unstructured grid"),
)


def from_pyvista(grid: Any, *, crease_angle: Optional[float] = None) -> Solid:
    """A solid from the cells of a ``pyvista.UnstructuredGrid`` (or what casts to one).

    Point data become attributes, cell data stay. Cells are sorted by kind: hexahedra, wedges,
    tetrahedra, polyhedra. Triangles, quads and polygons beside them are in groups of faces as in VTK files:
    by cell data of integers, ``group:NAME`` or ``ARRAY:VALUE``. Arrays of creases and corners are
    those of VTK files too.

    Args:
        grid: Hexahedra, voxels, wedges, tetrahedra and polyhedra, and faces of them. Cells of high
            order are taken by their corners.
        crease_angle: Makes boundary edges sharp whose faces turn by more degrees.

    What is left out, mid-side nodes and data that are no numbers, is named in a UserWarning.

    Raises:
        Error: For other cells, and for ghost and hidden cells.
    """
    if not hasattr(grid, "celltypes"):
        if not hasattr(grid, "cast_to_unstructured_grid"):
            raise Error(f"a {type(grid).__name__} is not a grid", "give a pyvista.UnstructuredGrid")
        grid = grid.cast_to_unstructured_grid()
    types = np.asarray(grid.celltypes)
    connectivity = np.asarray(grid.cell_connectivity)
    offsets = np.asarray(grid.cell_offsets if hasattr(grid, "cell_offsets") else grid.offset)
    ends = np.append(offsets, len(connectivity))
    cells: dict[str, Any] = {}
    order = []
    high = _HighOrder()
    for name, corners in _CORNERS.items():
        voxel = [_VOXEL] if name == "hexahedron" else []
        for kind in [_KINDS[name][0], *voxel, *_KINDS[name][1:]]:
            own = np.flatnonzero(types == kind)
            if not len(own):
                continue
            ids = connectivity[offsets[own][:, None] + np.arange(corners)]
            if kind == _VOXEL:
                ids = ids[:, [0, 1, 3, 2, 4, 5, 7, 6]]
            if kind in _KINDS[name][1:]:
                others = [connectivity[ends[c] + corners : ends[c + 1]] for c in own.tolist()]
                high.add(f"VTK type {kind}", len(own), np.concatenate(others))
            cells[name] = np.concatenate([cells[name], ids]) if name in cells else ids
            order.append(own)
    polyhedra = np.flatnonzero(types == _POLYHEDRON)
    if len(polyhedra):
        sides = [grid.get_cell(cell).faces for cell in polyhedra.tolist()]
        cells["polyhedron"] = [[list(face.point_ids) for face in faces] for faces in sides]
        order.append(polyhedra)
    kinds = set(types.tolist())
    solids = {_VOXEL, _POLYHEDRON}.union(*_KINDS.values())
    others = sorted(kinds - {*solids, *_FACES, *_LOWER})
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
    lost: list[str] = []
    data = _numbers(grid.cell_data, "cell", lost)
    _check_ghosts("grid", data.get("vtkGhostType"))
    groups = _Groups()
    flat = np.flatnonzero(np.isin(types, list(_FACES)))
    for cell in flat.tolist():
        face = connectivity[ends[cell] : ends[cell + 1]].tolist()[: _FACES[types[cell]]]
        groups.faces.append([face[i] for i in (0, 1, 3, 2)] if types[cell] == 8 else face)
    for name, values in data.items():
        groups.take_array(name, values[flat])
    data = {name: values[sort] for name, values in data.items()}
    return _solid(grid, cells, data, groups, high, lost, crease_angle)


def _solid(
    mesh: Any,
    cells: dict[str, Any],
    data: dict[str, Any],
    groups: _Groups,
    high: _HighOrder,
    lost: list[str],
    angle: Optional[float],
) -> Solid:
    # an array that marks faces alone says nothing of the cells
    for name in [name for name in data if _group_name(name) in groups.members]:
        if not data[name].any():
            del data[name]
    attributes = _numbers(mesh.point_data, "point", lost)
    attributes = {name: values.astype(float) for name, values in attributes.items()}
    corners = attributes.pop("corner_sharpness", np.zeros(0))
    sharp = np.flatnonzero(corners)
    fields = getattr(mesh, "field_data", None) or {}
    creases = None
    if "crease_edges" in fields:
        edges = np.asarray(fields["crease_edges"]).reshape(-1, 2)
        creases = (edges, np.asarray(fields["crease_sharpness"], dtype=float).ravel())
    points = np.asarray(mesh.points, dtype=float)
    face_groups = groups.of(cells)
    if high.kinds:
        kept = high.kept(len(points), cells)
        lost.append(high.notice(kept))
        new = np.cumsum(kept) - 1
        points = points[kept]
        attributes = {name: values[kept] for name, values in attributes.items()}
        cells = {name: _renumbered(ids, new) for name, ids in cells.items()}
        face_groups = {name: _renumbered(faces, new) for name, faces in face_groups.items()}
        if creases is not None:
            stay = kept[creases[0]].all(axis=1)
            creases = (new[creases[0][stay]], creases[1][stay])
            _lose(lost, stay, "crease")
        stay = kept[sharp]
        corners, sharp = corners[sharp][stay], new[sharp[stay]]
        _lose(lost, stay, "corner")
    else:
        corners = corners[sharp]
    if lost:
        warnings.warn(f"left out: {', '.join(lost)}", stacklevel=3)
    return Solid(
        points,
        cells if len(cells) > 1 or "polyhedron" in cells else next(iter(cells.values())),
        creases=creases,
        corners=(sharp, corners) if len(sharp) else None,
        attributes=attributes,
        cell_data=data,
        face_groups=face_groups,
        crease_angle=angle,
    )


def _lose(lost: list[str], stay: Any, what: str) -> None:
    """Notes how many creases or corners do not stay."""
    if count := np.count_nonzero(~stay):
        lost.append(f"{count} {what}{'' if count == 1 else 's'} at mid-side nodes")


def _renumbered(ids: Any, new: Any) -> Any:
    """Ids of an array, or of lists of lists, by their new numbers."""
    if isinstance(ids, list):
        return [_renumbered(part, new) for part in ids]
    return new[ids] if isinstance(ids, np.ndarray) else int(new[ids])


class _HighOrder:
    """Cells of high order, which are taken by their corners, and their other nodes."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.nodes: list[Any] = []

    def add(self, kind: str, count: int, nodes: Any) -> None:
        self.kinds[kind] += count
        self.nodes.append(np.ravel(nodes))

    def kept(self, points: int, cells: dict[str, Any]) -> Any:
        """Which points are not nodes of these cells alone."""
        kept = np.ones(points, bool)
        kept[np.concatenate(self.nodes)] = False
        for name, ids in cells.items():
            if name != "polyhedron":
                kept[ids] = True
                continue
            for faces in ids:
                kept[[vertex for face in faces for vertex in face]] = True
        return kept

    def notice(self, kept: Any) -> str:
        kinds = ", ".join(f"{kind}: {count}" for kind, count in sorted(self.kinds.items()))
        nodes = np.count_nonzero(~kept)
        return f"{nodes} mid-side nodes of high-order cells, which are read by their corners ({kinds})"


def _check_ghosts(what: str, ghosts: Any) -> None:
    """Refuses cells that others repeat, or that are not to be seen."""
    for bit, cells, help in _GHOSTS if ghosts is not None else ():
        if np.any(np.asarray(ghosts).astype(int) & bit):
            raise Error(f"the {what} has {cells}", help)


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


def _numbers(data: Any, what: str, lost: list[str]) -> dict[str, Any]:
    """Data that are numbers: integers stay integers, what is true becomes 1."""
    kept = {}
    for name, values in data.items():
        array = np.asarray(values)
        if array.dtype.kind in "iufb":
            kept[str(name)] = array if array.dtype.kind in "iu" else array.astype(float)
        else:
            lost.append(f"{what} array `{name}` of type {array.dtype}")
    return kept


def from_meshio(mesh: Any, *, crease_angle: Optional[float] = None) -> Solid:
    """A solid from the cells of a ``meshio.Mesh``.

    Point data become attributes; cell data stay. Triangles, quads and polygons are in groups of
    faces: by Gmsh's names in ``field_data``, by ``cell_sets``, and by cell data of integers as in VTK
    files. Named volumes and ``cell_sets`` of cells become groups of cells. Arrays of creases and
    corners are those of VTK files.

    Args:
        mesh: Hexahedra, wedges and tetrahedra, and faces of them. Cells of high order are taken by
            their corners.
        crease_angle: Makes boundary edges sharp whose faces turn by more degrees.

    What is left out, mid-side nodes and data that are no numbers, is named in a UserWarning.

    Raises:
        Error: If there is no cell of these kinds, or one of another kind of volume, and for ghost
            and hidden cells.
    """
    if not hasattr(mesh, "cells") or not hasattr(mesh, "cell_data"):
        raise Error(f"a {type(mesh).__name__} is not a mesh", "give a meshio.Mesh: meshio.read(...)")
    cells: dict[str, Any] = {}
    blocks: dict[str, list[int]] = {}
    flat_blocks = []
    groups = _Groups()
    high = _HighOrder()
    for index, block in enumerate(mesh.cells):
        kind = _plain_kind(block.type)
        if kind in _FLAT:
            flat_blocks.append(index)
            groups.faces.extend([list(map(int, face))[: _FLAT[kind]] for face in block.data])
        if kind in _FLAT or kind in ("vertex", "line"):
            continue
        if kind not in _CORNERS:
            raise Error(
                f"cells of the kind {block.type}",
                "give hexahedra, wedges and tetrahedra, and faces of them alone",
            )
        if kind != block.type:
            nodes = np.asarray(block.data)
            high.add(block.type, len(nodes), nodes[:, _CORNERS[kind] :])
        blocks.setdefault(kind, []).append(index)
    for name, own in blocks.items():
        data_of = [np.asarray(mesh.cells[index].data)[:, : _CORNERS[name]] for index in own]
        cells[name] = np.concatenate(data_of)
    if not cells:
        raise Error(
            "a mesh without volume cells",
            "give hexahedra, wedges or tetrahedra; a surface's points and faces go to subsolid.Surface",
        )
    solid_blocks = [index for own in blocks.values() for index in own]
    data: dict[str, Any] = {}
    names = getattr(mesh, "field_data", None) or {}
    names = {name: np.ravel(given).tolist() for name, given in names.items()}
    lost: list[str] = []
    for name, values in mesh.cell_data.items():
        kept = _numbers({name: np.concatenate([values[i] for i in solid_blocks])}, "cell", lost)
        if name not in kept:
            continue
        data.update(kept)
        is_physical = name == "gmsh:physical"
        tags = {given[0]: of for of, given in names.items() if is_physical and given[1:] == [2]}
        if flat_blocks:
            of_faces = {name: np.concatenate([values[index] for index in flat_blocks])}
            groups.take_array(name, _numbers(of_faces, "cell", lost)[name], tags)
    _check_ghosts("mesh", data.get("vtkGhostType"))
    for name, given in names.items():
        if given[1:] == [3] and np.any(data.get("gmsh:physical", 0) == given[0]):
            data[f"group:{name}"] = (data["gmsh:physical"] == given[0]).astype(int)
    for name, sets in (getattr(mesh, "cell_sets", None) or {}).items():
        if not name.startswith("gmsh:"):
            marked = _marks(mesh, solid_blocks, sets)
            if marked.any():
                data[f"group:{name}"] = marked.astype(int)
            groups.add(name, np.flatnonzero(_marks(mesh, flat_blocks, sets)).tolist())
    return _solid(mesh, cells, data, groups, high, lost, crease_angle)


#: Corners of meshio's faces, None for as many as they have points.
_FLAT = {"triangle": 3, "quad": 4, "polygon": None}
_LAGRANGE = {"curve": "line", "quadrilateral": "quad", "tetrahedron": "tetra"}


def _plain_kind(name: str) -> str:
    """The kind of meshio's cells whose corners those of this kind have: "tetra" of "tetra10"."""
    found = re.fullmatch(r"VTK_(?:LAGRANGE|BEZIER)_([A-Z]+)", name)
    if found:
        kind = found.group(1).lower()
        return _LAGRANGE.get(kind, kind)
    return re.sub(r"\d+$", "", name)


def _marks(mesh: Any, blocks: list[int], sets: Any) -> Any:
    """Which of the elements of some blocks are in a set of meshio's."""
    marks = [np.zeros(len(mesh.cells[index].data), bool) for index in blocks]
    for mark, index in zip(marks, blocks):
        if sets[index] is not None:
            mark[np.asarray(sets[index], int)] = True
    return np.concatenate(marks) if marks else np.zeros(0, bool)
