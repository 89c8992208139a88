"""Move control points until the limit has a given volume; gradients by PyTorch if it is there, else
by the adjoint of the plan.
"""

from __future__ import annotations

import pathlib
from typing import Optional

import numpy as np
from scipy.optimize import minimize

import subsolid

MODELS = pathlib.Path(__file__).parents[2] / "models"


try:
    import torch
except ImportError:
    torch = None


def main(
    model: str = "bracket.vtk",
    gauss: int = 3,
    steps: int = 50,
    use_torch: bool = torch is not None,
    picture: Optional[pathlib.Path] = None,
) -> tuple[float, float]:
    """Returns the volume wanted, and the one reached; draws how far control points have moved."""
    solid = subsolid.read(MODELS / model)
    plan = solid.plan(gauss=gauss, derivatives=1)
    line = 0.5 * np.polynomial.legendre.leggauss(gauss)[1]
    weights = np.tile(np.einsum("k,j,i->kji", line, line, line).ravel(), solid.n_cells)
    start = np.array(solid.points)

    def volume_by_torch(points: np.ndarray) -> tuple[float, np.ndarray]:
        from subsolid.torch import evaluate

        controls = torch.tensor(points, requires_grad=True)
        _, u, v, w = evaluate(plan, controls)
        sum_of_all = torch.from_numpy(weights) @ (u * torch.linalg.cross(v, w)).sum(dim=1)
        sum_of_all.backward()
        return sum_of_all.item(), controls.grad.numpy()

    def volume_by_adjoint(points: np.ndarray) -> tuple[float, np.ndarray]:
        u, v, w = plan.evaluate(points).derivatives.values()
        determinant = np.einsum("nd,nd->n", u, np.cross(v, w))
        by = [np.cross(v, w), np.cross(w, u), np.cross(u, v)]  # of the determinant
        gradients = {name: weights[:, None] * g for name, g in zip("uvw", by)}
        gradient = plan.adjoint(np.zeros_like(u), derivatives=gradients)
        return float(weights @ determinant), gradient

    volume = volume_by_torch if use_torch else volume_by_adjoint
    wanted = 1.1 * volume(start)[0]

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        points = flat.reshape(-1, 3)
        reached, gradient = volume(points)
        miss = reached - wanted
        moved = points - start
        value = miss**2 + 1e-4 * (moved**2).sum()
        return value, (2 * miss * gradient + 2e-4 * moved).ravel()

    found = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": steps})
    reached = volume(found.x.reshape(-1, 3))[0]
    print(f"volume {reached:.6f}, wanted {wanted:.6f}, {found.nit} steps")
    if picture is not None:
        points = found.x.reshape(-1, 3)
        moved = {"moved": np.linalg.norm(points - start, axis=1)}
        solid.with_points(points).with_attributes(moved).plot("moved", screenshot=picture)
    return wanted, reached


if __name__ == "__main__":
    main()
