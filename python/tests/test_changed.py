"""Solids and surfaces that differ from others in a part of their mesh, and how files are read."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid


def quads(n: int) -> tuple[Any, Any]:
    """A square of n by n quads, bent."""
    u, v = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
    points = np.stack([u, v, 0.3 * np.sin(u) * v], axis=-1).reshape(-1, 3).astype(float)
    first = (np.arange(n) + (n + 1) * np.arange(n)[:, None]).ravel()
    return points, np.stack([first, first + 1, first + n + 2, first + n + 1], axis=1)


def test_left_handed_cells_are_reoriented(command: Any, tmp_path: Any) -> None:
    points, cells = box(3, 2, 2)
    mirrored = cells.copy()
    mirrored[[1, 4, 7]] = mirrored[[1, 4, 7]][:, [0, 3, 2, 1, 4, 7, 6, 5]]
    creases = ([[0, 1]], [2.0])
    with pytest.warns(UserWarning, match="left-handed"):
        odd = subsolid.Solid(points, mirrored, creases=creases, cell_data={"id": np.arange(12)})
    # nothing is left to warn of
    right = odd.reorient()
    assert np.array_equal(right.cells, cells)
    assert np.array_equal(right.points, points) and np.array_equal(right.cell_data["id"], np.arange(12))
    assert np.array_equal(right.creases[0], creases[0])
    assert (right.evaluate(gauss=2, derivatives=1, jacobian=True).det_j > 0).all()
    odd.write(tmp_path / "odd.vtu")
    command("refine", tmp_path / "odd.vtu", "--levels", "0", "--reorient", "-o", tmp_path / "right.vtu")
    assert np.array_equal(subsolid.read(tmp_path / "right.vtu").cells, right.cells)
    # all cells left-handed
    with pytest.warns(UserWarning, match="left-handed"):
        left_handed = subsolid.Solid(points * [1, 1, -1], cells)
    assert (left_handed.reorient().evaluate(gauss=2, derivatives=1, jacobian=True).det_j > 0).all()


def test_memory_of_files_is_bounded(tmp_path: Any) -> None:
    solid = subsolid.shape("box", 20, 20, 20)
    solid.write(tmp_path / "box.vtu", compress=True)
    assert subsolid.read(tmp_path / "box.vtu", memory=0.1).n_cells == 8000
    with pytest.raises(subsolid.Error) as refused:
        subsolid.read(tmp_path / "box.vtu", memory=1e-4)
    assert "memory" in str(refused.value) and refused.value.help
    with pytest.raises(subsolid.Error, match="memory=-1 is not a positive number of gigabytes"):
        subsolid.read(tmp_path / "box.vtu", memory=-1)
    vtk = pytest.importorskip("vtk")
    sphere = vtk.vtkSphereSource()
    sphere.SetThetaResolution(200)
    sphere.SetPhiResolution(200)
    writer = vtk.vtkXMLPolyDataWriter()
    writer.SetInputConnection(sphere.GetOutputPort())
    writer.SetFileName(str(tmp_path / "sphere.vtp"))
    writer.Write()
    assert subsolid.read_surface(tmp_path / "sphere.vtp", memory=1).n_points == 39602
    with pytest.raises(subsolid.Error, match="memory"):
        subsolid.read_surface(tmp_path / "sphere.vtp", memory=1e-4)


def test_creases_take_precedence_over_those_that_there_are(command: Any, tmp_path: Any) -> None:
    points, cells = box(2, 2, 2)
    solid = subsolid.Solid(points, cells, creases=([[0, 1], [1, 2]], [1.0, 2.0]), corners=([0], 3.0))
    (tmp_path / "creases.csv").write_text("kind,v0,v1,sharpness\nedge,1,0,inf\nedge,2,1,0\ncorner,2,,1.5\n")
    table = subsolid.read_creases(tmp_path / "creases.csv")
    assert table[0][0].tolist() == [[0, 1], [1, 2]] and table[0][1].tolist() == [np.inf, 0]
    changed = solid.with_creases(*table)
    assert changed.creases[0].tolist() == [[0, 1]] and changed.creases[1].tolist() == [np.inf]
    assert dict(zip(*(own.tolist() for own in changed.corners))) == {2: 1.5, 0: 3.0}
    solid.write(tmp_path / "box.vtu")
    own = ["--creases", tmp_path / "creases.csv", "--crease-angle", "40"]
    command("refine", tmp_path / "box.vtu", *own, "--levels", "0", "-o", tmp_path / "creased.vtu")
    expected = subsolid.read(tmp_path / "creased.vtu")
    found = solid.with_creases(*table, crease_angle=40)
    assert sorted(zip(found.creases[0].tolist(), found.creases[1])) == sorted(
        zip(expected.creases[0].tolist(), expected.creases[1])
    )
    # the 24 edges of the box but the one that is smooth
    assert len(found.creases[0]) == 23
    assert np.array_equal(found.evaluate(4).points, expected.evaluate(4).points)
    for creases, message in (
        (([[0, 26]], 1.0), "0 and 26"),
        (([[0, 99]], 1.0), "99"),
        (([[0, 26]], 0.0), "0 and 26"),
    ):
        with pytest.raises(subsolid.Error, match=message):
            solid.with_creases(creases)
    with pytest.raises(subsolid.Error, match="neither creases nor corners"):
        solid.with_creases()
    (tmp_path / "notes.csv").write_text("kind,v0,v1,sharpness,note\nedge,0,1,1,a\n")
    with pytest.warns(UserWarning, match="the columns note are not read"):
        subsolid.read_creases(tmp_path / "notes.csv")


def test_solids_get_data_and_groups() -> None:
    points, cells = box(2, 2, 2)
    solid = subsolid.Solid(points, cells, cell_data={"a": np.arange(8)}, crease_angle=40)
    more = solid.with_cell_data({"a": np.ones(8), "part": np.arange(8) // 4})
    assert more.cell_data["a"].tolist() == [1.0] * 8 and more.cell_data["part"].dtype == np.int64
    bottom = [[0, 1, 4, 3], [1, 2, 5, 4], [3, 4, 7, 6], [4, 5, 8, 7]]
    grouped = more.with_face_groups({"bottom": bottom[:1]}).with_face_groups({"bottom": bottom})
    assert grouped.face_groups["bottom"].tolist() == bottom and set(grouped.cell_data) == {"a", "part"}
    area = sum(batch.weights.sum() for batch in grouped.quadrature(2, boundary="bottom").batches())
    assert abs(area - 4) < 1e-12
    assert solid.face_groups == {} and set(solid.cell_data) == {"a"}
    with pytest.raises(subsolid.Error, match="has the shape"):
        solid.with_cell_data({"b": np.ones(7)})
    with pytest.raises(subsolid.Error, match='group "none": no cell has the face'):
        solid.with_face_groups({"none": [[0, 1, 2, 3]]})


def test_surfaces_move_with_their_points() -> None:
    points, faces = quads(4)
    creases = ([[6, 7], [7, 8]], [1.5, np.inf])
    surface = subsolid.Surface(points, faces, creases=creases, corners=([12], 2.0), attributes={"t": points[:, 2]})
    rotation = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    moved = surface.with_points(points @ rotation.T + [1, 2, 3])
    assert np.array_equal(moved.faces, faces) and np.array_equal(moved.attributes["t"], points[:, 2])
    for own, other in zip(moved.creases + moved.corners, surface.creases + surface.corners):
        assert np.array_equal(own, other)
    before, after = surface.limit(), moved.limit()
    assert np.abs(after[0] - (before[0] @ rotation.T + [1, 2, 3])).max() < 1e-12
    assert np.nanmax(np.abs(after[1] - before[1] @ rotation.T)) < 1e-12
    # normals go with the points
    with_normals = surface.with_attributes({"normals": surface.normals()})
    turned = with_normals.with_points(points @ rotation.T)
    assert np.abs(turned.attributes["normals"] - surface.normals() @ rotation.T).max() < 1e-12
    replaced = with_normals.with_attributes({"t": np.zeros((25, 2))})
    assert replaced.attributes["t"].shape == (25, 2) and "normals" in replaced.attributes
    with pytest.raises(subsolid.Error, match="24 points for 25 vertices"):
        surface.with_points(points[:24])
    with pytest.raises(subsolid.Error, match="not finite|NaN"):
        surface.with_points(points * np.nan)
    smooth = surface.with_creases(([[7, 6]], 0.0), ([12, 0], [0.0, np.inf]))
    assert smooth.creases[0].tolist() == [[7, 8]] and smooth.corners[0].tolist() == [0]
    # whatever their sharpness, as in solids
    for sharpness in (0.0, 2.0, np.inf):
        with pytest.raises(subsolid.Error, match="0 and 8: the mesh has no such edge") as refused:
            surface.with_creases(([[8, 0]], sharpness))
        assert refused.value.elements == [("vertex", 0), ("vertex", 8)]
        with pytest.raises(subsolid.Error, match="0 and 8: the mesh has no such edge"):
            subsolid.Surface(surface.points, surface.faces, creases=([[8, 0]], sharpness))


def test_rules_of_surfaces_are_told_and_changed(tmp_path: Any) -> None:
    points, faces = quads(3)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    lines += ["f " + " ".join(str(v + 1) for v in face) for face in faces.tolist()]
    rules = ["t creasemethod 0/0/1 chaikin", "t interpolateboundary 1/0/0 1", "t smoothtriangles 0/0/1 smooth"]
    lines += ["t crease 2/1/0 5 6 1.5", "t crease 2/1/0 6 7 2.5"]
    (tmp_path / "tags.obj").write_text("\n".join(lines + rules) + "\n")
    (tmp_path / "plain.obj").write_text("\n".join(lines) + "\n")
    tagged = subsolid.read_surface(tmp_path / "tags.obj")
    assert (tagged.crease_rule, tagged.boundary, tagged.triangles) == ("chaikin", "corners", "smooth")
    plain = subsolid.read_surface(tmp_path / "plain.obj")
    assert (plain.crease_rule, plain.boundary, plain.triangles) == ("uniform", "edges", "uniform")
    changed = plain.with_rules(crease_rule="chaikin", boundary="corners")
    assert (changed.crease_rule, changed.boundary, changed.triangles) == ("chaikin", "corners", "uniform")
    assert np.array_equal(changed.refine(3).points, tagged.refine(3).points)
    assert not np.array_equal(changed.refine(3).points, plain.refine(3).points)
    assert (plain.uv, plain.uv_boundary) == (None, None)
    with pytest.raises(subsolid.Error, match="uv_boundary for a model without texture coordinates"):
        plain.with_rules(uv_boundary="none")
    with pytest.raises(subsolid.Error, match='boundary="open"'):
        plain.with_rules(boundary="open")  # type: ignore[arg-type]


def test_texture_coordinates_come_and_go(command: Any, tmp_path: Any) -> None:
    points, faces = quads(2)
    # a seam between the faces 0, 2 and 1, 3
    values = np.concatenate([points[:, :2] / 2, points[:, :2] / 2 + 5])
    ids = np.where(np.isin(np.arange(4), [0, 2])[:, None], faces, faces + 9)
    surface = subsolid.Surface(points, faces, uv=(values, ids), uv_boundary="none")
    assert surface.uv is not None and surface.uv_boundary == "none"
    assert np.array_equal(surface.uv[0], values) and np.array_equal(surface.uv[1], ids)
    surface.write(tmp_path / "a.obj")
    again = subsolid.read_surface(tmp_path / "a.obj")
    assert again.uv is not None and again.uv_boundary == "none"
    corners = again.uv[0][np.asarray(again.uv[1])]
    assert np.array_equal(corners, values[ids])
    for rule in ("none", "all"):
        arguments = ["--levels", "1", "--uv-boundary", rule, "-o", tmp_path / "fine.obj"]
        command("surface", tmp_path / "a.obj", *arguments)
        expected = subsolid.read_surface(tmp_path / "fine.obj").uv
        found = again.with_rules(uv_boundary=rule).refine(1).uv
        assert expected is not None and found is not None
        assert np.array_equal(found[0][np.asarray(found[1])], expected[0][np.asarray(expected[1])])
    for uv, message in (
        (values, "another form"),
        ((values, ids[:3]), "not one id for each corner"),
        ((values[:3], ids), "texture|uv"),
    ):
        with pytest.raises(subsolid.Error, match=message):
            subsolid.Surface(points, faces, uv=uv)  # type: ignore[arg-type]
    with pytest.raises(subsolid.Error, match="without texture coordinates"):
        subsolid.Surface(points, faces, uv_boundary="all")


def test_shapes_are_those_of_the_program(command: Any, tmp_path: Any) -> None:
    for name, sizes in (("box", (3, 1, 2)), ("fan", (7,)), ("torus", ()), ("link-icosahedron", (1,)), ("tripod", ())):
        command("shape", name, *sizes, "-o", tmp_path / "shape.vtu")
        expected, found = subsolid.read(tmp_path / "shape.vtu"), subsolid.shape(name, *sizes)  # type: ignore[arg-type]
        assert np.array_equal(found.points, expected.points) and np.array_equal(found.cells, expected.cells)
    points, cells = box(3, 1, 2)
    assert subsolid.shape("box", 3, 1, 2).n_points == len(points)
    wrong: list[tuple[Any, tuple[int, ...], str]] = [
        ("sphere", (), "no shape is named `sphere`"),
        ("box", (1, 2, 3, 4), "shape `box` takes 3 sizes, 4 are given"),
        ("fan", (2,), "valence: 2 is too small"),
        ("fan", (-2,), "sizes=-2"),
    ]
    for unknown, few, message in wrong:
        with pytest.raises(subsolid.Error) as refused:
            subsolid.shape(unknown, *few)
        assert message in refused.value.message and refused.value.help


def test_rings_and_cycles_of_neighbors() -> None:
    solid = subsolid.shape("fan", 5, 2, 2)
    offsets, ids = solid.query("VV")
    near = [set(ids[a:b].tolist()) for a, b in zip(offsets, offsets[1:])]
    of = np.array([7, 0, 7])
    found_offsets, found = solid.query("VV", of, rings=3)
    for k, vertex in enumerate(of.tolist()):
        ring = {vertex}
        for _ in range(3):
            ring |= set().union(*(near[v] for v in ring))
        assert found[found_offsets[k] : found_offsets[k + 1]].tolist() == sorted(ring - {vertex})
    for (own_offsets, own), rows in ((solid.query("VC", of), solid.query("VC")), (solid.query("FE", [3]), solid.query("FE"))):
        wanted = of if own_offsets.size == 4 else np.array([3])
        parts = [rows[1][rows[0][v] : rows[0][v + 1]] for v in wanted]
        assert np.array_equal(own, np.concatenate(parts))
    # cells around an edge: a ring inside, a fan on the boundary; neighbors share a face
    edge_offsets, cells, closed = solid.query("EC", oriented=True)
    faces = solid.query("CF")
    of_cell = [set(faces[1][a:b].tolist()) for a, b in zip(faces[0], faces[0][1:])]
    edges = solid.query("EC")
    axis = 0
    for e, (a, b) in enumerate(zip(edge_offsets, edge_offsets[1:])):
        row = cells[a:b].tolist()
        assert sorted(row) == edges[1][edges[0][e] : edges[0][e + 1]].tolist()
        pairs = zip(row, row[1:] + row[:1]) if closed[e] else zip(row, row[1:])
        assert all(of_cell[c] & of_cell[d] for c, d in pairs)
        axis += len(row) == 5 and bool(closed[e])
    assert closed.dtype == bool and axis == 2
    square = subsolid.Surface(*quads(2))
    spokes = square.query("VE", [4, 0], oriented=True)
    assert np.diff(spokes[0]).tolist() == [4, 2] and spokes[2].tolist() == [True, False]
    empty = solid.query("VC", [])
    assert empty[0].tolist() == [0] and empty[1].size == 0
    for call, message in (
        (lambda: solid.query("VC", rings=1), "rings is not for VC"),
        (lambda: solid.query("VE", oriented=True), "oriented=True is not for VE"),
        (lambda: solid.query("VV", [10**6]), "no vertex 1000000"),
        (lambda: solid.query("VV", [-1]), '"of" names -1'),
        (lambda: solid.query("EC", rings=1, oriented=True), "rings together with oriented=True"),  # type: ignore[call-overload]
    ):
        with pytest.raises(subsolid.Error, match=message):
            call()


def test_strict_reading_is_by_filters_of_warnings(tmp_path: Any) -> None:
    points, cells = box(1, 1, 1)
    with pytest.warns(UserWarning, match="left-handed"):
        subsolid.Solid(points * [1, 1, -1], cells).write(tmp_path / "odd.vtu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="left-handed"):
            subsolid.read(tmp_path / "odd.vtu")
