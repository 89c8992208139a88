"""Control meshes: in, out, and refused."""

from __future__ import annotations

import pathlib
import pickle
from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid


def test_a_mesh_goes_in_and_comes_out() -> None:
    points, cells = box(2, 2, 3)
    edges = np.array([[0, 1], [1, 2]])
    solid = subsolid.Solid(
        points, cells, creases=(edges, [np.inf, 1.5]), corners=([26], 2.0),
        attributes={"t": np.arange(len(points), dtype=float), "d": points},
        cell_data={"material": np.arange(12)},
    )
    assert np.array_equal(solid.points, points) and np.array_equal(solid.cells, cells)
    assert np.array_equal(solid.creases[0], edges)
    assert solid.creases[1].tolist() == [np.inf, 1.5]
    assert solid.corners[0].tolist() == [26] and solid.corners[1].tolist() == [2.0]
    assert solid.attributes["d"].shape == (36, 3)
    assert not solid.points.flags.writeable
    fine = solid.refine()
    assert fine.n_cells == 96
    assert np.array_equal(fine.cell_data["material"], np.repeat(np.arange(12), 8))
    assert fine.cell_data["material"].dtype == np.int64


def test_cells_keep_their_data(tmp_path: Any) -> None:
    points, cells = box(2, 2, 1)
    data: dict[str, Any] = {
        "material": np.arange(4, dtype=np.uint8),
        "listed": [4, 3, 2, 1],
        "fibre": np.random.default_rng(1).normal(size=(4, 3)),
        "wide": np.full(4, 2**60),
    }
    solid = subsolid.Solid(points, cells, cell_data=data)
    kinds = {name: values.dtype.kind for name, values in solid.cell_data.items()}
    assert kinds == {"material": "i", "listed": "i", "fibre": "f", "wide": "f"}
    for name in ("mesh.vtu", "mesh.vtk", "mesh.pvtu"):
        solid.refine().write(tmp_path / name)
        again = subsolid.read(tmp_path / name).cell_data
        for key, values in data.items():
            assert np.array_equal(again[key], np.repeat(np.asarray(values), 8, axis=0)), (name, key)
            assert again[key].dtype.kind == kinds[key]
    corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
    mixed = subsolid.Solid(
        corners + [[0.5, 0, 2], [0.5, 1, 2.1], [0.5, -1, 1.5]],
        {"hexahedron": [range(8)], "wedge": [[4, 5, 8, 7, 6, 9]], "tetra": [[4, 5, 8, 10]]},
        cell_data={"material": [7, 5, 3]},
    )
    assert mixed.refine(2).cell_data["material"].tolist() == [7] * 64 + [5] * 48 + [3] * 32
    moved = solid.with_points(points + 1.0).with_attributes({"t": points[:, 0]})
    assert np.array_equal(moved.cell_data["fibre"], data["fibre"])


def test_files_hold_what_was_written(tmp_path: Any) -> None:
    points, cells = box(2, 2, 2)
    solid = subsolid.Solid(points, cells, creases=([[0, 1]], np.inf), attributes={"t": points})
    for name in ("mesh.vtu", "mesh.vtk"):
        solid.write(tmp_path / name)
        again = subsolid.read(tmp_path / name)
        assert np.array_equal(again.points, points)
        assert np.array_equal(again.cells, cells)
        assert again.creases[1].tolist() == [np.inf]
        assert np.array_equal(again.attributes["t"], points)


def test_curves_of_a_file_become_creases(tmp_path: Any) -> None:
    points, cells = box(1, 1, 1)
    rows = "\n".join(f"{x} {y} {z} 0" for x, y, z in points)
    corners = " ".join(str(v + 1) for v in cells[0])
    lists = "Edges 3\n1 2 0\n2 4 0\n1 8 7\nRidges 2\n1 2\nCorners 1\n8\nEnd\n"
    text = f"MeshVersionFormatted 2\nDimension 3\nVertices 8\n{rows}\nHexahedra 1\n{corners} 0\n{lists}"
    (tmp_path / "box.mesh").write_text(text)
    with pytest.warns(UserWarning, match="left out: the curves and points `Edges`"):
        solid = subsolid.read(tmp_path / "box.mesh", creases_from=["Ridges=1.5", "Corners"])
    given = subsolid.Solid(points, cells, creases=([[0, 1], [1, 3]], 1.5), corners=([7], np.inf))
    assert np.array_equal(solid.creases[0], given.creases[0])
    assert np.array_equal(solid.corners[1], given.corners[1])
    samples = {"cells": [0], "uvw": [[1.0, 0.0, 0.0]]}
    assert np.array_equal(solid.evaluate(**samples).points, given.evaluate(**samples).points)
    absent = r"`medit:ref:7`: 1 edge not among those of the mesh \(the first: edge 0 7"
    with pytest.warns(UserWarning, match="left out: the"), pytest.warns(UserWarning, match=absent):
        subsolid.read(tmp_path / "box.mesh", creases_from="medit:ref:7")
    with pytest.raises(subsolid.Error, match="no curve or points `Ridge`") as caught:
        subsolid.read(tmp_path / "box.mesh", creases_from="Ridge")
    assert "`Ridges` (2 edges)" in (caught.value.help or "")
    text = text.replace(f"Hexahedra 1\n{corners} 0", "Quadrilaterals 1\n1 2 4 3 0")
    (tmp_path / "quad.mesh").write_text(text)
    with pytest.warns(UserWarning, match="left out: the curves and points"):
        surface = subsolid.read_surface(tmp_path / "quad.mesh", creases_from="Ridges=1.5")
    assert surface.creases[0].tolist() == [[0, 1], [1, 3]]
    with pytest.raises(subsolid.Error, match="creases_from of another form"):
        subsolid.read(tmp_path / "box.mesh", creases_from=3)  # type: ignore[arg-type]


def test_the_box_has_the_classes_of_the_paper() -> None:
    points, cells = box(2, 2, 6)
    solid = subsolid.Solid(points, cells)
    assert np.bincount(solid.classes, minlength=4).tolist() == [0, 16, 8, 0]
    fine = solid.refine(1)
    assert np.bincount(fine.classes, minlength=4).tolist() == [40 + 88, 56, 8, 0]
    assert solid.info()["classes"]["layered"] == 16


def test_info_and_quality_are_those_of_the_program(command: Any, models: Any, bracket: subsolid.Solid) -> None:
    import json
    import subprocess

    report = json.loads(command("info", models / "bracket.vtk", "--json"))
    assert report.pop("program").startswith("subsolid ")
    assert report.pop("schema") == "subsolid.info/2"
    assert report == bracket.info()
    assert "structures" not in report and bracket.info(verbose=True)["structures"]
    try:
        text = command("evaluate", models / "bracket.vtk", "--gauss", 3, "--quality", "--json")
    except subprocess.CalledProcessError as done:  # 1 says that the quality is poor
        text = done.stdout
    assert json.loads(text)["quality"] == bracket.quality(gauss=3)


def test_refinement_keeps_the_limit() -> None:
    points, cells = box(2, 2, 3, np.random.default_rng(5))
    solid = subsolid.Solid(points, cells, crease_angle=40.0)
    fine = solid.refine(1)
    # cell 0's child at corner 6 (VTK) begins at its middle
    middle = solid.evaluate(cells=[0], uvw=[[0.5, 0.5, 0.5]]).points
    corner = fine.evaluate(cells=[0], uvw=[[1.0, 1.0, 1.0]]).points
    assert np.abs(middle - corner).max() < 1e-13


def test_vertices_in_one_place_are_joined(tmp_path: Any) -> None:
    points, cells = box(2, 2, 3, np.random.default_rng(5))
    solid = subsolid.Solid(points, cells)
    # every cell owns its corners
    apart = subsolid.Solid(
        points[cells].reshape(-1, 3),
        np.arange(cells.size).reshape(-1, 8),
        attributes={"cell": np.repeat(np.arange(len(cells), dtype=float), 8)},
    )
    apart.write(tmp_path / "apart.vtu")
    with pytest.warns(UserWarning, match="exactly where another vertex lies"):
        read = subsolid.read(tmp_path / "apart.vtu")
    with pytest.warns(UserWarning, match="differ in cell"):
        joined = read.weld()
    assert joined.n_points == solid.n_points < apart.n_points
    limit, expected = (s.evaluate(3).points for s in (joined, solid))
    assert np.abs(limit - expected).max() < 1e-14
    assert solid.weld().n_points == solid.n_points
    # as a file with few digits has them
    near = subsolid.Solid(apart.points + 1e-7 * np.random.default_rng(6).random((96, 3)), apart.cells)
    assert near.weld().n_points == apart.n_points
    assert near.weld(1e-6).n_points == solid.n_points
    for distance in (-1, float("nan")):
        with pytest.raises(subsolid.Error, match="distance"):
            near.weld(distance)
    skin = solid.boundary()
    corners = np.asarray(skin.faces)
    soup = subsolid.Surface(skin.points[corners].reshape(-1, 3), np.arange(corners.size).reshape(-1, 4))
    assert soup.info()["parts"] == len(corners)
    joined = soup.weld()
    assert (joined.n_points, joined.info()["genus"]) == (len(np.unique(corners)), 0)


def test_shells_are_turned_outward() -> None:
    corners = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)], dtype=float)
    quads = np.array([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])
    points = np.concatenate([4 * corners, corners + 1, corners + 9])
    shells = subsolid.Surface(points, np.concatenate([quads, quads + 8, quads[:, ::-1] + 16]))
    with pytest.warns(UserWarning, match="the shell of face 6 lies in others"):
        kept = shells.orient()
    turned = quads + 16
    faces = np.asarray(kept.faces)
    assert (faces[:12] == np.concatenate([quads, quads + 8])).all()
    assert all(list(a) in [list(np.roll(b, k)) for k in range(4)] for a, b in zip(faces[12:], turned))
    cavities = np.asarray(shells.orient(nested="cavities").faces)
    assert (cavities[:6] == quads).all() and (cavities[6:12, 1] == quads[:, 3] + 8).all()
    with pytest.raises(subsolid.Error, match="nested"):
        shells.orient(nested="outward")
    # slicing turns what it is given, and says so
    with pytest.warns(UserWarning) as caught:
        areas = [layer.area for layer in shells.slice(0.5, scheme="linear")]
    assert any("turned outward: 1 of 3 shells (face 12)" in str(w.message) for w in caught)
    assert areas[-1] == pytest.approx(1) and areas[0] == pytest.approx(16)


def test_polyhedra_wedges_and_tetrahedra() -> None:
    wedge = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1.0]])
    as_wedge = subsolid.Solid(wedge, {"wedge": [[0, 1, 2, 3, 4, 5]]})
    faces = [[0, 2, 1], [3, 4, 5], [0, 1, 4, 3], [1, 2, 5, 4], [2, 0, 3, 5]]
    as_polyhedron = subsolid.Solid(wedge, {"polyhedron": [faces]})
    middle = np.full((1, 3), 1.0)
    found = [s.evaluate(cells=[0], corners=[0], uvw=middle).points for s in (as_wedge, as_polyhedron)]
    assert np.abs(found[0] - found[1]).max() < 1e-13
    assert as_wedge.n_cells == 1 and list(as_wedge.cells) == ["wedge"]


POINTS, CELLS = box(1, 1, 1)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((POINTS[:, :2], CELLS), {}, r"points has the shape \[8, 2\]"),
        ((POINTS, CELLS[:, :7]), {}, r"cells have the shape \[1, 7\]"),
        ((POINTS, CELLS - 1), {}, "cells names -1 at place 0"),
        ((POINTS, CELLS + 1), {}, "cell 0 names vertex 8"),
        ((POINTS, CELLS.astype(float)), {}, "cells has the type float64"),
        ((POINTS * np.nan, CELLS), {}, "vertex 0"),
        ((POINTS.astype(complex), CELLS), {}, "points has the type complex128"),
        ((POINTS, [[0, 1, 2, 3, 4, 5, 6, 6]]), {}, "cell 0"),
        (("points", CELLS), {}, "points has the type"),
        ((POINTS, CELLS), {"creases": ([[0, 6]], 1.0)}, "0 and 6|0, 6|6"),
        ((POINTS, CELLS), {"creases": ([[0, 1]], -1.0)}, "sharpness"),
        ((POINTS, CELLS), {"creases": [[0, 1]]}, "creases of another form"),
        ((POINTS, CELLS), {"corners": ([0, 1], [1.0])}, "1 sharpnesses for 2"),
        ((POINTS, CELLS), {"attributes": {"t": [1.0]}}, "attribute \"t\""),
        ((POINTS, CELLS), {"cell_data": {"t": [1.0, 2.0]}}, r'cell_data array "t" .* for 1 cell'),
        ((POINTS, CELLS), {"cell_data": {"t": [True]}}, 'cell_data array "t" has the type bool'),
        ((POINTS, CELLS), {"crease_angle": float("nan")}, "NaN|nan|angle"),
    ],
)
def test_bad_meshes_are_refused_in_words(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(subsolid.Error, match=message):
        subsolid.Solid(*arguments, **options)


def test_errors_name_elements_and_help() -> None:
    with pytest.raises(ValueError) as caught:
        subsolid.Solid(POINTS, CELLS + 1)
    error = caught.value
    assert isinstance(error, subsolid.Error)
    assert ("cell", 0) in error.elements and ("vertex", 8) in error.elements
    again = pickle.loads(pickle.dumps(error))
    assert (again.elements, again.help, str(again)) == (error.elements, error.help, str(error))
    with pytest.raises(subsolid.Error) as caught:
        subsolid.read("missing.vtk")
    assert caught.value.help is not None and "help:" in str(caught.value)


def test_errors_name_options_of_python() -> None:
    solid = subsolid.Solid(POINTS, CELLS)
    with pytest.raises(subsolid.Error) as caught:
        solid.distance("creases")
    assert caught.value.help == "give creases or crease_angle"
    with pytest.raises(subsolid.Error, match='backend="cpu"'):
        solid.evaluate(2, backend="cuda:99")


def test_meshes_of_other_packages(bracket: subsolid.Solid, tmp_path: Any) -> None:
    meshio = pytest.importorskip("meshio")
    pyvista = pytest.importorskip("pyvista")
    points, cells = box(2, 3, 2)
    mesh = meshio.Mesh(points, [("hexahedron", cells)], point_data={"t": points[:, 0]},
                       cell_data={"m": [np.arange(12)]})
    solid = subsolid.from_meshio(mesh)
    assert np.array_equal(solid.cells, cells) and solid.cell_data["m"][3] == 3.0
    grid = solid.to_pyvista("control")
    assert isinstance(grid, pyvista.UnstructuredGrid)
    again = subsolid.from_pyvista(grid)
    assert np.array_equal(again.cells, cells)
    assert np.array_equal(again.attributes["t"], points[:, 0])
    assert again.cell_data["m"].tolist() == solid.cell_data["m"].tolist()
    assert again.cell_data["m"].dtype == solid.cell_data["m"].dtype == np.int64
    for shape in ("lagrange", "bezier", 3):
        named = subsolid.Solid(points, cells, cell_data={"m": np.arange(12), "class": np.full(12, 9)})
        with pytest.warns(UserWarning, match="cell arrays class are left out"):
            grid = named.to_pyvista(shape)
        assert np.array_equal(grid.cell_data["m"], grid.cell_data["cell"]), shape
        assert np.asarray(grid.cell_data["class"]).max() < 4  # our own
    voxels = subsolid.from_pyvista(pyvista.ImageData(dimensions=(3, 4, 3)))
    assert np.array_equal(np.sort(voxels.cells, axis=1), np.sort(cells, axis=1))
    for surface in (pyvista.Sphere(), pyvista.Sphere().cast_to_unstructured_grid()):
        with pytest.raises(subsolid.Error, match="a surface, not a grid") as refused:
            subsolid.from_pyvista(surface)
        assert "subsolid.Surface" in (refused.value.help or "")


def test_limits_keep_the_rule_of_boundaries(tmp_path: Any) -> None:
    text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
    (tmp_path / "open.obj").write_text(text)
    (tmp_path / "pinned.obj").write_text(text + "t interpolateboundary 1/0/0 1\n")
    corner = np.array([0.0, 0.0, 0.0])
    for name, stays in (("open", False), ("pinned", True)):
        surface = subsolid.read_surface(tmp_path / f"{name}.obj")
        positions, _ = surface.evaluate(samples=2)
        assert np.allclose(positions[0, 0], corner, atol=1e-14) == stays


def test_rules_are_those_of_tags(tmp_path: Any) -> None:
    points = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 1, 1], [3, 1, 1]]
    faces = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [1, 5, 2]]
    creases = ([[0, 4], [4, 2]], [1.5, 2.5])
    lines = [f"v {x} {y} {z}" for x, y, z in points]
    lines += ["f " + " ".join(str(v + 1) for v in face) for face in faces]
    lines += ["t crease 2/1/0 0 4 1.5", "t crease 2/1/0 4 2 2.5"]
    for options, tag in (
        ({}, ""),
        ({"crease_rule": "chaikin"}, "t creasemethod 0/0/1 chaikin"),
        ({"boundary": "corners"}, "t interpolateboundary 1/0/0 1"),
        ({"boundary": "holes"}, "t interpolateboundary 1/0/0 0"),
        ({"triangles": "smooth"}, "t smoothtriangles 0/0/1 smooth"),
    ):
        (tmp_path / "tags.obj").write_text("\n".join([*lines, tag]) + "\n")
        expected = subsolid.read_surface(tmp_path / "tags.obj").refine(2)
        found = subsolid.Surface(points, faces, creases=creases, **options).refine(2)
        assert np.array_equal(found.points, expected.points), options
        assert found.n_faces == expected.n_faces
    with pytest.raises(subsolid.Error, match="triangles='flat'|triangles=\"flat\""):
        subsolid.Surface(points, faces, triangles="flat")  # type: ignore[arg-type]


def test_groups_of_faces_are_kept_refined_and_integrated(tmp_path):
    points = np.array([[i % 3, i // 3 % 2, i // 6] for i in range(12)], dtype=float)
    cells = [[0, 1, 4, 3, 6, 7, 10, 9], [1, 2, 5, 4, 7, 8, 11, 10]]
    groups = {"ends": [[0, 3, 9, 6], [2, 8, 11, 5]], "between": [[1, 4, 10, 7]]}
    solid = subsolid.Solid(
        points, cells, face_groups=groups, cell_data={"group:steel": [1, 0]}, crease_angle=40
    )
    assert {name: faces.tolist() for name, faces in solid.face_groups.items()} == groups
    fine = solid.refine(1)
    assert [len(faces) for faces in fine.face_groups.values()] == [8, 4]
    assert fine.cell_data["group:steel"].sum() == 8
    fine.write(tmp_path / "fine.vtu")
    again = subsolid.read(tmp_path / "fine.vtu")
    assert {name: len(faces) for name, faces in again.face_groups.items()} == {
        "ends": 8,
        "between": 4,
    }
    quadrature = solid.quadrature(2, boundary="ends")
    assert sum(batch.weights.sum() for batch in quadrature.batches()) == pytest.approx(2.0)
    with pytest.raises(subsolid.Error, match="1 face between cells"):
        solid.quadrature(2, boundary=["between"])
    with pytest.raises(subsolid.Error, match="no cell has the face"):
        subsolid.Solid(points, cells, face_groups={"bad": [[0, 1, 2, 3]]})
    # a number is a side, a string a name, also one of digits
    named = solid.with_face_groups({"0": groups["ends"]})
    area = [
        sum(batch.weights.sum() for batch in named.quadrature(2, boundary=part).batches())
        for part in (0, [0], "0", ["0"], [0, "0"], "side:0", "group:0")
    ]
    side = solid.quadrature(2, boundary=[0])
    first = sum(batch.weights.sum() for batch in side.batches())
    assert area[:4] == pytest.approx([first, first, 2, 2]) and area[5:] == pytest.approx([first, 2])
    assert area[4] in (pytest.approx(2), pytest.approx(first + 2))
    with pytest.raises(subsolid.Error, match="no group 1"):
        named.quadrature(2, boundary="1")


def _groups(solid: subsolid.Solid) -> dict[str, list[list[int]]]:
    return {name: sorted(map(list, faces)) for name, faces in solid.face_groups.items()}


def test_faces_in_meshes_of_other_packages_are_groups(tmp_path: Any) -> None:
    meshio = pytest.importorskip("meshio")
    pyvista = pytest.importorskip("pyvista")
    points = np.array([[i % 3, i // 3 % 2, i // 6] for i in range(12)], dtype=float)
    cells = np.array([[0, 1, 4, 3, 6, 7, 10, 9], [1, 2, 5, 4, 7, 8, 11, 10]])
    left, right, between = [0, 3, 9, 6], [2, 8, 11, 5], [1, 4, 10, 7]
    groups = {"ends": [left, right], "between": [between]}
    data = {"group:steel": [1, 0], "m": [3, 4]}
    solid = subsolid.Solid(points, cells, face_groups=groups, cell_data=data)
    solid.write(tmp_path / "a.vtu")
    for again in (
        subsolid.from_pyvista(solid.to_pyvista("control")),
        subsolid.from_pyvista(pyvista.read(tmp_path / "a.vtu")),
        subsolid.from_meshio(meshio.read(tmp_path / "a.vtu")),
    ):
        assert _groups(again) == groups
        assert {name: values.tolist() for name, values in again.cell_data.items()} == data
    # Gmsh's names, arrays of integers and of reals, sets of elements, a face that no cell has
    blocks = [("quad", np.array([left, right, [0, 1, 2, 3]])), ("hexahedron", cells), ("quad", [between])]
    mesh = meshio.Mesh(
        points,
        blocks,
        cell_data={
            "gmsh:physical": [[1, 2, 2], [7, 7], [0]],
            "group:half": [[0.0, 1.0, 0.0], [0.0, 1.0], [1.0]],
            "part": [[0.5, 0.5, 0.5], [0.5, 1.5], [1.0]],
        },
        field_data={"inlet": np.array([1, 2]), "bulk": np.array([7, 3])},
        cell_sets={"some": [[1], [0], [0]], "gmsh:bounding_entities": [[], [], []]},
    )
    with pytest.warns(UserWarning, match="left out: faces of group `gmsh:physical:2` that no cell has"):
        found = subsolid.from_meshio(mesh)
    assert _groups(found) == {
        "inlet": [left],
        "gmsh:physical:2": [right],
        "half": [between, right],
        "some": [between, right],
    }
    assert {name: values.tolist() for name, values in found.cell_data.items()} == {
        "gmsh:physical": [7, 7],
        "group:half": [0, 1],
        "part": [0.5, 1.5],
        "group:bulk": [1, 1],
        "group:some": [1, 0],
    }
    mesh.cell_sets = {"late": [[], [2], []]}
    with pytest.raises(subsolid.Error, match='set "late" names cell 2 of a block of 2 cells'):
        subsolid.from_meshio(mesh)


@pytest.mark.filterwarnings("ignore:.*_PYVISTA_BITARRAY_CELL_")
def test_booleans_are_groups_as_in_files(tmp_path: Any) -> None:
    pyvista = pytest.importorskip("pyvista")
    points, cells = box(2, 1, 1)
    both = {pyvista.CellType.HEXAHEDRON: cells, pyvista.CellType.QUAD: cells[:1, [0, 3, 7, 4]]}
    grid = pyvista.UnstructuredGrid(both, points)
    grid.cell_data["chosen"] = grid.celltypes == pyvista.CellType.QUAD
    grid.save(tmp_path / "chosen.vtu")
    here, read = subsolid.from_pyvista(grid), subsolid.read(tmp_path / "chosen.vtu")
    assert _groups(here) == _groups(read) and set(_groups(here)) == {"chosen:1"}
    assert here.cell_data["chosen"].dtype == read.cell_data["chosen"].dtype == np.int64


def test_creases_and_kinds_go_through_other_packages(tmp_path: Any) -> None:
    meshio = pytest.importorskip("meshio")
    pyvista = pytest.importorskip("pyvista")
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [0, 0, 2]])
    sides = [[0, 2, 1], [3, 4, 5], [0, 1, 4, 3], [1, 2, 5, 4], [2, 0, 3, 5]]
    for wedge in ({"wedge": [[0, 1, 2, 3, 4, 5]]}, {"polyhedron": [sides]}):
        solid = subsolid.Solid(
            points.astype(float),
            {"tetra": [[3, 4, 5, 6]], **wedge},
            creases=([[0, 1], [1, 2]], [1.5, np.inf]),
            corners=([6], 2.5),
            cell_data={"m": [4, 3]},
        )
        assert list(solid.cells) == ["tetra", *wedge]
        solid.write(tmp_path / "a.vtu")
        others = [
            subsolid.from_pyvista(solid.to_pyvista("control")),
            subsolid.from_pyvista(pyvista.read(tmp_path / "a.vtu")),
        ]
        if "wedge" in wedge:
            others.append(subsolid.from_meshio(meshio.read(tmp_path / "a.vtu")))
        for other in others:
            assert [a.tolist() for a in other.creases] == [a.tolist() for a in solid.creases]
            assert [a.tolist() for a in other.corners] == [[6], [2.5]]
            assert not other.attributes
            m = dict(zip(other.cells, other.cell_data["m"].tolist()))
            assert m == {"tetra": 4, next(iter(wedge)): 3}
            expected = np.sort(solid.evaluate(samples=3).points, axis=0)
            assert np.allclose(np.sort(other.evaluate(samples=3).points, axis=0), expected, atol=1e-14)


def test_holes_are_named_refined_and_left_out_of_files(tmp_path: Any) -> None:
    points = [[x, y, 0] for y in range(4) for x in range(4)]
    faces = [[i, i + 1, i + 5, i + 4] for i in (0, 1, 2, 4, 5, 6, 8, 9, 10)]
    surface = subsolid.Surface(points, faces, holes=[4])
    assert surface.holes.tolist() == [4] and surface.holes.dtype == np.int64
    fine = surface.refine(1)
    assert fine.holes.tolist() == [16, 17, 18, 19] and fine.n_faces == 36
    fine.write(tmp_path / "fine.obj")
    assert subsolid.read_surface(tmp_path / "fine.obj").holes.tolist() == fine.holes.tolist()
    with pytest.warns(UserWarning, match="4 holes"):
        fine.write(tmp_path / "fine.ply")
    assert subsolid.read_surface(tmp_path / "fine.ply").n_faces == 32
    positions, _ = surface.evaluate(2)
    assert len(positions) == 9
    assert subsolid.Surface(points, faces).holes.shape == (0,)


def test_counts_out_of_range_are_errors() -> None:
    points, cells = box(2, 2, 2)
    solid = subsolid.Solid(points, cells)
    surface, plan, quadrature = solid.boundary(), solid.plan(2), solid.quadrature(2, rings=0)
    calls: dict[str, Any] = {
        "levels": lambda n: solid.refine(n),
        "samples": lambda n: solid.evaluate(n),
        "gauss": lambda n: solid.evaluate(gauss=n),
        "derivatives": lambda n: solid.plan(2, derivatives=n),
        "threads": lambda n: solid.plan(2, threads=n),
        "planes": lambda n: solid.slice(0.5, planes=n),
        "rings": lambda n: solid.quadrature(2, rings=n),
        "steps": lambda n: solid.with_attributes({"t": points[:, 0]}).smooth_attribute("t", n),
        "sweeps": lambda n: surface.denoise(n),
        "results": lambda n: plan.pieces(results=n),
        "max_points": lambda n: quadrature.batches(max_points=n),
        "count": lambda n: subsolid.set_threads(n),
    }
    for name, call in calls.items():
        for wrong in (-1, 2**64, np.int64(-7), True, False):
            with pytest.raises(subsolid.Error) as caught:
                call(wrong)
            assert caught.value.message == f"{name}={wrong}", name
        with pytest.raises((TypeError, subsolid.Error)):
            call(1.5)
    for name, call in {"levels": surface.refine, "samples": surface.evaluate}.items():
        with pytest.raises(subsolid.Error, match=f"{name}=-1"):
            call(-1)
    with pytest.raises(subsolid.Error, match="(?s)results=0.*from 1 on"):
        plan.pieces(results=0)
    places: list[Any] = [[0, 0], [[0, 0, 0]], "here", [0, 0, "z"]]
    for point in places:
        with pytest.raises(subsolid.Error, match="point"):
            solid.distance(point=point)
    assert solid.distance(point=(0, 0, 0)).shape == (27,)
    with pytest.raises(IndexError):
        solid.slice(0.5)[2**70]


def test_data_that_are_no_numbers_are_left_out_by_name() -> None:
    class Block:
        type = "hexahedron"

    class Mesh:
        """As meshio's, of which only these are looked at."""

        def __init__(self, **data: Any) -> None:
            self.points, self.cells = points, [block]
            self.point_data, self.cell_data = data.get("points", {}), data.get("cells", {})

    points, cells = box(2, 2, 2)
    block = Block()
    block.data = cells  # type: ignore[attr-defined]
    kept = subsolid.from_meshio(Mesh(points={"on": points[:, 0] > 1}, cells={"m": [np.arange(8)]}))
    assert set(kept.attributes["on"]) == {0.0, 1.0} and kept.cell_data["m"].dtype == np.int64
    for what, mesh in (
        ("point", Mesh(points={"name": ["a"] * 27, "t": points[:, 0]})),
        ("cell", Mesh(points={"t": points[:, 0]}, cells={"name": [["a"] * 8]})),
        ("cell", Mesh(points={"t": points[:, 0]}, cells={"name": [np.full(8, 1j)]})),
    ):
        with pytest.warns(UserWarning, match=f"^left out: {what} array `name` of type"):
            rest = subsolid.from_meshio(mesh)
        assert list(rest.attributes) == ["t"] and not rest.cell_data
    for wrong in (None, "part.msh", points):
        with pytest.raises(subsolid.Error, match="is not a mesh"):
            subsolid.from_meshio(wrong)


def test_groups_without_faces_are_arrays() -> None:
    empty: Any
    for empty in ([], np.zeros((0, 4), int)):
        group = subsolid.Solid(POINTS, CELLS, face_groups={"a": empty}).face_groups["a"]
        assert isinstance(group, np.ndarray) and group.shape == (0, 4) and group.dtype == np.int64


def test_names_with_hyphens_stay_in_errors() -> None:
    faces = {"a--b": [[0, 1, 2, 3]]}
    solid = subsolid.Solid(POINTS, CELLS, face_groups=faces)
    with pytest.raises(subsolid.Error) as caught:
        solid.distance(group="c--d")
    assert "c--d" in str(caught.value) and "a--b" in str(caught.value)


def test_faces_of_meshio_are_a_surface(tmp_path):
    meshio = pytest.importorskip("meshio")
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0.5], [0, 1, 0], [2, 0.5, 0]], float)
    cells = [("quad", [[0, 1, 2, 3]]), ("triangle", [[1, 4, 2]])]
    data = {"heat": points[:, 0] + 2}
    for name, options in [
        ("a.vtu", {}),
        ("b.vtk", {}),
        ("c.msh", {"file_format": "gmsh22"}),
        ("e.inp", {}),
    ]:
        path = tmp_path / name
        meshio.Mesh(points, cells, point_data=data).write(path, **options)
        surface = subsolid.read_surface(path)
        assert surface.points.tolist() == points.tolist(), name
        assert surface.faces == [[0, 1, 2, 3], [1, 4, 2]], name
        if name != "e.inp":
            assert surface.attributes["heat"].tolist() == data["heat"].tolist(), name
        info = surface.info()
        assert (info["edges"], info["boundary_edges"], info["genus"]) == (6, 5, None)
        assert info["faces_by_corners"] == {"3": 1, "4": 1}


def test_odd_cells_and_vertices_are_warned_of() -> None:
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]
    with pytest.warns(UserWarning, match=r"1 of 2 cells is inverted \(first: cell [01]\)"):
        subsolid.Solid(points, [[0, 1, 2, 3], [1, 2, 3, 4]])
    points, cells = box(1, 1, 1)
    with pytest.warns(UserWarning, match=r"1 vertex belongs to no cell \(the first: vertex 8\)"):
        subsolid.Solid(np.append(points, [[9, 9, 9]], axis=0), cells)


def test_quads_that_are_cut_into_triangles_are_warned_of(
    bracket: subsolid.Solid, tmp_path: pathlib.Path
) -> None:
    surface = bracket.boundary()
    for call in (surface.refine, surface.stencils):
        for levels in (0, 1):
            with pytest.warns(UserWarning, match="cut into triangles"):
                call(levels, scheme="loop")
    for scheme in ("loop", "sqrt3"):
        with pytest.warns(UserWarning, match="cut into triangles"):
            surface.page(scheme=scheme)
        with pytest.warns(UserWarning, match="cut into triangles"):
            surface.view(tmp_path / "a.glb", scheme=scheme)


def test_an_edge_has_two_vertices(bracket: subsolid.Solid) -> None:
    surface = bracket.boundary()
    with pytest.raises(subsolid.Error, match="crease of vertices 1 and 1: not an edge"):
        subsolid.Surface(surface.points, surface.faces, creases=([[1, 1]], 1.0))


def test_counts_name_their_range(bracket: subsolid.Solid) -> None:
    with pytest.raises(subsolid.Error, match="(?s)gauss=-1.*from 1 to 32"):
        bracket.plan(gauss=-1)
    with pytest.raises(subsolid.Error, match="(?s)names 1099511627776 at place 0.*number of elements less 1"):
        bracket.evaluate(cells=[2**40], uvw=[[0.5, 0.5, 0.5]])
    with pytest.raises(subsolid.Error, match="(?s)samples=-1.*from 1 to 64"):
        bracket.evaluate(-1)
    with pytest.raises(subsolid.Error, match="(?s)derivatives=-1.*from 0 to 2"):
        bracket.evaluate(2, derivatives=-1)


def test_options_without_effect_are_refused(bracket: subsolid.Solid, tmp_path: pathlib.Path) -> None:
    for name in ("a.vtk", "a.csv"):
        with pytest.raises(subsolid.Error, match="is not compressed"):
            bracket.write(tmp_path / name, compress=True)
    assert not list(tmp_path.iterdir())
    with pytest.raises(subsolid.Error, match="several targets"):
        bracket.distance("creases", vertices=[0])
    with pytest.raises(subsolid.Error, match="too far away"):
        bracket.distance(point=(1e300, 1, 1))


def test_pages_are_written_whole_or_not_at_all(bracket: subsolid.Solid, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    bracket.view(path)
    assert path.read_text(encoding="utf-8") == bracket.page()
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(subsolid.Error, match="create its directory"):
        bracket.view(tmp_path / "none" / "page.html")
    with pytest.raises(subsolid.Error, match="end its name in .html or .glb"):
        bracket.view(tmp_path / "page.png")
