"""Matrices of finite elements, summed over the batches of a quadrature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np

from ._error import Error
from ._types import Floats, QuadratureBatch

if TYPE_CHECKING:
    from ._subsolid import Quadrature

#: Most entries of element matrices that wait to be summed.
MOST_ENTRIES = 20_000_000


def _assemble(
    quadrature: Quadrature,
    points: Any,
    components: int,
    element: Callable[[QuadratureBatch], Floats],
) -> Any:
    """Sums element matrices (n, k, k) over unknowns ``components * vertex + d``."""
    try:
        from scipy import sparse
    except ImportError:
        raise Error("matrices need SciPy", "install it: pip install scipy") from None
    size = components * quadrature.n_vertices
    total = sparse.csr_matrix((size, size))
    waiting: list[Any] = []
    entries = 0
    for batch in quadrature.batches(points):
        matrices = element(batch)
        ids = components * batch.control_ids[:, :, None] + np.arange(components)
        ids = ids.reshape(len(ids), -1)
        rows = np.broadcast_to(ids[:, :, None], matrices.shape).ravel()
        columns = np.broadcast_to(ids[:, None, :], matrices.shape).ravel()
        waiting.append((matrices.ravel(), rows, columns))
        entries += matrices.size
        if entries > MOST_ENTRIES:
            total = total + _sum(sparse, waiting, size)
            waiting, entries = [], 0
    if waiting:
        total = total + _sum(sparse, waiting, size)
    total.sum_duplicates()
    return total


def _sum(sparse: Any, waiting: list[Any], size: int) -> Any:
    values, rows, columns = (np.concatenate(parts) for parts in zip(*waiting))
    return sparse.coo_matrix((values, (rows, columns)), shape=(size, size)).tocsr()


def mass(quadrature: Quadrature, points: Any = None, density: float = 1.0) -> Any:
    """The mass matrix."""

    def element(batch: QuadratureBatch) -> Floats:
        weighted = density * batch.weights[:, :, None] * batch.values
        result: Floats = batch.values.T @ weighted
        return result

    return _assemble(quadrature, points, 1, element)


def stiffness(quadrature: Quadrature, points: Any = None, conductivity: float = 1.0) -> Any:
    """The stiffness matrix of the Laplace operator."""

    def element(batch: QuadratureBatch) -> Floats:
        n, s, _, c = batch.physical_gradients.shape
        gradients = batch.physical_gradients.reshape(n, 3 * s, c)
        weights = np.repeat(conductivity * batch.weights, 3, axis=1)
        result: Floats = gradients.transpose(0, 2, 1) @ (weights[:, :, None] * gradients)
        return result

    return _assemble(quadrature, points, 1, element)


def elasticity(
    quadrature: Quadrature,
    points: Any = None,
    young: float = 1.0,
    poisson: float = 0.3,
) -> Any:
    """The matrix of linear isotropic elasticity."""
    if not (young > 0 and -1.0 < poisson < 0.5):
        raise Error(
            f"young={young}, poisson={poisson}",
            "give a modulus above 0, and a ratio above -1 and below 0.5",
        )
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    shear = young / (2 * (1 + poisson))

    def element(batch: QuadratureBatch) -> Floats:
        n, s, _, c = batch.physical_gradients.shape
        gradients = batch.physical_gradients
        weighted = batch.weights[:, :, None, None] * gradients
        # products[d][e]: sum over points of w dN_a/dx_d dN_b/dx_e
        result = np.zeros((n, c, 3, c, 3))
        for d in range(3):
            for e in range(3):
                product = weighted[:, :, d, :].transpose(0, 2, 1) @ gradients[:, :, e, :]
                result[:, :, d, :, e] += lame * product
                result[:, :, e, :, d] += shear * product
                if d == e:
                    for f in range(3):
                        result[:, :, f, :, f] += shear * product
        return result.reshape(n, 3 * c, 3 * c)

    return _assemble(quadrature, points, 3, element)
