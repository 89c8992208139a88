"""Writes structured grids, and compressed arrays, with VTK; reads them with the program.

    python tests/io/vtk_written.py target/release/subsolid target/vtk_written
"""

import json
import pathlib
import subprocess
import sys

import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy
import numpy as np

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
SIZE = (4, 3, 5)


def with_field(grid):
    """The grid with an attribute: x + 2 y - z at its points."""
    points = np.array([grid.GetPoint(i) for i in range(grid.GetNumberOfPoints())])
    values = points @ (1.0, 2.0, -1.0)
    array = numpy_to_vtk(values, deep=True)
    array.SetName("heat")
    # metadata of legacy files
    array.SetComponentName(0, "in K")
    array.GetRange(-1)
    grid.GetPointData().AddArray(array)
    return grid


def image():
    grid = vtk.vtkImageData()
    grid.SetExtent(1, SIZE[0], -1, SIZE[1] - 2, 0, SIZE[2] - 1)
    grid.SetOrigin(1.0, 2.0, 3.0)
    grid.SetSpacing(0.5, 0.25, 2.0)
    if hasattr(grid, "SetDirectionMatrix"):
        grid.SetDirectionMatrix(0, -1, 0, 1, 0, 0, 0, 0, 1)
    return with_field(grid)


def rectilinear():
    grid = vtk.vtkRectilinearGrid()
    grid.SetDimensions(*SIZE)
    for axis, n in zip("XYZ", SIZE):
        along = numpy_to_vtk(np.arange(n) ** 1.5, deep=True)
        getattr(grid, f"Set{axis}Coordinates")(along)
    return with_field(grid)


def curvilinear():
    grid = vtk.vtkStructuredGrid()
    grid.SetDimensions(*SIZE)
    points = vtk.vtkPoints()
    points.SetDataTypeToDouble()
    for k in range(SIZE[2]):
        for j in range(SIZE[1]):
            for i in range(SIZE[0]):
                points.InsertNextPoint(i + 0.1 * j, j + 0.05 * k * k, k)
    grid.SetPoints(points)
    return with_field(grid)


def read_back(path, grid):
    """Compares points and attribute by what the program writes of the unrefined mesh."""
    out = folder / "back.vtu"
    subprocess.run([program, "refine", str(path), "--levels", "0", "-o", str(out), "-q"], check=True)
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(out))
    reader.Update()
    found = reader.GetOutput()
    expected = np.array([grid.GetPoint(i) for i in range(grid.GetNumberOfPoints())])
    assert found.GetNumberOfCells() == grid.GetNumberOfCells(), path
    assert np.abs(vtk_to_numpy(found.GetPoints().GetData()) - expected).max() < 1e-6, path
    heat = vtk_to_numpy(found.GetPointData().GetArray("heat"))
    assert np.abs(heat - expected @ (1.0, 2.0, -1.0)).max() < 1e-5, path
    volume = sum(found.GetCell(c).ComputeBoundingSphere([0, 0, 0]) for c in range(found.GetNumberOfCells()))
    assert volume > 0, path
    print(f"{path}: {grid.GetNumberOfPoints()} points agree")


WRITERS = [
    ("vti", image, vtk.vtkXMLImageDataWriter, vtk.vtkStructuredPointsWriter),
    ("vtr", rectilinear, vtk.vtkXMLRectilinearGridWriter, vtk.vtkRectilinearGridWriter),
    ("vts", curvilinear, vtk.vtkXMLStructuredGridWriter, vtk.vtkStructuredGridWriter),
]
for ending, make, xml_writer, legacy_writer in WRITERS:
    grid = make()
    for mode in ("Ascii", "Binary", "Appended"):
        for compressor in ("None", "ZLib", "LZ4", "LZMA"):
            if mode == "Ascii" and compressor != "None":
                continue
            writer = xml_writer()
            writer.SetInputData(grid)
            getattr(writer, f"SetDataModeTo{mode}")()
            getattr(writer, f"SetCompressorTypeTo{compressor}")()
            path = folder / f"{mode}_{compressor}.{ending}"
            writer.SetFileName(str(path))
            assert writer.Write() == 1
            read_back(path, grid)
    for mode in ("ASCII", "Binary"):
        writer = legacy_writer()
        if ending == "vti":
            # legacy images have neither an extent nor a direction
            grid = vtk.vtkImageData()
            grid.SetDimensions(*SIZE)
            grid.SetOrigin(1.0, 2.0, 3.0)
            grid.SetSpacing(0.5, 0.25, 2.0)
            grid = with_field(grid)
        writer.SetInputData(grid)
        getattr(writer, f"SetFileTypeTo{mode}")()
        path = folder / f"{mode}_{ending}.vtk"
        writer.SetFileName(str(path))
        assert writer.Write() == 1
        read_back(path, grid)

# surfaces, as polygons and as strips of triangles
sphere = vtk.vtkSphereSource()
sphere.SetThetaResolution(9)
sphere.SetPhiResolution(7)
strips = vtk.vtkStripper()
strips.SetInputConnection(sphere.GetOutputPort())
for name, made in (("polys", sphere), ("strips", strips)):
    made.Update()
    surface = with_field(made.GetOutput())
    for mode in ("Ascii", "Binary", "Appended", "ASCII_42", "ASCII_51", "Binary_42", "Binary_51"):
        path, out = folder / f"{name}_{mode}.vtp", folder / "back.vtp"
        if "_" in mode:
            encoding, version = mode.split("_")
            writer, path = vtk.vtkPolyDataWriter(), path.with_suffix(".vtk")
            writer.SetFileVersion(int(version))
            getattr(writer, f"SetFileTypeTo{encoding}")()
        else:
            writer = vtk.vtkXMLPolyDataWriter()
            getattr(writer, f"SetDataModeTo{mode}")()
        writer.SetInputData(surface)
        writer.SetFileName(str(path))
        assert writer.Write() == 1
        command = [program, "surface", str(path), "--scheme", "loop", "--levels", "0", "-o", str(out), "-q"]
        subprocess.run(command, check=True)
        reader = vtk.vtkXMLPolyDataReader()
        reader.SetFileName(str(out))
        reader.Update()
        found = reader.GetOutput()
        assert found.GetNumberOfPolys() == sphere.GetOutput().GetNumberOfPolys(), path
        points = vtk_to_numpy(surface.GetPoints().GetData())
        assert np.abs(vtk_to_numpy(found.GetPoints().GetData()) - points).max() < 1e-6, path
        heat = vtk_to_numpy(found.GetPointData().GetArray("heat"))
        assert np.abs(heat - points @ (1.0, 2.0, -1.0)).max() < 1e-5, path
        areas = []
        for data in (sphere.GetOutput(), found):
            measure = vtk.vtkMassProperties()
            measure.SetInputData(data)
            areas.append((measure.GetSurfaceArea(), measure.GetVolume()))
        assert np.allclose(*areas, rtol=1e-6), (path, areas)
        print(f"{path}: {found.GetNumberOfPolys()} triangles agree")

# a claim beyond the memory given
source = folder / "Appended_ZLib.vts"
refused = subprocess.run([program, "info", str(source), "--memory", "1e-7"], capture_output=True, text=True)
assert refused.returncode == 2 and "--memory" in refused.stderr, refused.stderr
assert json.loads(subprocess.run([program, "info", str(source), "--json", "-q"], capture_output=True, check=True).stdout)
print("all files that VTK wrote were read")
