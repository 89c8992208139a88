"""Left-handed and folded cells: named, and not integrated without a word."""

from __future__ import annotations

import warnings
from typing import Any, Callable

import numpy as np
import pytest
from boxes import box

import subsolid

POINTS, CELLS = box(2, 2, 2)
#: Corners of a cell in a left-handed order.
TURNED = [4, 5, 6, 7, 0, 1, 2, 3]
MIDDLE = 13


def mixed() -> subsolid.Solid:
    cells = CELLS.copy()
    cells[3] = cells[3, TURNED]
    with pytest.warns(UserWarning, match="^1 of 8 cells is left-handed or folded .* in cell 3"):
        return subsolid.Solid(POINTS, cells, crease_angle=40)


def folded_points() -> Any:
    points = POINTS.copy()
    points[MIDDLE] = 5.0
    return points


def folded() -> subsolid.Solid:
    with pytest.warns(UserWarning) as caught:
        made = subsolid.Solid(folded_points(), CELLS, crease_angle=40)
    assert all("folded" in str(w.message) for w in caught)
    return made


def integrals(q: subsolid.Quadrature, points: Any = None) -> dict[str, Callable[[], Any]]:
    force = [0.0, 0.0, -1.0]
    all_ = {"load": lambda: q.load(force, points=points), "batches": lambda: q.batches(points)}
    if not q.is_boundary:
        all_ |= {
            "mass": lambda: q.mass(points=points),
            "stiffness": lambda: q.stiffness(points=points),
            "elasticity": lambda: q.elasticity(points=points),
            "on the CPU": lambda: q.mass(points=points, backend="cpu"),
        }
    return all_


@pytest.mark.parametrize("make", [mixed, folded])
def test_no_integrals_over_cells_whose_signs_differ(make: Callable[[], subsolid.Solid]) -> None:
    solid = make()
    for boundary in (None, True) if make is mixed else (None,):
        for name, integral in integrals(solid.quadrature(3, boundary=boundary)).items():
            with pytest.raises(subsolid.Error, match="determinant is not positive: cell") as caught:
                integral()
            assert "force=True" in str(caught.value.help), name
            if make is mixed:
                assert ("cell", 3) in caught.value.elements, name
        forced = solid.quadrature(3, boundary=boundary, force=True)
        for name, integral in integrals(forced).items():
            with pytest.warns(UserWarning, match="determinant is not positive: cell"):
                integral()


def test_the_points_of_the_call_decide() -> None:
    good = subsolid.Solid(POINTS, CELLS, crease_angle=40)
    quadrature = good.quadrature(3)
    assert abs(quadrature.mass().sum() - 8.0) < 1e-12
    for name, integral in integrals(quadrature, folded_points()).items():
        with pytest.raises(subsolid.Error, match="is not positive"):
            integral()
    bad = folded().quadrature(3)
    for integral in integrals(bad, POINTS).values():
        integral()
    assert abs(bad.mass(points=POINTS).sum() - 8.0) < 1e-12


def test_meshes_that_are_all_left_handed_have_their_volume() -> None:
    with pytest.warns(UserWarning, match="^all 8 cells are left-handed "):
        left = subsolid.Solid(POINTS, CELLS[:, TURNED], crease_angle=40)
    right = subsolid.Solid(POINTS, CELLS, crease_angle=40)
    for boundary in (None, True):
        quadratures = [solid.quadrature(3, boundary=boundary) for solid in (left, right)]
        found, known = (integrals(quadrature) for quadrature in quadratures)
        for name in found:
            with pytest.warns(UserWarning, match=r"integrals are those of \|det J\|"):
                value = found[name]()
            if name == "batches":
                weights = np.concatenate([batch.weights.ravel() for batch in value])
                assert abs(weights.sum() - (24.0 if boundary else 8.0)) < 1e-11
            else:
                assert abs(value - known[name]()).max() < 1e-12, name


def test_files_and_moved_points_are_looked_at(tmp_path: Any) -> None:
    path = tmp_path / "mixed.vtu"
    mixed().write(path)
    with pytest.warns(UserWarning, match=f"^{path}: 1 of 8 cells is left-handed or folded"):
        subsolid.read(path)
    good = subsolid.Solid(POINTS, CELLS)
    with pytest.warns(UserWarning, match="folded"):
        bad = good.with_points(folded_points())
    # what is made of it was warned of
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bad.refine()
        bad.with_attributes({"t": POINTS[:, 0]})
        bad.evaluate(3)
