"""Sparse rows, transposes, quadrature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid

pytest.importorskip("scipy")


def solids() -> list[subsolid.Solid]:
    points, cells = box(2, 2, 3, np.random.default_rng(3))
    tetrahedron = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    return [
        subsolid.Solid(points, cells),
        subsolid.Solid(points, cells, creases=([[0, 1], [1, 2]], [2.5, np.inf])),
        subsolid.Solid(tetrahedron, [[0, 1, 2, 3]]),
    ]


@pytest.mark.parametrize("solid", solids())
def test_rows_times_control_points_are_the_limit(solid: subsolid.Solid) -> None:
    plan = solid.plan(samples=[0.1, 0.4, 0.8], derivatives=2)
    limit = plan.evaluate()
    size = np.abs(solid.points).max()
    matrix = plan.basis_matrix()
    assert matrix.shape == (len(plan), solid.n_points)
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-13
    assert np.abs(matrix @ solid.points - limit.points).max() < 1e-13 * size
    for name, values in limit.derivatives.items():
        rows = plan.basis_matrix(name)
        bound = 1e-13 * np.maximum(1, abs(rows).sum(axis=1)) * size
        assert (np.abs(rows @ solid.points - values) <= 10 * np.asarray(bound)).all(), name


@pytest.mark.parametrize("solid", solids())
def test_the_adjoint_is_the_dense_transpose(solid: subsolid.Solid) -> None:
    rng = np.random.default_rng(4)
    plan = solid.plan(samples=[0.1, 0.4, 0.8], derivatives=2)
    names = plan.derivatives
    for shape in [(len(plan),), (len(plan), 3), (len(plan), 5)]:
        gradient = rng.normal(size=shape)
        others = {name: rng.normal(size=shape) for name in names}
        dense = plan.basis_matrix().toarray().T
        expected, size = dense @ gradient, np.abs(dense) @ np.abs(gradient)
        for name, other in others.items():
            dense = plan.basis_matrix(name).toarray().T
            expected = expected + dense @ other
            size = size + np.abs(dense) @ np.abs(other)
        found = plan.adjoint(gradient, derivatives=others)
        assert (np.abs(found - expected) <= 1e-13 * size).all()
        assert np.array_equal(found, plan.adjoint(gradient, derivatives=others))


def test_a_derivative_that_does_not_exist_is_named() -> None:
    points, cells = box(2, 2, 2)
    solid = subsolid.Solid(points, cells)
    plan = solid.plan(samples=2, derivatives=1)
    undefined = plan.evaluate().undefined
    if undefined.any():
        with pytest.raises(subsolid.Error, match="does not exist") as caught:
            plan.basis_matrix("u")
        assert caught.value.elements[0][0] == "sample"


def test_matrices_of_a_box_with_sharp_edges_are_exact() -> None:
    # with all edges and corners sharp the limit of a box is the box, linear functions exact
    points, cells = box(3, 2, 2)
    solid = subsolid.Solid(points, cells, crease_angle=40.0)
    quadrature = solid.quadrature(gauss=4)
    mass, stiffness = quadrature.mass(density=2.0), quadrature.stiffness()
    one, x = np.ones(len(points)), solid.points[:, 0]
    volume = 3 * 2 * 2
    assert abs(one @ mass @ one - 2 * volume) < 1e-11
    assert abs(x @ mass @ x - 2 * volume * 9 / 3) < 1e-10  # mean of x² on [0, 3] is 3
    assert np.abs(stiffness @ one).max() < 1e-12
    assert abs(x @ stiffness @ x - volume) < 1e-11
    elasticity = quadrature.elasticity(young=3.0, poisson=0.25)
    assert abs(elasticity - elasticity.T).max() < 1e-12
    # rigid motions store no energy: translations and rotations about z
    for mode in ([1, 0, 0], [0, 1, 0], [0, 0, 1]):
        assert np.abs(elasticity @ np.tile(mode, len(points))).max() < 1e-11
    rotation = np.stack([-points[:, 1], points[:, 0], 0 * x], axis=1).ravel()
    assert np.abs(elasticity @ rotation).max() < 1e-11
    # uniaxial strain: energy = (lambda + 2 mu) * volume
    stretch = np.stack([points[:, 0], 0 * x, 0 * x], axis=1).ravel()
    lame, shear = 3.0 * 0.25 / (1.25 * 0.5), 3.0 / 2.5
    assert abs(stretch @ elasticity @ stretch - (lame + 2 * shear) * volume) < 1e-10


def test_batches_fit_the_limit(bracket: subsolid.Solid) -> None:
    volume = points = 0.0
    quadrature = bracket.quadrature(gauss=3, rings=1, second=True)
    for batch in quadrature.batches(max_points=5000):
        controls = bracket.points[batch.control_ids]
        expected = np.einsum("sc,ncd->nsd", batch.values, controls)
        assert np.abs(expected - batch.points).max() < 1e-12
        jacobians = np.einsum("ska,nad->nsdk", batch.gradients, controls)
        assert np.abs(jacobians - batch.jacobians).max() < 1e-11
        assert batch.second is not None and batch.second.shape[1] == 6
        limit = bracket.evaluate(cells=np.repeat(batch.cells, len(batch.values)),
                                 uvw=batch.parameters.reshape(-1, 3))
        assert np.abs(limit.points - batch.points.reshape(-1, 3)).max() < 1e-12
        volume += batch.weights.sum()
        points += batch.weights.size
    assert points == len(quadrature)
    assert abs(volume - quadrature.mass().sum()) < 1e-8 * volume


def test_torch_differentiates(bracket: subsolid.Solid) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from subsolid.torch import evaluate

    solid = solids()[0]
    plan = solid.plan(gauss=2, derivatives=1)
    controls = torch.tensor(np.array(solid.points), requires_grad=True)
    assert torch.autograd.gradcheck(lambda p: evaluate(plan, p), (controls,), atol=1e-6)


def test_surfaces_have_stencils(bracket: subsolid.Solid) -> None:
    surface = bracket.boundary()
    for scheme, levels in (("catmull-clark", 2), ("bilinear", 1)):
        fine = surface.refine(levels, scheme=scheme)  # type: ignore[arg-type]
        matrix = surface.stencils(levels, scheme=scheme)  # type: ignore[arg-type]
        assert np.abs(matrix @ surface.points - fine.points).max() < 1e-12
    assert surface.stencils(0).shape == (surface.n_points,) * 2


def test_control_points_are_fitted(bracket: subsolid.Solid) -> Any:
    from scipy.sparse.linalg import lsqr

    solid = solids()[0]
    plan = solid.plan(samples=6)
    target = plan.evaluate().points
    matrix = plan.basis_matrix()
    fitted = np.stack([lsqr(matrix, target[:, d], atol=1e-14, btol=1e-14, iter_lim=2000)[0] for d in range(3)], axis=1)
    assert np.abs(matrix @ fitted - target).max() < 1e-8
