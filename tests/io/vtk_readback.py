"""Reads with VTK what `cargo test --release --test io write` left in target/readback.

    python -m venv .ci/venv && .ci/venv/bin/pip install vtk numpy
    cargo test --release --test io write
    .ci/venv/bin/python tests/io/vtk_readback.py target/readback

Points, cells and arrays are compared with the formulas of tests/io/write/models.rs,
high-order cells by VTK's own interpolation inside them. Exit code 1 at the first
difference or the first complaint of VTK.
"""

import pathlib
import sys

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

DIRECTORY = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/readback")
READERS = {
    ".vtu": vtk.vtkXMLUnstructuredGridReader,
    ".pvtu": vtk.vtkXMLPUnstructuredGridReader,
    ".vtk": vtk.vtkUnstructuredGridReader,
}


def read(name):
    path = DIRECTORY / name
    assert path.is_file(), f"{path} is missing: run `cargo test --release --test io write`"
    reader = READERS[path.suffix]()
    complaints = []
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda _object, event: complaints.append(event))
    reader.SetFileName(str(path))
    if path.suffix == ".vtk":
        reader.ReadAllFieldsOn()
    reader.Update()
    assert not complaints, f"{name}: VTK complains: {complaints}"
    return reader.GetOutput()


def array(data, name):
    found = data.GetAbstractArray(name)
    assert found is not None, f"no array {name!r}"
    return vtk_to_numpy(found)


def points(grid):
    # A grid without points may come without the array.
    return vtk_to_numpy(grid.GetPoints().GetData()) if grid.GetNumberOfPoints() else np.zeros((0, 3))


def equal(actual, expected):
    np.testing.assert_array_equal(actual, expected)
    assert actual.shape == np.shape(expected)


def box_points(n):
    z, y, x = np.meshgrid(*[np.arange(n + 1.0)] * 3, indexing="ij")
    bent = [x + y * z / 64, y - x * z / 128, z + x * y / 32]
    return np.stack([b.ravel() for b in bent], axis=1)


def box_cells(n):
    side = n + 1
    k, j, i = np.meshgrid(*[np.arange(n)] * 3, indexing="ij")
    first = (i + side * (j + side * k)).ravel()[:, None]
    layer = np.array([0, 1, 1 + side, side])
    return first + np.concatenate([layer, layer + side * side])


def check_grid(grid, n, single=False):
    """Points and cells of the bent box of n³ hexahedra."""
    equal(points(grid), box_points(n))
    assert points(grid).dtype == (np.float32 if single else np.float64)
    cells = grid.GetCells()
    equal(vtk_to_numpy(cells.GetConnectivityArray()).reshape(-1, 8), box_cells(n))
    equal(vtk_to_numpy(cells.GetOffsetsArray()), 8 * np.arange(n**3 + 1))
    assert all(grid.GetCellType(c) == vtk.VTK_HEXAHEDRON for c in range(0, n**3, 97))


def box_arrays(n):
    """Point and cell arrays of the box."""
    count, cells = (n + 1) ** 3, n**3
    frame = np.arange(9 * count) / 3
    frame[4:6] = np.nan, -np.inf
    corner = np.zeros(count)
    corner[0] = np.inf
    heat = box_points(n)[:, 0] / 10
    return (
        {"heat": heat, "frame": frame.reshape(-1, 9), "corner_sharpness": corner},
        {"cell id": np.arange(cells, dtype=np.int64) << 33, "class": np.arange(cells) % 251},
    )


def check_arrays(data, expected):
    assert data.GetNumberOfArrays() == len(expected)
    for name, values in expected.items():
        equal(array(data, name), values)


def check_box(name, n=41):
    grid = read(name)
    check_grid(grid, n)
    of_points, of_cells = box_arrays(n)
    check_arrays(grid.GetPointData(), of_points)
    check_arrays(grid.GetCellData(), of_cells)
    assert array(grid.GetCellData(), "class").dtype == np.uint8
    assert array(grid.GetCellData(), "cell id").dtype == np.int64
    fields = grid.GetFieldData()
    equal(array(fields, "crease_edges"), [[0, 1], [0, n + 1]])
    equal(array(fields, "crease_sharpness"), [np.inf, 1.5])
    equal(array(fields, '<a & "b">'), [-7])
    equal(array(fields, "block"), np.full(1 << 18, 9))
    none = fields.GetAbstractArray("none")
    assert none is None or none.GetNumberOfTuples() == 0


def check_single(name):
    grid = read(name)
    check_grid(grid, 41, single=True)
    heat = array(grid.GetPointData(), "heat")
    assert heat.dtype == np.float32
    equal(heat, (box_points(41)[:, 0] / 10).astype(np.float32))


def check_pieces(name, sizes):
    grid = read(name)
    equal(points(grid), np.concatenate([box_points(n) for n in sizes]))
    starts = np.cumsum([0] + [(n + 1) ** 3 for n in sizes])
    cells = np.concatenate([start + box_cells(n) for start, n in zip(starts, sizes)])
    equal(vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 8), cells)
    arrays = [box_arrays(n) for n in sizes]
    for group, data in enumerate((grid.GetPointData(), grid.GetCellData())):
        names = arrays[0][group]
        check_arrays(data, {k: np.concatenate([a[group][k] for a in arrays]) for k in names})


def check_mixed(name):
    grid = read(name)
    kinds = [vtk.VTK_HEXAHEDRON, vtk.VTK_POLYHEDRON, vtk.VTK_TETRA, vtk.VTK_WEDGE, vtk.VTK_POLYHEDRON]
    assert [grid.GetCellType(c) for c in range(grid.GetNumberOfCells())] == kinds
    vertices = {0: list(range(8)), 2: [5, 10, 6, 11], 3: [4, 7, 8, 5, 6, 9]}
    faces = {
        1: [[1, 2, 6, 5], [1, 10, 2], [2, 10, 6], [6, 10, 5], [5, 10, 1]],
        4: [[12, 15, 14, 13], [0, 1, 2, 3], [12, 13, 1, 0]]
        + [[13, 14, 2, 1], [14, 15, 3, 2], [15, 12, 0, 3]],
    }
    for c, expected in vertices.items():
        ids = grid.GetCell(c).GetPointIds()
        assert [ids.GetId(i) for i in range(ids.GetNumberOfIds())] == expected
    for c, expected in faces.items():
        cell = grid.GetCell(c)
        found = []
        for f in range(cell.GetNumberOfFaces()):
            ids = cell.GetFace(f).GetPointIds()
            found.append([ids.GetId(i) for i in range(ids.GetNumberOfIds())])
        assert found == expected, f"cell {c}: {found}"
        ids = cell.GetPointIds()
        on_faces = sorted({v for face in expected for v in face})
        assert sorted(ids.GetId(i) for i in range(ids.GetNumberOfIds())) == on_faces
    assert vtk_to_numpy(grid.GetPoints().GetData()).tolist()[11] == [3, 0, 3]
    equal(array(grid.GetCellData(), "cell"), np.arange(5))


def check_cloud(name, count):
    grid = read(name)
    assert grid.GetNumberOfPoints() == count and grid.GetNumberOfCells() == count
    expected = np.stack([np.arange(count), np.full(count, 0.5), np.full(count, -0.25)], axis=1)
    equal(points(grid), expected)
    assert all(grid.GetCellType(c) == vtk.VTK_VERTEX for c in range(count))
    assert all(grid.GetCell(c).GetPointId(0) == c for c in range(count))


def check_high_order(name, kind, n):
    cell = read(name).GetCell(0)
    assert cell.GetCellType() == kind and cell.GetNumberOfPoints() == (n + 1) ** 3
    table = np.loadtxt(DIRECTORY / f"{name.split('.')[0].removesuffix('_compressed')}.csv",
                       delimiter=",", skiprows=1)
    assert table.shape == (200, 6)
    weights, sub_id, found = [0.0] * cell.GetNumberOfPoints(), vtk.reference(0), [np.nan] * 3
    inside = np.empty((len(table), 3))
    for row, parameter in enumerate(table[:, 3:]):
        cell.EvaluateLocation(sub_id, parameter, found, weights)
        inside[row] = found
    worst = np.abs(inside - table[:, :3]).max()
    assert worst < 1e-13, f"off by {worst} inside the cell"
    return f"largest difference inside {worst:.1e}"


def checks():
    for name in ("box.vtu", "box_compressed.vtu", "box.vtk"):
        yield name, check_box, ()
    for name in ("box_f32.vtu", "box_f32.vtk"):
        yield name, check_single, ()
    for name in ("pieces.pvtu", "pieces & compressed.pvtu"):
        yield name, check_pieces, ([3, 1, 2],)
    yield "one_piece.pvtu", check_pieces, ([3],)
    for name in ("mixed.vtu", "mixed_compressed.vtu", "mixed.vtk"):
        yield name, check_mixed, ()
    for stem, count in (("cloud", 100), ("nothing", 0)):
        for ending in (".vtu", "_compressed.vtu", ".vtk"):
            yield stem + ending, check_cloud, (count,)
    kinds = {"lagrange": vtk.VTK_LAGRANGE_HEXAHEDRON, "bezier": vtk.VTK_BEZIER_HEXAHEDRON}
    for stem, kind in kinds.items():
        for n in range(1, 6):
            for ending in (".vtu", "_compressed.vtu"):
                yield f"{stem}_{n}{ending}", check_high_order, (kind, n)


def main():
    print(f"VTK {vtk.vtkVersion().GetVTKVersion()}")
    for name, check, arguments in checks():
        try:
            note = check(name, *arguments)
        except AssertionError as error:
            sys.exit(f"{name}: {error}")
        print(f"{name}: ok" + (f", {note}" if note else ""))


if __name__ == "__main__":
    main()
