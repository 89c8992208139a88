"""Solids and surfaces as pickles, and what does not pickle."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid

# what forked processes find in their memory
held: tuple[subsolid.Solid, subsolid.Plan]

# a hexahedron, a wedge, a tetrahedron and a box as a polyhedron, in no order of their kinds
MIXED = """# vtk DataFile Version 3.0
mixed
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 15 double
0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1
0.5 0 2 0.5 1 2.1 0.5 -1 1.5 2 0 0 2 1 0 2 1 1 2 0 1
CELLS 4 53
4 4 5 8 10
31 6 4 1 2 6 5 4 11 12 13 14 4 1 2 12 11 4 5 6 13 14 4 1 5 14 11 4 2 6 13 12
8 0 1 2 3 4 5 6 7
6 4 5 8 7 6 9
CELL_TYPES 4
10
42
12
13
"""


def mixed(folder: pathlib.Path) -> subsolid.Solid:
    (folder / "mixed.vtk").write_text(MIXED)
    return subsolid.read(folder / "mixed.vtk")


def again(value: Any, protocol: int = pickle.HIGHEST_PROTOCOL) -> Any:
    return pickle.loads(pickle.dumps(value, protocol))


def written(value: Any, path: pathlib.Path) -> bytes:
    value.write(path)
    return path.read_bytes()


def same(a: Any, b: Any) -> None:
    """That two values are equal, arrays in type and bit by bit."""
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, (tuple, list)):
        assert len(a) == len(b)
        for one, other in zip(a, b):
            same(one, other)
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    else:
        assert a == b


def same_solid(a: subsolid.Solid, b: subsolid.Solid, folder: pathlib.Path) -> None:
    for name in ("points", "cells", "creases", "corners", "attributes", "cell_data", "face_groups"):
        same(getattr(a, name), getattr(b, name))
    same(a.classes, b.classes)
    # files have the cells in their order
    assert written(a, folder / "a.vtu") == written(b, folder / "b.vtu")
    found, expected = (s.evaluate(samples=3, derivatives=1) for s in (a, b))
    same(found.points, expected.points)
    same(found.derivatives, expected.derivatives)
    same(found.attributes, expected.attributes)


@pytest.mark.filterwarnings("ignore:.*left out the empty groups of faces")
def test_solids_pickle_with_all_that_they_have(tmp_path: pathlib.Path) -> None:
    points, cells = box(2, 2, 3, np.random.default_rng(5))
    points[3, 0] = -0.0
    solid = subsolid.Solid(
        points, cells,
        creases=([[0, 1], [1, 2]], [np.inf, 1.5]), corners=([26, 0], [2.0, np.inf]),
        attributes={"t": points[:, 0], "d": points, "a": points[:, :1]},
        cell_data={"material": np.arange(12), "fibre": points[:12], "group:ends": np.arange(12) % 2},
        face_groups={"mixed": [[0, 1, 4, 3], [1, 2, 5, 4]], "empty": []},
        crease_angle=70,
    )
    assert len(solid.creases[0]) > 2
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        same_solid(again(solid, protocol), solid, tmp_path)
    same_solid(again(again(solid.refine())), solid.refine(), tmp_path)
    assert again(solid).creases[1].max() == np.inf


def test_cells_of_all_kinds_keep_their_order(tmp_path: pathlib.Path) -> None:
    solid = mixed(tmp_path)
    assert set(solid.cells) == {"hexahedron", "wedge", "tetra", "polyhedron"}
    same_solid(again(solid), solid, tmp_path)
    same_solid(again(solid.refine()), solid.refine(), tmp_path)
    # cells of one kind after another have other numbers
    sorted_cells = subsolid.Solid(solid.points, dict(sorted(solid.cells.items())))
    assert written(sorted_cells, tmp_path / "c.vtu") != written(solid, tmp_path / "d.vtu")


@pytest.mark.parametrize("name", ["bracket.vtk", "graded_bracket.vtu", "solids/rod_hex.vtk"])
def test_models_pickle(name: str, models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    solid = subsolid.read(models / name)
    same_solid(again(solid), solid, tmp_path)


def test_points_stand_outside_of_a_pickle_that_asks_for_it() -> None:
    points, cells = box(8, 8, 8)
    solid = subsolid.Solid(points, cells)
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(solid, 5, buffer_callback=buffers.append)
    assert len(head) < 2000 and sum(len(b.raw()) for b in buffers) > points.nbytes
    same(pickle.loads(head, buffers=[bytes(b.raw()) for b in buffers]).points, solid.points)


def test_processes_take_and_return_solids(bracket: subsolid.Solid, tmp_path: pathlib.Path) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        refined = pool.apply(subsolid.Solid.refine, (bracket,))
    same_solid(refined, bracket.refine(), tmp_path)


def forked(job: int) -> Any:
    solid, plan = held
    jobs = (
        lambda: plan.evaluate().points,
        lambda: solid.evaluate(3, threads=1).points,
        lambda: solid.refine().points,
        lambda: solid.locate(solid.points[:5], nearest=True).distances,
        lambda: solid.query("VV")[1],
        lambda: solid.quadrature(2, rings=0).mass().sum(),
        lambda: solid.slice(0.5)[0].area,
        lambda: solid.boundary().normals(),
    )
    return jobs[job]()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system with fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_processes_have_threads_of_their_own(bracket: subsolid.Solid) -> None:
    global held
    held = (bracket, bracket.plan(4, threads=2))
    expected = [forked(job) for job in range(8)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(forked, range(8)).get(timeout=120)
    for own, other in zip(expected, found, strict=True):
        same(np.asarray(own), np.asarray(other))


def test_copies_are_what_they_copy(bracket: subsolid.Solid) -> None:
    surface = bracket.boundary()
    for value in (bracket, surface):
        assert copy.copy(value) is value and copy.deepcopy([value])[0] is value


def same_surface(a: subsolid.Surface, b: subsolid.Surface, folder: pathlib.Path) -> None:
    for name in ("points", "faces", "creases", "corners", "holes", "attributes"):
        same(getattr(a, name), getattr(b, name))
    # tags of rules and texture coordinates are in .obj, attributes in .ply
    assert written(a, folder / "a.obj") == written(b, folder / "b.obj")
    same(a.refine().points, b.refine().points)


@pytest.mark.filterwarnings("ignore:.*left out")
@pytest.mark.filterwarnings("ignore:.*infinitely sharp")
def test_surfaces_pickle(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    surfaces = []
    for path in sorted((models / "surfaces").glob("*.obj")):
        try:
            surfaces.append(subsolid.read_surface(path))
        except subsolid.Error:
            assert path.stem == "nonman_edges"
    assert len(surfaces) > 3
    for surface in surfaces:
        same_surface(again(surface), surface, tmp_path)


@pytest.mark.filterwarnings("ignore:.*left out")
@pytest.mark.parametrize("rule", ["uniform", "chaikin"])
@pytest.mark.parametrize("boundary", ["edges", "corners", "holes"])
@pytest.mark.parametrize("triangles", ["uniform", "smooth"])
def test_rules_of_surfaces_pickle(
    rule: Any, boundary: Any, triangles: Any, tmp_path: pathlib.Path
) -> None:
    points, _ = box(3, 3, 0)
    ids = np.arange(16).reshape(4, 4)
    quads = [[int(ids[i, j]), int(ids[i, j + 1]), int(ids[i + 1, j + 1]), int(ids[i + 1, j])]
             for i in range(3) for j in range(3)]
    faces = quads[:8] + [quads[8][:3], [quads[8][0], quads[8][2], quads[8][3]]]
    surface = subsolid.Surface(
        points, faces, creases=([[5, 6], [5, 9]], [np.inf, 2.5]), corners=([10], 1.5), holes=[4, 0],
        attributes={"t": points[:, 1], "d": points}, crease_rule=rule, boundary=boundary,
        triangles=triangles,
    )
    other = again(surface)
    same_surface(other, surface, tmp_path)
    text = (tmp_path / "b.obj").read_text()
    assert ("chaikin" in text) == (rule == "chaikin")
    assert ("smoothtriangles" in text) == (triangles == "smooth")
    fine, expected = (s.refine(2) for s in (other, surface))
    same(fine.points, expected.points)
    same(fine.attributes, expected.attributes)
    same(fine.holes, expected.holes)


def test_texture_coordinates_pickle(tmp_path: pathlib.Path) -> None:
    for rule in range(6):
        (tmp_path / "uv.obj").write_text(
            "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\n"
            "vt 0 0\nvt 0.5 0\nvt 0.5 1\nvt 0 1\nvt 0.6 0\nvt 1 0\nvt 1 1\nvt 0.6 1\n"
            "f 1/1 2/2 3/3 4/4\nf 2/5 5/6 6/7 3/8\n"
            f"t facevaryinginterpolateboundary 1/0/0 {rule}\n"
        )
        surface = subsolid.read_surface(tmp_path / "uv.obj")
        fine = again(surface).refine(2)
        assert b"vt " in written(again(surface), tmp_path / "a.obj")
        same_surface(again(surface), surface, tmp_path)
        assert written(fine, tmp_path / "c.obj") == written(surface.refine(2), tmp_path / "d.obj")


def test_what_does_not_pickle_says_what_does(bracket: subsolid.Solid) -> None:
    plan = bracket.plan(samples=2, backend="cpu")
    quadrature = bracket.quadrature(2)
    values: list[tuple[Any, str]] = [
        (plan, "a Plan does not pickle: pickle its solid"),
        (plan.pieces(), "a Pieces does not pickle"),
        (plan.evaluate(), "a Limit does not pickle: pickle its arrays"),
        (bracket.locator(), "a Locator does not pickle"),
        (bracket.slice(0.5), "a Slices does not pickle"),
        (quadrature, "a Quadrature does not pickle"),
        (quadrature.batches(), "a Batches does not pickle"),
    ]
    for value, message in values:
        for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=message):
                attempt(value)
    again([plan.solid, plan.evaluate().points, bracket.slice(0.5)[0]])
    again(list(quadrature.batches())[0])
    again(bracket.locate(bracket.points[:2], nearest=True))


@pytest.mark.parametrize("change, message", [
    (lambda s: s.pop("points"), 'no "points"'),
    (lambda s: s.update(form=7), "a pickle of form 7"),
    (lambda s: s.update(cells=(np.array([9]), *s["cells"][1:])), "unknown kind"),
    (lambda s: s.update(cells=(s["cells"][0][1:], *s["cells"][1:])), "more corners"),
    (lambda s: s.update(cells=(s["cells"][0], s["cells"][1][:-1], *s["cells"][2:])), "fewer corners"),
    (lambda s: s.update(cells=(*s["cells"][:2], np.array([9]), s["cells"][3])), "lacks faces"),
    (lambda s: s.update(cells=(*s["cells"][:2], np.array([], int), s["cells"][3])), "without faces"),
    (lambda s: s.update(cells=(s["cells"][0], s["cells"][1] + 90, *s["cells"][2:])), "vertex"),
    (lambda s: s.update(points=s["points"] * np.nan), "vertex 0"),
    (lambda s: s.update(creases=([[0, 99]], 1.0)), "99"),
])
def test_damaged_pickles_are_refused(change: Any, message: str, tmp_path: pathlib.Path) -> None:
    restore, (state,) = mixed(tmp_path).__reduce__()
    state = dict(state)
    change(state)
    with pytest.raises((subsolid.Error, ValueError), match=message):
        restore(state)


def test_a_fit_stays_known_as_one() -> None:
    part = subsolid.shape("cylinder", 4, 2)
    fitted, _ = part.fit()
    assert not part.info()["is_fitted"]
    for solid in (fitted, pickle.loads(pickle.dumps(fitted)), fitted.refine()):
        assert solid.info()["is_fitted"]
