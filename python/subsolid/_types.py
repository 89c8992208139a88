"""Plain records that calls return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Protocol

import numpy as np
import numpy.typing as npt

from ._error import Error

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]


class Named(dict[str, Any]):
    """Results by name; a name that is not there is answered by those that are."""

    def __missing__(self, name: str) -> Any:
        raise KeyError(f"{name!r} is not among {', '.join(map(repr, self)) or 'no names'}")


class MissingError(Error, AttributeError):
    """What a layer does not have, and how to ask for it."""


class DlpackArray(Protocol):
    """An array of PyTorch, CuPy or JAX, by DLPack."""

    def __dlpack__(self, *args: Any, **options: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...


class CudaArray(Protocol):
    """An array of Numba or CuPy, by the CUDA array interface."""

    @property
    def __cuda_array_interface__(self) -> Any: ...


class Places(NamedTuple):
    """Cells and parameters of points in space."""

    #: Cells, (n,); -1 for points outside, unless nearest=True; and for points that are not finite or
    #: so far that squares of distances overflow.
    cells: Ids
    #: Parameters in the cell, (n, 3); NaN for points outside, unless nearest=True.
    uvw: Floats
    #: Distances from the points to the limit there, (n,), in length units; inf for points outside, unless nearest=True.
    distances: Floats
    #: Corners whose hexahedral child is meant, (n,); -1 in hexahedra.
    corners: Ids


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of a solid."""

    #: Number of the layer.
    index: int
    #: Height of its middle, in length units.
    height: float
    #: Closed curves, each (n, 2), in length units, with the material to their left.
    contours: list[Floats]
    #: How many contours enclose each: even for outer ones, odd for holes.
    depths: list[int]
    #: Area of the material, in squared length units.
    area: float
    #: Covered part of each pixel, (rows, columns) uint16, 65535 for all; row 0 is the lowest.
    coverage: npt.NDArray[np.uint16] = field(repr=False)
    #: Components of the attributes by name, (rows, columns) float64; NaN for pixels that are not covered.
    attributes: dict[str, Floats]
    #: Number of the material of each pixel, (rows, columns) uint8, 0 for none, as Slices.materials
    #: counts them from 1.
    materials: npt.NDArray[np.uint8] = field(repr=False)

    def __post_init__(self) -> None:
        for name in ("coverage", "materials"):
            if self.__dict__[name] is None:
                object.__delattr__(self, name)

    def __getattr__(self, name: str) -> Any:
        if name == "coverage":
            raise MissingError("the layer has no pixels", "slice with pixel=..., their edge length")
        if name == "materials":
            raise MissingError("the layer has no materials", "slice with pixel=... and materials=...")
        raise AttributeError(name)


@dataclass(frozen=True, eq=False)
class QuadratureBatch:
    """Leaves (cells, or parts of them) with equal basis functions.

    n leaves, s quadrature points each, c control points each. Of a quadrature of the boundary, a
    leaf is a face of one.
    """

    #: Cells, (n,).
    cells: Ids
    #: Corners whose hexahedral child is meant, (n,); -1 in hexahedra.
    corners: Ids
    #: Control points, (n, c).
    control_ids: Ids
    #: Parameters in the cells, (n, s, 3).
    parameters: Floats
    #: Basis functions N, (s, c); each row sums to 1.
    values: Floats
    #: dN/d(u, v, w), (s, 3, c).
    gradients: Floats
    #: Second derivatives by uu, vv, ww, uv, uw, vw, (s, 6, c); None unless asked for.
    second: Optional[Floats]
    #: Points in space, (n, s, 3), in length units.
    points: Floats
    #: Weights in space, (n, s): they sum to the volume, on the boundary to its area.
    weights: Floats
    #: d(x, y, z)/d(u, v, w), (n, s, 3, 3).
    jacobians: Floats
    #: Their determinants, (n, s), in cubed length units.
    det_j: Floats
    #: d(u, v, w)/d(x, y, z), (n, s, 3, 3).
    inverse_jacobians: Floats
    #: dN/d(x, y, z), (n, s, 3, c).
    physical_gradients: Floats
    #: Outward unit normals on the boundary, (n, s, 3); None in the volume.
    normals: Optional[Floats]
    #: Faces of the mesh on the boundary, (n,), numbered as by Solid.query("FV"); None in the volume.
    faces: Optional[Ids]
    #: Sides of the boundary, (n,); None in the volume.
    sides: Optional[Ids]

