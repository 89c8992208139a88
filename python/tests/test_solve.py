"""Solutions against SciPy's of the same matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import subsolid

spsolve = pytest.importorskip("scipy.sparse.linalg").spsolve


# loads of tests are large
pytestmark = pytest.mark.filterwarnings("ignore:displacements reach")


def test_displacements_as_large_as_the_model_are_warned_of() -> None:
    box = subsolid.shape("box", 2, 2, 4).with_creases(crease_angle=40)
    with pytest.warns(UserWarning, match="displacements reach .* of the size: linear elasticity is for small ones"):
        box.solve(elasticity=(1.0, 0.3), fix=[0], load={5: (0, 0, 1.0)})
    with pytest.warns(UserWarning, match="nothing moves: all of the load is on parts that are held"):
        box.solve(elasticity=(1.0, 0.3), fix=[0], load={0: (0, 0, 1.0)})


def test_displacements_are_those_of_scipy() -> None:
    solid = subsolid.shape("fan", 5, 2, 2).with_creases(crease_angle=40)
    sides = solid.sides()
    heights = [solid.points[side, 2] for side in sides]
    base = next(s for s, z in enumerate(heights) if (z == solid.points[:, 2].min()).all())
    top = next(s for s, z in enumerate(heights) if (z == solid.points[:, 2].max()).all())
    material = (3.0, 0.3)
    loads = {top: (0.1, 0.2, -0.3)}
    problem = {"elasticity": material, "load": loads, "body": (0, 0.1, 0), "gauss": 4, "rings": 4}
    solved, report = solid.solve(fix=[base], tolerance=1e-13, **problem)
    found = solid.assemble(**problem)
    held = np.zeros(solid.points.shape, dtype=bool)
    held[sides[base]] = True
    free = np.flatnonzero(~held.ravel())
    expected = np.zeros(solid.points.size)
    matrix, load = found["elasticity"].tocsr(), found["load"].ravel()
    expected[free] = spsolve(matrix[free][:, free].tocsc(), load[free])
    displacement = solved.attributes["displacement"]
    difference = np.abs(displacement.ravel() - expected).max()
    assert difference < 1e-10 * np.abs(expected).max()
    reaction = (matrix @ expected - load).reshape(-1, 3)[sides[base]].sum(axis=0)
    assert np.allclose(report["reactions"][0]["reaction"], reaction)
    assert np.isclose(report["energy"], expected @ matrix @ expected / 2)
    assert solved.attributes["stress"].shape == (solid.n_points, 6)


def test_temperatures_are_those_of_scipy() -> None:
    solid = subsolid.shape("box", 3, 3, 3).with_creases(crease_angle=40)
    solved, report = solid.solve(heat=4.0, temperature={0: 10.0}, source=2.0, tolerance=1e-13)
    found = solid.assemble(stiffness=4.0, body=(2, 0, 0))
    temperature = np.full(solid.n_points, 10.0)
    free = np.setdiff1d(np.arange(solid.n_points), solid.sides()[0])
    matrix, load = found["stiffness"].tocsr(), found["load"][:, 0]
    temperature[free] += spsolve(matrix[free][:, free].tocsc(), load[free])
    assert np.abs(solved.attributes["temperature"].ravel() - temperature).max() < 1e-10
    assert np.isclose(report["reactions"][0]["reaction"][0], -2 * 27)


def test_parts_are_given_in_three_ways() -> None:
    box = subsolid.shape("box", 2, 2, 2).with_creases(crease_angle=40)
    kinds = [[0], ["side:0"], {0: (0, 0, 0)}]
    energies = [box.solve(elasticity=(1, 0), fix=f, load={5: (0, 0, 1)})[1]["energy"] for f in kinds]
    assert len(set(energies)) == 1
    with pytest.raises(subsolid.Error, match="translation along y"):
        box.solve(elasticity=(1, 0), fix={0: (0, None, None)}, load={5: (0, 0, 1)})
    for fix in ["base", 3, {0: 1}]:
        with pytest.raises(subsolid.Error, match="fix is wrong|no group"):
            box.solve(elasticity=(1, 0), fix=fix, load={5: (0, 0, 1)})


def test_operators_are_those_of_matrices() -> None:
    linalg = pytest.importorskip("scipy.sparse.linalg")
    solid = subsolid.shape("box", 4, 3, 3).with_creases(crease_angle=40)
    found = solid.assemble(mass=2.0, stiffness=3.0, elasticity=(5.0, 0.3))
    kinds = {"mass": {"mass": 2.0}, "stiffness": {"heat": 3.0}, "elasticity": {"elasticity": (5, 0.3)}}
    for name, options in kinds.items():
        operator, matrix = solid.operator(**options), found[name]
        assert operator.shape == matrix.shape and operator.dtype == float
        x = np.random.default_rng(1).normal(size=(matrix.shape[0], 2))
        expected = matrix @ x
        assert np.abs(operator @ x - expected).max() < 1e-13 * np.abs(expected).max()
        assert np.abs(linalg.aslinearoperator(operator) @ x[:, 0] - expected[:, 0]).max() < 1e-12
        assert np.allclose(operator.diagonal(), matrix.diagonal(), rtol=1e-13)
        assert operator.nbytes < matrix.data.nbytes
    mass = solid.operator(mass=2.0)
    solution, info = linalg.cg(mass, mass @ np.ones(80), rtol=1e-12)
    assert info == 0 and np.abs(solution - 1).max() < 1e-9
    for wrong in [{}, {"mass": 1.0, "heat": 1.0}, {"mass": -1.0}, {"heat": {"none": 1.0}}]:
        with pytest.raises(subsolid.Error):
            solid.operator(**wrong)
    with pytest.raises(subsolid.Error, match=r"give 80 rows"):
        mass @ np.ones(3)


PLY = (140.0, 10.0, 8.0, 5.0, 3.5, 4.0, 0.3, 0.4, 0.25)


def test_orthotropic_bars_stretch_along_their_fibers() -> None:
    box = subsolid.shape("box", 2, 2, 4).with_creases(crease_angle=40)
    sides = box.sides()
    held = {}
    for d in range(3):
        side = next(s for s, v in enumerate(sides) if (box.points[v, d] == 0).all())
        held[side] = [0.0 if axis == d else None for axis in range(3)]
    end = next(s for s, v in enumerate(sides) if (box.points[v, 2] == 4).all())
    vectors = {"fiber": [0.0, 0.0, 2.0], "across": [1.0, 0.0, 0.3]}
    fibers = box.with_attributes({name: np.tile(v, (box.n_points, 1)) for name, v in vectors.items()})
    along: dict[str, Any] = {"material_axes": ("fiber", "across")}
    for solid, options, modulus in [(box, {}, PLY[2]), (fibers, along, PLY[0])]:
        solved, report = solid.solve(elasticity=PLY, fix=held, load={end: (0, 0, 3.0)}, **options)
        top = solved.attributes["displacement"][sides[end], 2]
        assert np.abs(top - 4 * 3.0 / modulus).max() < 1e-8
        matrix = solid.assemble(elasticity=PLY, **options)["elasticity"]
        operator = solid.operator(elasticity=PLY, **options)
        x = solved.attributes["displacement"].ravel()
        assert np.abs(operator @ x - matrix @ x).max() < 1e-12
        assert np.isclose(x @ matrix @ x / 2, report["energy"])
    with pytest.raises(subsolid.Error, match="3 numbers instead of 2 or 9"):
        box.solve(elasticity=(1, 2, 3), fix=[0], load={5: (0, 0, 1)})
    with pytest.raises(subsolid.Error, match="not stable"):
        box.solve(elasticity=(*PLY[:6], 4.0, 0.4, 0.25), fix=[0], load={5: (0, 0, 1)})


def test_both_operators_solve_alike() -> None:
    solid = subsolid.shape("fan", 5, 3, 3).with_creases(crease_angle=40)
    options = {"elasticity": (3, 0.3), "fix": [0], "body": (0, 1, 0)}
    free, found = solid.solve(**options, operator="matrix-free")
    matrix, expected = solid.solve(**options, operator="matrix")
    assert (found["operator"], expected["operator"]) == ("matrix-free", "matrix")
    assert found["iterations"] == expected["iterations"]
    assert found["operator_bytes"] < expected["operator_bytes"]
    a, b = (solved.attributes["displacement"] for solved in (free, matrix))
    assert np.abs(a - b).max() < 1e-9 * np.abs(b).max()
