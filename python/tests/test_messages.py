"""What helps and warnings say."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import subsolid


def test_helps_name_methods(models: Any, tmp_path: Any) -> None:
    surface = models / "surfaces" / "bishop.obj"
    with pytest.raises(subsolid.Error) as refused:
        subsolid.read(surface)
    assert refused.value.help == "subsolid.read_surface reads surfaces"
    with pytest.raises(subsolid.Error) as refused:
        subsolid.read_surface(models / "bracket.vtk")
    assert refused.value.help and refused.value.help.endswith("(Solid.boundary)")
    with pytest.warns(UserWarning), pytest.raises(subsolid.Error) as refused:
        subsolid.read(models / "bracket.vtk").boundary().write(tmp_path / "a.obj")
        bishop = subsolid.read_surface(surface)
        bishop.write(tmp_path / "a.ply")
        bishop.smooth(0.1)
    assert refused.value.help == 'cut the faces into triangles first: Surface.refine(0, scheme="loop")'
    tetrahedron = subsolid.Solid(np.eye(4, 3), [[0, 2, 1, 3]])
    with pytest.raises(subsolid.Error) as refused:
        tetrahedron.untangle()
    assert refused.value.help == "refine the mesh once (levels=1): all cells become hexahedra"
    with pytest.warns(UserWarning, match="cut into triangles"):
        triangles = bishop.refine(0, scheme="loop")
    assert triangles.smooth(1e-4).n_points == bishop.n_points


def test_faces_that_own_their_corners_are_warned_of(models: Any, tmp_path: Any) -> None:
    bishop = subsolid.read_surface(models / "surfaces" / "bishop.obj")
    with pytest.warns(UserWarning, match="cut into triangles"):
        whole = bishop.refine(0, scheme="loop")
    faces = np.asarray(whole.faces)
    soup = subsolid.Surface(whole.points[faces.ravel()], np.arange(faces.size).reshape(-1, 3))
    soup.write(tmp_path / "soup.ply")
    with pytest.warns(UserWarning, match=r"soup.ply: \d+ vertices where the surface ends lie exactly"):
        subsolid.read_surface(tmp_path / "soup.ply")
    soup.write(tmp_path / "soup.stl")
    assert subsolid.read_surface(tmp_path / "soup.stl").n_points == whole.n_points


def test_layers_of_triangles_say_what_is_cut() -> None:
    points = 10 * np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [1, 3, 7, 5], [3, 2, 6, 7], [2, 0, 4, 6]]
    triangles = [half for a, b, c, d in quads for half in ([a, b, c], [a, c, d])]
    surface = subsolid.Surface(points, triangles)
    with pytest.warns(UserWarning, match='Catmull-Clark is sliced; scheme="linear" slices the tri'):
        smooth = sum(layer.area for layer in surface.slice(0.5)) * 0.5
    # no word where it is asked for, and where faces are not triangles
    asked = sum(layer.area for layer in surface.slice(0.5, scheme="catmull-clark")) * 0.5
    plain = sum(layer.area for layer in surface.slice(0.5, scheme="linear")) * 0.5
    assert smooth == asked < 700 and abs(plain - 1000) < 1e-9
    assert len(subsolid.Surface(points, quads).slice(0.5)) == 17


def test_samples_say_what_they_may_be(bracket: subsolid.Solid) -> None:
    wrong: list[Any] = [2.0, (2, 3, 4), [0.5, 0.5], [0.5, 0.2], [0.5, np.nan], [[0.1, 0.2]]]
    for samples in wrong:
        with pytest.raises(subsolid.Error) as refused:
            bracket.evaluate(samples)
        assert refused.value.message == f"samples={samples!r}"
        assert refused.value.help and refused.value.help.startswith("give a number of samples along")
    assert len(bracket.plan((0, 0.5, 1))) == 27 * bracket.n_cells


def test_all_classes_have_short_words_for_themselves(bracket: subsolid.Solid) -> None:
    plan = bracket.plan(2)
    quadrature = bracket.quadrature(2, rings=0)
    batches = quadrature.batches()
    count = len(batches)
    next(batches)
    for found, words in (
        (plan.pieces(results=8), f"<subsolid.Pieces: {bracket.n_cells} left>"),
        (quadrature, f"<subsolid.Quadrature: {len(quadrature)} points, {count} batches>"),
        (batches, f"<subsolid.Batches: {count - 1} left>"),
        (bracket.locator(), f"<subsolid.Locator: {bracket.n_cells} cells>"),
    ):
        assert repr(found) == words
    assert " points on the boundary, " in repr(bracket.quadrature(2, rings=0, boundary=True))
    layers = bracket.slice(1.0, pixel=0.5)
    columns, rows = layers.pixels[2]  # type: ignore[index]
    assert repr(layers) == f"<subsolid.Slices: {len(layers)} layers of {columns} x {rows} pixels>"


@pytest.mark.parametrize(
    "error, raised",
    [
        ("ModuleNotFoundError('gone', name='scipy')", "Error"),
        ("ModuleNotFoundError('gone', name='numpy.core')", "ModuleNotFoundError"),
        ("ImportError('libopenblas.so.0 is broken')", "ImportError"),
        ("KeyboardInterrupt()", "KeyboardInterrupt"),
    ],
)
def test_a_scipy_that_fails_says_why(models: Any, error: str, raised: str) -> None:
    program = f"""
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "scipy":
            raise {error}
sys.meta_path.insert(0, Finder())
import subsolid
solid = subsolid.read({str(models / "bracket.vtk")!r})
for call in (solid.quadrature(2, rings=0).mass, solid.plan(2).basis_matrix, solid.boundary().stencils,
             lambda: solid.boundary().stencils(0)):
    try:
        call()
    except BaseException as found:
        assert type(found).__name__ == {raised!r}, repr(found)
        assert {raised!r} != "Error" or found.help == "install it: pip install scipy"
    else:
        raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_wrong_names_are_answered_by_those_that_there_are(bracket: subsolid.Solid) -> None:
    names: list[tuple[Any, str, str]] = [
        (lambda: bracket.slice(0.5, axis="w"), 'axis="w"', 'give one of "x", "y", "z"'),  # type: ignore[arg-type]
        (
            lambda: bracket.refine(1, vertex_rule="plain"),  # type: ignore[arg-type]
            'vertex_rule="plain"',
            'give "layer-consistent" or "joy-maccracken"',
        ),
        (lambda: bracket.plan(2, derivatives=3), "derivatives of order 3", "ask for 0, 1 or 2"),
        (
            lambda: np.asarray(bracket.evaluate(2)),
            "a Limit is several arrays",
            "take limit.points, or one of limit.derivatives, limit.attributes or limit.gradients",
        ),
        (
            lambda: bracket.slice(1.0)[0].coverage,
            "the layer has no pixels",
            "slice with pixel=..., their edge length",
        ),
        (
            lambda: bracket.slice(1.0, pixel=0.5)[0].materials,
            "the layer has no materials",
            "slice with pixel=... and materials=...",
        ),
        (
            lambda: subsolid.Solid(bracket.boundary().points, bracket.boundary().faces),
            "cells (n, 4) would be tetrahedra, no two of which share a triangle: are they faces?",
            'give the faces of a surface to subsolid.Surface; for tetrahedra give {"tetra": cells}',
        ),
    ]
    for call, message, help in names:
        with pytest.raises(subsolid.Error) as refused:
            call()
        assert (refused.value.message, refused.value.help) == (message, help)
    assert bracket.plan(2, precision="float32").precision == "f32"


def test_names_that_are_not_there_are_answered_by_those_that_are(bracket: subsolid.Solid) -> None:
    limit = bracket.evaluate(2, derivatives=1)
    with pytest.raises(KeyError, match="'x' is not among 'u', 'v', 'w'"):
        limit.derivatives["x"]
    with pytest.raises(KeyError, match="'heat' is not among no names"):
        bracket.attributes["heat"]
    assert isinstance(limit.derivatives, dict) and limit.derivatives.get("x") is None
    layer = bracket.slice(1.0)[0]
    assert not hasattr(layer, "coverage") and "coverage" not in repr(layer)


def test_constants_need_no_names(bracket: subsolid.Solid) -> None:
    quadrature = bracket.quadrature(2, rings=0, force=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named = quadrature.elasticity(young=2.0, poisson=0.25)
        assert abs(quadrature.elasticity(2.0, 0.25) - named).max() == 0
        assert abs(quadrature.mass(7800) - quadrature.mass(density=7800)).max() == 0


def test_limits_are_those_of_the_program(bracket: subsolid.Solid) -> None:
    calls: list[tuple[Any, str]] = [
        (lambda: bracket.slice(0.5, planes=65), "1 to 64 planes per layer"),
        (lambda: bracket.plan(2, threads=4097), "threads here, 32 for each of"),
        (lambda: bracket.plan(65), "1 to 64 samples"),
    ]
    for call, words in calls:
        with pytest.raises(subsolid.Error) as refused:
            call()
        assert refused.value.help and words in refused.value.help
    bracket.slice(0.5, planes=64)
