"""Grades the bracket, and draws one of its layers as images have it.

    python -m venv .ci/venv && .ci/venv/bin/pip install vtk numpy
    .ci/venv/bin/python models/layers.py grade models/bracket.vtk models/graded_bracket.vtu
    S="slice models/graded_bracket.vtu --layer-height 0.2 --range 0.7:0.9 --attribute hardness=0:1"
    cargo run --release -- $S --pixel 0.0125 --antialias 4 --png gray
    cargo run --release -- $S --pixel 0.05 --antialias 4 --dither --png droplets
    .ci/venv/bin/python models/layers.py draw gray droplets models/slice.png

    cargo run --release -- slice models/bracket.vtk pin.stl --place pin=6.6,0,-0.25 --layer-height 0.25 \
        --png clamp --pixel 0.05 --window -1:11,-4:4 --materials bracket=#b8b8b8,pin=#b87333
    .ci/venv/bin/python models/layers.py parts clamp models/clamp.png 0 4 6 9  # pin.stl: guide/slicing.md

The hardness is 1 at the large bore and falls to 0 with the distance from it, in the
control points. The layer is drawn as its coverage, its hardness, and its hardness in
droplets, one of which is four pixels wide.
"""

import json
import pathlib
import sys

import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

BORE, SOFT = (6.6, 0.0), 7.0  # middle of the bore in the plane; where the hardness is 0
MARGIN = 16
PAPER = 96


def grade(model, graded):
    reader = vtk.vtkUnstructuredGridReader()
    reader.SetFileName(model)
    reader.Update()
    grid = reader.GetOutput()
    points = vtk_to_numpy(grid.GetPoints().GetData())
    distance = np.hypot(points[:, 0] - BORE[0], points[:, 1] - BORE[1])
    hardness = numpy_to_vtk(np.clip(1 - distance / SOFT, 0, 1), deep=True)
    hardness.SetName("hardness")
    grid.GetPointData().AddArray(hardness)
    writer = vtk.vtkXMLUnstructuredGridWriter()
    writer.SetFileName(graded)
    writer.SetInputData(grid)
    writer.Write()


def image(directory, stack):
    """The only image of a stack, [row][column] from the top."""
    directory = pathlib.Path(directory)
    manifest = json.loads((directory / "manifest.json").read_text())
    (layer,) = manifest["layers"]
    names = [stack["name"] for stack in manifest["parameters"]["files"]["stacks"]]
    reader = vtk.vtkPNGReader()
    reader.SetFileName(str(directory / layer["files"][names.index(stack)]["path"]))
    reader.Update()
    data = reader.GetOutput()
    columns, rows, _ = data.GetDimensions()
    levels = vtk_to_numpy(data.GetPointData().GetScalars()).reshape(rows, columns)[::-1]
    return levels if levels.max() > 1 else 255 * levels


def draw(gray, droplets, output):
    images = [image(gray, "coverage"), image(gray, "hardness")]
    images.append(np.kron(image(droplets, "hardness"), np.ones((4, 4), np.uint8)))
    rows = max(i.shape[0] for i in images) + 2 * MARGIN
    columns = sum(i.shape[1] + MARGIN for i in images) + MARGIN
    sheet = np.full((rows, columns), PAPER, np.uint8)
    left = MARGIN
    for levels in images:
        top = (rows - levels.shape[0]) // 2
        sheet[top : top + levels.shape[0], left : left + levels.shape[1]] = levels
        left += levels.shape[1] + MARGIN
    data = vtk.vtkImageData()
    data.SetDimensions(columns, rows, 1)
    data.GetPointData().SetScalars(numpy_to_vtk(sheet[::-1].ravel(), deep=True))
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(output)
    writer.SetInputData(data)
    writer.SetCompressionLevel(9)
    writer.Write()


def parts(directory, output, *layers):
    """Layers of materials beside each other, a pixel two wide."""
    names = sorted((pathlib.Path(directory) / "materials").iterdir())
    images = []
    for layer in layers:
        reader = vtk.vtkPNGReader()
        reader.SetFileName(str(names[int(layer)]))
        reader.Update()
        data = reader.GetOutput()
        columns, rows, _ = data.GetDimensions()
        colors = vtk_to_numpy(data.GetPointData().GetScalars()).reshape(rows, columns, -1)
        images.append(np.kron(colors, np.ones((2, 2, 1), np.uint8)))
    rows, columns, _ = images[0].shape
    sheet = np.full((rows, (columns + MARGIN) * len(images) - MARGIN, 3), PAPER, np.uint8)
    for place, colors in enumerate(images):
        sheet[:, place * (columns + MARGIN) :][:, :columns] = colors
    data = vtk.vtkImageData()
    data.SetDimensions(sheet.shape[1], rows, 1)
    data.GetPointData().SetScalars(numpy_to_vtk(sheet.reshape(-1, 3), deep=True))
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(output)
    writer.SetInputData(data)
    writer.SetCompressionLevel(9)
    writer.Write()


if __name__ == "__main__":
    {"grade": grade, "draw": draw, "parts": parts}[sys.argv[1]](*sys.argv[2:])
