"""Reads with VTK what the program's `evaluate` left in target/readback_evaluate.

    python -m venv .ci/venv && .ci/venv/bin/pip install vtk numpy
    cargo test --release --test cli vtk_files_of_evaluate
    .ci/venv/bin/python tests/io/vtk_evaluate.py target/readback_evaluate

Of each model NAME the directory holds NAME.at.csv (limit points at given
parameters) and NAME.hexahedra.vtu, .pieces.pvtu, .gauss.vtu, .lagrange.vtu and
.bezier.vtu; all are compared with the table, high-order cells by VTK's own
interpolation inside them. Exit code 1 at the first difference or complaint.
"""

import sys

import numpy as np
import vtk

from vtk_readback import DIRECTORY, array, points, read

SAMPLES = 5
# cells of each model, and whether its limit is a tricubic polynomial in every cell
MODELS = {"box": (24, False), "fan": (40, False), "creased": (27, True)}
# Lagrange cells miss the limit where that is not a polynomial, by this much at most
LAGRANGE_TOLERANCE = 2e-2


def table(name):
    path = DIRECTORY / f"{name}.at.csv"
    with open(path) as file:
        assert file.readline().strip() == "cell,u,v,w,x,y,z"
        rows = np.loadtxt(file, delimiter=",")
    assert rows.shape == (1200, 7)
    return rows[:, 0].astype(int), rows[:, 1:4], rows[:, 4:]


def close(found, expected, tolerance, what):
    worst = np.abs(np.asarray(found) - expected).max()
    assert worst <= tolerance, f"{what}: off by {worst}, allowed {tolerance}"
    return worst


def inside(cell, parameters):
    """VTK's interpolation inside a cell."""
    weights, sub_id, found = [0.0] * cell.GetNumberOfPoints(), vtk.reference(0), [np.nan] * 3
    cell.EvaluateLocation(sub_id, list(parameters), found, weights)
    return found


def check_hexahedra(name, ending):
    """Grid samples among the rows are corners of the sub-hexahedra of their cell."""
    grid = read(f"{name}.{ending}")
    cells, _ = MODELS[name]
    n = SAMPLES - 1
    assert grid.GetNumberOfCells() == cells * n**3
    assert array(grid.GetCellData(), "cell").tolist() == np.repeat(np.arange(cells), n**3).tolist()
    assert array(grid.GetCellData(), "class").max() <= 3
    compared, worst = 0, 0.0
    for cell, at, expected in zip(*table(name)):
        steps = at * n
        if (steps != np.round(steps)).any():
            continue
        block = np.minimum(steps, n - 1).astype(int)
        sub = grid.GetCell(int(cell * n**3 + block @ [1, n, n * n]))
        assert sub.GetCellType() == vtk.VTK_HEXAHEDRON
        found = inside(sub, steps - block)
        worst = max(worst, close(found, expected, 1e-13, f"cell {cell} at {at}"))
        compared += 1
    assert compared >= 400
    return f"{compared} samples, largest difference {worst:.1e}"


def check_welded(name):
    grid = read(f"{name}.hexahedra.vtu")
    found = points(grid)
    assert len(np.unique(found.round(9), axis=0)) == len(found), "two points at one place"


def check_gauss(name):
    grid = read(f"{name}.gauss.vtu")
    cells, _ = MODELS[name]
    data = grid.GetPointData()
    assert grid.GetNumberOfPoints() == grid.GetNumberOfCells() == 8 * cells
    assert grid.GetCellType(0) == vtk.VTK_VERTEX
    assert array(data, "cell").tolist() == np.repeat(np.arange(cells), 8).tolist()
    low = 0.5 - 0.5 / np.sqrt(3)
    assert close(np.unique(array(data, "u").round(15)), [low, 1 - low], 1e-14, "u") < 1e-14
    frame = np.stack([array(data, f"d_{axis}") for axis in "uvw"], axis=1)
    close(array(data, "det_j"), np.linalg.det(frame), 1e-12, "det_j")
    assert (array(data, "det_j") > 0).all() and not array(data, "undefined_derivative").any()


def check_lagrange(name):
    grid = read(f"{name}.lagrange.vtu")
    cells, exact = MODELS[name]
    assert grid.GetNumberOfCells() == cells
    regular = array(grid.GetCellData(), "class") == 0
    worst = [0.0, 0.0]
    for cell, at, expected in zip(*table(name)):
        element = grid.GetCell(int(cell))
        assert element.GetCellType() == vtk.VTK_LAGRANGE_HEXAHEDRON
        tolerance = 1e-12 if regular[cell] else LAGRANGE_TOLERANCE
        difference = close(inside(element, at), expected, tolerance, f"cell {cell} at {at}")
        kind = int(regular[cell])
        worst[kind] = max(worst[kind], difference)
    assert not exact or regular.all()
    return f"largest difference {worst[1]:.1e} in regular cells, {worst[0]:.1e} in others"


def check_bezier(name):
    grid = read(f"{name}.bezier.vtu")
    _, exact = MODELS[name]
    data = grid.GetCellData()
    ids, bounds = array(data, "cell"), array(data, "error_bound")
    origins, sizes = array(data, "origin"), array(data, "size")
    assert not exact or (bounds == 0).all()
    worst = [0.0, 0.0]
    for cell, at, expected in zip(*table(name)):
        local = (at - origins) / sizes
        holds = (ids == cell) & (local >= 0).all(axis=1) & (local <= 1).all(axis=1)
        assert holds.any(), f"no piece of cell {cell} holds {at}"
        for piece in np.flatnonzero(holds):
            element = grid.GetCell(int(piece))
            assert element.GetCellType() == vtk.VTK_BEZIER_HEXAHEDRON
            tolerance = max(bounds[piece], 1e-12)
            found = inside(element, local[piece])
            difference = close(found, expected, tolerance, f"cell {cell} at {at}, piece {piece}")
            kind = int(bounds[piece] == 0)
            worst[kind] = max(worst[kind], difference)
    return f"largest difference {worst[1]:.1e} in exact pieces, {worst[0]:.1e} in others"


def main():
    print(f"VTK {vtk.vtkVersion().GetVTKVersion()}")
    for name in MODELS:
        for label, check, arguments in [
            ("hexahedra.vtu", check_hexahedra, (name, "hexahedra.vtu")),
            ("pieces.pvtu", check_hexahedra, (name, "pieces.pvtu")),
            ("welded points", check_welded, (name,)),
            ("gauss.vtu", check_gauss, (name,)),
            ("lagrange.vtu", check_lagrange, (name,)),
            ("bezier.vtu", check_bezier, (name,)),
        ]:
            try:
                note = check(*arguments)
            except AssertionError as error:
                sys.exit(f"{name} {label}: {error}")
            print(f"{name} {label}: ok" + (f", {note}" if note else ""))


if __name__ == "__main__":
    main()
