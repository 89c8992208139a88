"""Reads with VTK what `cargo test --release --test jobs slice::files` left in target/readback.

    python -m venv .ci/venv && .ci/venv/bin/pip install vtk numpy
    cargo test --release --test jobs slice::files
    .ci/venv/bin/python tests/io/vtk_layers.py target/readback

Contours of all layers of the hollow cone of tests/jobs/slice/files/cone.rs: points, closed
lines and arrays are compared with its formulas. Exit code 1 at the first difference or
the first complaint of VTK.
"""

import pathlib
import sys

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

LAYERS, CORNERS, HOLE = 30, 720, 0.4


def read(path):
    assert path.is_file(), f"{path} is missing: run `cargo test --release --test jobs slice::files`"
    reader = vtk.vtkXMLPolyDataReader()
    complaints = []
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda _object, event: complaints.append(event))
    reader.SetFileName(str(path))
    reader.Update()
    assert not complaints, f"VTK complains: {complaints}"
    return reader.GetOutput()


def close(actual, expected, tolerance=1e-12):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def check(path):
    data = read(path)
    lines, points = data.GetLines(), vtk_to_numpy(data.GetPoints().GetData())
    assert data.GetNumberOfCells() == lines.GetNumberOfCells() == 2 * LAYERS
    ids = vtk_to_numpy(lines.GetConnectivityArray()).reshape(2 * LAYERS, CORNERS + 1)
    np.testing.assert_array_equal(ids[:, 0], ids[:, -1])  # closed
    np.testing.assert_array_equal(ids[:, :-1].ravel(), np.arange(2 * LAYERS * CORNERS))
    assert points.dtype == np.float64

    height = -0.5 + 0.05 * (np.arange(LAYERS) + 0.5)
    radius = np.stack([1.5 - height / 2, np.full(LAYERS, HOLE)], axis=1).ravel()
    lined = points.reshape(2 * LAYERS, CORNERS, 3)
    close(np.hypot(lined[..., 0], lined[..., 1]), np.tile(radius[:, None], CORNERS))
    close(lined[..., 2], np.tile(np.repeat(height, 2)[:, None], CORNERS))

    def array(of, name):
        found = of.GetArray(name)
        assert found is not None, f"no array {name!r}"
        return vtk_to_numpy(found)

    cells, ends = data.GetCellData(), data.GetPointData()
    assert (cells.GetNumberOfArrays(), ends.GetNumberOfArrays()) == (5, 2)
    close(array(cells, "layer"), np.repeat(np.arange(LAYERS), 2), 0)
    close(array(cells, "height"), np.repeat(height, 2))
    close(array(cells, "thickness"), np.full(2 * LAYERS, 0.05))
    close(array(cells, "depth"), np.tile([0, 1], LAYERS), 0)
    area = CORNERS / 2 * np.sin(2 * np.pi / CORNERS) * radius**2
    close(array(cells, "area"), area * np.tile([1, -1], LAYERS))
    close(array(ends, "x"), points[:, 0], 0)
    close(array(ends, "heat & height"), points[:, 2], 0)


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/readback")
    print(f"VTK {vtk.vtkVersion().GetVTKVersion()}")
    try:
        check(directory / "layers.vtp")
    except AssertionError as error:
        sys.exit(f"layers.vtp: {error}")
    print("layers.vtp: ok")


if __name__ == "__main__":
    main()
