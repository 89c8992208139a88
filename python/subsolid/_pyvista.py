"""Grids and pictures by PyVista."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._error import Error

if TYPE_CHECKING:
    from ._subsolid import Solid

# Names and colors of the classes, as pages have them.
CLASSES = [("regular", "#4477aa"), ("layered", "#ccbb44"), ("irregular", "#ee6677"), ("refined", "#66ccee")]
# VTK's corner of a hexahedron at parameters (u, v, w).
CORNER = {(u, v, w): (u ^ v) + 2 * v + 4 * w for u in (0, 1) for v in (0, 1) for w in (0, 1)}


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
    if color == "quality":
        grid.cell_data["quality"] = _quality(solid)[np.asarray(grid.cell_data["cell"])]
    elif color is not None and color not in (*grid.point_data, *grid.cell_data):
        known = sorted({"class", "quality", *grid.point_data, *grid.cell_data})
        raise Error(f"color={color!r}", f"give one of {', '.join(known)}")
    count = grid.n_points
    grid.point_data["_sample"] = np.arange(count)
    segments = _cell_lines(grid, samples - 1)
    if clip is not None:
        if clip not in ("x", "y", "z"):
            raise Error(f"clip={clip!r}", 'give "x", "y" or "z"')
        grid = grid.clip(clip, crinkle=True)
    plotter = pyvista.Plotter(off_screen=screenshot is not None or None)
    if color == "class":
        _add_classes(plotter, grid)
    else:
        bar = {"title": color or "", "vertical": False, "n_labels": 2, "fmt": "%.4g"}
        bar.update(position_x=0.2, position_y=0.02, width=0.6, height=0.1)
        plotter.add_mesh(grid, scalars=color, color=None if color else "lightgray", scalar_bar_args=bar)
    # of what the cut left
    place = np.full(count, -1)
    place[grid.point_data["_sample"]] = np.arange(grid.n_points)
    segments = place[segments]
    segments = segments[(segments >= 0).all(axis=1)]
    lines = pyvista.PolyData(grid.points, lines=np.insert(segments, 0, 2, axis=1).ravel())
    mapper = plotter.add_mesh(lines, color="black", line_width=1).mapper
    # before the faces that they lie in
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyLineOffsetParameters(0.0, -8.0)
    if color is not None:
        # beside the legend, or above the bar
        plotter.camera.zoom(0.85)
        plotter.camera.SetWindowCenter(*((0.2, 0.0) if color == "class" else (0.0, -0.15)))
    if not show:
        if screenshot is not None:
            plotter.screenshot(screenshot)
        return plotter
    return plotter.show(screenshot=screenshot if screenshot is not None else False)


def _add_classes(plotter: Any, grid: Any) -> None:
    """Cells in the colors of pages, with a legend of the classes that there are."""
    classes = np.asarray(grid.cell_data["class"])
    present = [(number, *CLASSES[number]) for number in np.unique(classes)]
    for number, _, color in present:
        plotter.add_mesh(grid.extract_cells(classes == number), color=color)
    labels = [[name, color] for _, name, color in present]
    size = (0.24, 0.07 * len(labels))
    plotter.add_legend(labels, bcolor=None, border=False, face="rectangle", loc="center right", size=size)


def _cell_lines(grid: Any, side: int) -> Any:
    """Segments of the edges of control cells, as pairs of points of a grid of side³ cells each."""
    small = grid.cells.reshape(-1, 9)[:, 1:].reshape(-1, side, side, side, 8)
    # of a cell that is no hexahedron the edges at its own corner alone
    corner = np.asarray(grid.cell_data["corner"])[:: side**3] if "corner" in grid.cell_data else np.full(len(small), -1)
    found = []
    for axis in range(3):
        for low in np.ndindex(2, 2):
            bits = list(low)
            bits.insert(axis, 0)
            place: list[Any] = [-b for b in bits]
            place[axis] = slice(None)
            own = small[:, place[2], place[1], place[0]]
            own = own[(corner < 0) | (low == (0, 0))]
            other = [b | (d == axis) for d, b in enumerate(bits)]
            ends = [CORNER[tuple(end)] for end in (bits, other)]
            found.append(own[..., ends].reshape(-1, 2))
    return np.concatenate(found)


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
