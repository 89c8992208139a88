"""Limits of Catmull-Clark solids and subdivision surfaces as NumPy arrays.

    import subsolid
    solid = subsolid.read("models/bracket.vtk")
    limit = solid.evaluate(samples=8, derivatives=1)
    limit.points  # (cells * 512, 3)
"""

from __future__ import annotations

from ._convert import from_meshio, from_pyvista
from ._error import CopyWarning, Error
from ._subsolid import (
    Batches,
    DeviceArray,
    DeviceLimit,
    Limit,
    Locator,
    Operator,
    Pieces,
    Plan,
    Quadrature,
    Slices,
    Solid,
    Surface,
    __version__,
    bench,
    conform,
    devices,
    merge,
    read,
    read_creases,
    read_surface,
    set_threads,
    shape,
    slice_plate,
)
from ._types import Layer, Places, QuadratureBatch

#: Names of the numbers in Solid.classes.
CLASS_NAMES = ("regular", "layered", "irregular", "refined")

__all__ = [
    "CLASS_NAMES",
    "Batches",
    "CopyWarning",
    "DeviceArray",
    "DeviceLimit",
    "Error",
    "Layer",
    "Limit",
    "Locator",
    "Operator",
    "Pieces",
    "Places",
    "Plan",
    "Quadrature",
    "QuadratureBatch",
    "Slices",
    "Solid",
    "Surface",
    "bench",
    "conform",
    "devices",
    "from_meshio",
    "from_pyvista",
    "merge",
    "read",
    "read_creases",
    "read_surface",
    "set_threads",
    "shape",
    "slice_plate",
]
