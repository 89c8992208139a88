"""Gradients of PyTorch, against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid

torch = pytest.importorskip("torch")


@pytest.fixture
def car() -> subsolid.Solid:
    """Layered and irregular cells, whose derivatives exist inside."""
    return subsolid.Solid(*box(2, 2, 1, np.random.default_rng(1)))


def leaf(points: Any) -> Any:
    return torch.tensor(np.array(points), requires_grad=True)


@pytest.mark.parametrize("derivatives", [0, 1, 2])
@pytest.mark.parametrize("samples", [{"gauss": 2}, {"cells": [0, 3], "uvw": np.full((2, 3), 0.3)}])
def test_gradients_are_right(car: subsolid.Solid, samples: Any, derivatives: int) -> None:
    from subsolid.torch import evaluate

    plan = car.plan(**samples, derivatives=derivatives)
    controls = leaf(car.points)
    results = evaluate(plan, controls)
    assert isinstance(results, torch.Tensor if derivatives == 0 else tuple)
    assert torch.autograd.gradcheck(lambda x: evaluate(plan, x), controls)


def test_gradients_of_gradients_are_right(car: subsolid.Solid) -> None:
    from subsolid.torch import evaluate

    plan = car.plan(samples=[0.2, 0.7], derivatives=1)

    def volume(controls: Any) -> Any:
        _, u, v, w = evaluate(plan, controls)
        return (u * torch.linalg.cross(v, w)).sum()

    controls = leaf(car.points)
    assert torch.autograd.gradcheck(volume, controls)
    assert torch.autograd.gradgradcheck(volume, controls)


def test_gradients_of_some_results_are_right(car: subsolid.Solid) -> None:
    from subsolid.torch import evaluate

    plan = car.plan(gauss=2, derivatives=1)
    controls = leaf(car.points)
    evaluate(plan, controls)[2][::3, 1].sum().backward()
    rows = np.asarray(plan.basis_matrix("v")[::3].sum(axis=0)).ravel()
    expected = np.stack([0 * rows, rows, 0 * rows], axis=1)
    assert np.abs(controls.grad.numpy() - expected).max() < 1e-13


def test_other_tensors_are_refused(car: subsolid.Solid) -> None:
    from subsolid.torch import evaluate

    plan = car.plan(gauss=2)
    controls = torch.tensor(np.array(car.points))
    for wrong, message in (
        (controls.float(), "not a float64 tensor"),
        (car.points, "not a float64 tensor"),
        (controls[:-1], "17 points for 18 vertices"),
    ):
        with pytest.raises(subsolid.Error, match=message):
            evaluate(plan, wrong)
    with pytest.raises(subsolid.Error, match="single precision"):
        evaluate(car.plan(gauss=2, precision="f32"), controls)
