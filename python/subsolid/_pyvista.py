"""Grids and pictures by PyVista."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._error import Error

if TYPE_CHECKING:
    from ._subsolid import Solid


def _pyvista() -> Any:
    try:
        import pyvista
    except ModuleNotFoundError as error:
        # a PyVista that is there and fails says why itself
        if (error.name or "").split(".")[0] != "pyvista":
            raise
        raise Error("grids and pictures need PyVista", "install it: pip install pyvista") from None
    return pyvista


def to_pyvista(solid: Solid, cells: Any = None, rings: int = 3, warns: bool = False) -> Any:
    """The limit as a grid; see Solid.to_pyvista. If it warns, of data that the grid does not have."""
    pyvista = _pyvista()
    data = solid._dataset("lagrange" if cells is None else cells, rings, warns)
    grid = pyvista.UnstructuredGrid(data["cells"], data["types"], data["points"])
    for name, values in data["point_data"].items():
        grid.point_data[name] = values
    for name, values in data["cell_data"].items():
        grid.cell_data[name] = values
    for name, values in data["field_data"].items():
        grid.field_data[name] = values
    return grid


def plot(
    solid: Solid,
    color: Optional[str] = None,
    clip: Optional[str] = None,
    samples: int = 5,
    screenshot: Any = None,
    show: bool = True,
) -> Any:
    """Shows the limit; see Solid.plot."""
    pyvista = _pyvista()
    grid = to_pyvista(solid, samples)
    scalars = color
    if color == "quality":
        grid.cell_data["quality"] = _quality(solid)[np.asarray(grid.cell_data["cell"])]
    elif color is not None and color not in (*grid.point_data, *grid.cell_data):
        known = sorted({"class", "quality", *grid.point_data, *grid.cell_data})
        raise Error(f"color={color!r}", f"give one of {', '.join(known)}")
    if clip is not None:
        if clip not in ("x", "y", "z"):
            raise Error(f"clip={clip!r}", 'give "x", "y" or "z"')
        grid = grid.clip(clip, crinkle=True)
    plotter = pyvista.Plotter(off_screen=screenshot is not None or None)
    plotter.add_mesh(grid, scalars=scalars, color=None if scalars else "lightgray")
    if not show:
        return plotter
    return plotter.show(screenshot=screenshot if screenshot is not None else False)


def _quality(solid: Solid) -> Any:
    """Least scaled Jacobian at the Gauss points of each cell."""
    limit = solid.evaluate(gauss=3, derivatives=1, jacobian=True)
    lengths = np.prod([np.linalg.norm(limit.derivatives[d], axis=1) for d in "uvw"], axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = np.nan_to_num(np.asarray(limit.det_j) / lengths)
    least = np.full(solid.n_cells, np.inf)
    plan = solid.plan(gauss=3)
    np.minimum.at(least, plan.places()[0], scaled)
    return least
