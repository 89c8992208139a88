"""Meshes of PyVista and meshio are taken as files are: by corners, without strings, not with ghosts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid

pyvista = pytest.importorskip("pyvista")
meshio = pytest.importorskip("meshio")

CELLS = {
    "QuadraticHexahedron": 12,
    "QuadraticWedge": 9,
    "QuadraticTetrahedron": 6,
    "TriQuadraticHexahedron": 19,
    "BiQuadraticQuadraticHexahedron": 16,
}


@pytest.mark.parametrize("name", CELLS)
def test_high_order_cells_are_taken_by_their_corners(name: str, tmp_path: Any) -> None:
    grid = getattr(pyvista.examples.cells, name)()
    grid.point_data["t"] = np.arange(grid.n_points, dtype=float)
    path = str(tmp_path / "cell.vtu")
    grid.save(path)
    notice = f"left out: {CELLS[name]} mid-side nodes of high-order cells, which are read by their "
    with pytest.warns(UserWarning, match=notice) as caught:
        known = subsolid.read(path)
    with pytest.warns(UserWarning, match=notice) as own:
        found = [subsolid.from_pyvista(grid)]
    words = str(caught[0].message).split(": ", 1)[1]
    assert str(own[0].message) == words and own[0].filename == __file__
    if name not in ("BiQuadraticQuadraticHexahedron", "QuadraticWedge"):  # not of meshio's files
        with pytest.warns(UserWarning, match=notice):
            found.append(subsolid.from_meshio(meshio.read(path)))
    for solid in found:
        assert np.array_equal(solid.points, known.points)
        assert np.array_equal(solid.attributes["t"], known.attributes["t"])
        assert str(solid.cells) == str(known.cells)


@pytest.mark.filterwarnings("ignore:.*belong to no cell")
def test_plain_and_high_order_cells_stand_side_by_side() -> None:
    # a box of two cells, the second with nodes in the middle of its edges
    points, cells = box(2, 1, 1)
    first, second = cells
    edges = [(0, 1), (1, 2), (3, 2), (0, 3), (4, 5), (5, 6), (7, 6), (4, 7)]
    edges += [(0, 4), (1, 5), (2, 6), (3, 7)]
    middles = [(points[second[a]] + points[second[b]]) / 2 for a, b in edges]
    # the nodes stand first, then points of no cell, which stay
    alone = np.full((12, 3), 100.0)
    all_points = np.concatenate([middles, alone, points])
    first, second = first + 24, second + 24
    nodes = np.concatenate([second, np.arange(12)])
    quad = np.concatenate([second[[1, 2, 6, 5]], [1, 10, 5, 9]])
    mesh = meshio.Mesh(
        all_points,
        [("hexahedron20", [nodes]), ("hexahedron", [first]), ("quad8", [quad])],
        point_data={"x": all_points[:, 0], "label": np.array(["p"] * 36)},
        cell_data={"m": [[7], [8], [3]], "word": [["a"], ["b"], ["c"]]},
    )
    with pytest.warns(UserWarning) as caught:
        solid = subsolid.from_meshio(mesh)
    words = [str(w.message) for w in caught]
    assert words[0] == "12 vertices belong to no cell (the first: vertex 0)"
    assert len(words) == 2 and words[1].startswith("left out: cell array `word` of type <U1, ")
    assert "point array `label` of type <U1" in words[1]
    assert words[1].endswith(
        "12 mid-side nodes of high-order cells, which are read by their corners (hexahedron20: 1)"
    )
    assert solid.n_points == 24
    assert solid.cell_data["m"].tolist() == [7, 8]
    assert np.array_equal(solid.points[solid.cells[0]], points[cells[1]])
    assert np.array_equal(solid.points[solid.cells[1]], points[cells[0]])
    assert np.array_equal(solid.attributes["x"], solid.points[:, 0])
    faces = solid.face_groups["m:3"]
    assert np.array_equal(solid.points[faces[0]], points[cells[1]][[1, 2, 6, 5]])
    # the same by PyVista, with creases
    grid = pyvista.UnstructuredGrid(
        np.concatenate([[20], nodes, [8], first, [8], quad]), [25, 12, 23], all_points
    )
    grid.cell_data["m"] = [7, 8, 3]
    grid.field_data["crease_edges"] = [second[0], second[1], 0, second[1]]
    grid.field_data["crease_sharpness"] = [2.0, 3.0]
    grid.point_data["corner_sharpness"] = np.eye(36)[[0, second[6]]].sum(axis=0)
    grid.point_data["label"] = ["p"] * 36
    with pytest.warns(UserWarning, match="1 crease at mid-side nodes, 1 corner at mid-side nodes") as caught:
        same = subsolid.from_pyvista(grid)
    assert any("point array `label`" in str(w.message) for w in caught)
    assert np.array_equal(same.points, solid.points)
    assert np.array_equal(same.points[same.cells], solid.points[solid.cells])
    assert np.array_equal(same.creases[0][0], same.cells[0][:2]) and same.creases[1].tolist() == [2.0]
    assert same.corners[0].tolist() == [same.cells[0][6]]


def test_ghost_cells_are_left_out_as_in_files(tmp_path: Any) -> None:
    points, cells = box(3, 1, 1)
    grid = pyvista.UnstructuredGrid({12: cells}, points)
    grid.cell_data["vtkGhostType"] = np.array([0, 0, 1], "u1")
    path = str(tmp_path / "grid.vtu")
    grid.save(path)
    ghosts = pytest.warns(UserWarning, match="1 ghost cell of other pieces")
    with pytest.warns(UserWarning, match="4 vertices belong to no cell"), ghosts:
        found = [subsolid.read(path), subsolid.from_pyvista(grid), subsolid.from_meshio(meshio.read(path))]
    assert [solid.n_cells for solid in found] == [2, 2, 2]


def test_groups_that_overlap_are_merged_as_in_files(tmp_path: Any) -> None:
    """Gmsh's version 2 lists an element once for each of its groups."""
    names = '$PhysicalNames\n4\n2 5 "low"\n2 6 "all faces"\n3 1 "left"\n3 2 "all "\n$EndPhysicalNames\n'
    nodes = "".join(f"{i + 1} {i & 1} {i >> 1 & 1} {i >> 2}\n" for i in range(8))
    quad, hexahedron = "1 3 4 2", "1 2 4 3 5 6 8 7"
    rows = [f"3 2 5 1 {quad}", f"3 2 6 1 {quad}", f"5 2 1 1 {hexahedron}", f"5 2 2 1 {hexahedron}"]
    elements = "".join(f"{i + 1} {row}\n" for i, row in enumerate(rows))
    path = str(tmp_path / "mesh.msh")
    with open(path, "w") as file:
        file.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{names}$Nodes\n8\n{nodes}$EndNodes\n")
        file.write(f"$Elements\n4\n{elements}$EndElements\n")
    known, found = subsolid.read(path), subsolid.from_meshio(meshio.read(path))
    for solid in (known, found):
        assert solid.n_cells == 1
        assert {"all faces", "low"} <= set(solid.face_groups)
        names = ["gmsh:physical", "group:all", "group:left"]
        assert set(names) <= set(solid.cell_data)
        assert all(solid.cell_data[name].tolist() == [1] for name in names if name.startswith("group:"))


def test_hidden_cells_are_ghosts_as_in_files(tmp_path: Any) -> None:
    points, cells = box(3, 1, 1)
    grid = pyvista.UnstructuredGrid({12: cells}, points)
    grid.cell_data["vtkGhostType"] = np.array([0, 0, 32], "u1")
    path = str(tmp_path / "grid.vtu")
    grid.save(path)
    found = [subsolid.read(path), subsolid.from_pyvista(grid)]
    found.append(subsolid.from_meshio(meshio.read(path)))
    found.append(subsolid.Solid(points, cells, ghosts=[False, False, True]))
    for solid in found:
        assert solid.ghosts.tolist() == [False, False, True]
        assert solid.plan(2).evaluate().points.shape == (16, 3)
    again = str(tmp_path / "again.vtu")
    found[3].write(again)
    assert pyvista.read(again)["vtkGhostType"].tolist() == [0, 0, 32]
    with pytest.raises(subsolid.Error, match="2 flags for 3 cells"):
        subsolid.Solid(points, cells, ghosts=[False, True])
    with pytest.raises(subsolid.Error, match="all cells are ghosts"):
        subsolid.Solid(points, cells, ghosts=[True] * 3)
    grid.cell_data["vtkGhostType"] = np.zeros(3, "u1")
    whole = subsolid.from_pyvista(grid)
    assert whole.n_cells == 3 and not whole.ghosts.any()


def test_pyramids_are_refused_as_in_files(tmp_path: Any) -> None:
    grid = pyvista.examples.cells.Pyramid()
    path = str(tmp_path / "grid.vtu")
    grid.save(path)
    with pytest.raises(subsolid.Error, match="cell 0") as known:
        subsolid.read(path)
    with pytest.raises(subsolid.Error) as found:
        subsolid.from_pyvista(grid)
    assert found.value.message == known.value.message


def test_cells_that_are_no_volume_are_left_out_as_of_files(tmp_path: Any) -> None:
    points, cells = box(2, 1, 1)
    polyline = np.array([4, 0, 1, 2, 3])
    grid = pyvista.UnstructuredGrid(
        np.concatenate([polyline, [8], cells[0], [8], cells[1]]), [4, 12, 12], points
    )
    grid.cell_data["m"] = [5, 6, 7]
    path = str(tmp_path / "grid.vtu")
    grid.save(path)
    with pytest.warns(UserWarning) as caught:
        known, found = subsolid.read(path), subsolid.from_pyvista(grid)
    words = [str(warning.message).split("left out: ")[1] for warning in caught]
    assert words == ["1 line cell (VTK type 4)"] * 2
    assert np.array_equal(found.cells, known.cells)
    assert found.cell_data["m"].tolist() == known.cell_data["m"].tolist() == [6, 7]


def test_what_meshes_of_others_lose_is_named() -> None:
    points, cells = box(1, 1, 1)
    mesh = meshio.Mesh(points, [("hexahedron", cells)], point_sets={"z": np.array([0, 1])},
                       field_data={"foo": np.array([1.0, 2, 3])})
    with pytest.warns(UserWarning, match="left out: point set `z`, field array `foo`"):
        subsolid.from_meshio(mesh)
