"""Draws a control mesh and the limit solid of it, cut open, side by side.

    python -m venv .ci/venv && .ci/venv/bin/pip install vtk numpy
    cargo run --release -- evaluate models/bracket.vtk --samples 9 -o limit.vtu
    .ci/venv/bin/python models/picture.py models/bracket.vtk limit.vtu models/bracket.png

The limit comes as the program writes it: a block of hexahedra for every control
cell, with the cell arrays `cell` and `class`. The cut leaves out whole cells, so
what shows inside are their curved faces with their (u, v, w) lines. VTK draws
off-screen, in software where there is no GPU.
"""

import math
import sys

import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy

SIZE = (1520, 700)
# Of regular, layered, irregular and refined cells.
COLORS = [(0.93, 0.91, 0.87), (0.45, 0.68, 0.86), (0.96, 0.62, 0.31), (0.85, 0.33, 0.31)]
NAMES = ["regular", "layered", "irregular", "refined first"]
# Corners of the faces of a hexahedron, as VTK orders them.
FACES = [(0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7)]
# Cells whose middle lies further along y than this are left out of the limit.
CUT = 0.1
# From where it is seen: degrees around z, and above the horizon.
DIRECTION = (52, 24)
# A line is drawn at every so many samples.
LINES = 2


def read(path):
    reader = (
        vtk.vtkXMLUnstructuredGridReader()
        if path.endswith(".vtu")
        else vtk.vtkUnstructuredGridReader()
    )
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    points = vtk_to_numpy(grid.GetPoints().GetData()).astype(float)
    cells = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 8)
    arrays = grid.GetCellData()
    names = [arrays.GetArrayName(i) for i in range(arrays.GetNumberOfArrays())]
    return points, cells, {name: vtk_to_numpy(arrays.GetArray(name)) for name in names}


def blocks(cells, ids):
    """Sample points of every control cell, [cell][w][v][u]."""
    count = ids.max() + 1
    side = round((len(cells) / count) ** (1 / 3))
    assert count * side**3 == len(cells), "not a block of hexahedra for every cell"
    small = cells[np.argsort(ids, kind="stable")].reshape(count, side, side, side, 8)
    grid = np.empty((count, side + 1, side + 1, side + 1), dtype=cells.dtype)
    for corner in range(8):
        w, v, u = corner >> 2, (corner >> 1) & 1, (corner ^ corner >> 1) & 1
        grid[:, w : w + side, v : v + side, u : u + side] = small[..., corner]
    return grid


def open_faces(points, grid, kept):
    """(cell, [row][column] of points) of the faces that one kept cell has alone."""
    seen = {}
    for cell in np.flatnonzero(kept):
        block = grid[cell]
        sides = [block[:, :, 0], block[:, :, -1], block[:, 0], block[:, -1], block[0], block[-1]]
        for number, face in enumerate(sides):
            corners = points[face[[0, 0, -1, -1], [0, -1, 0, -1]]]
            key = tuple(sorted(map(tuple, np.round(corners, 6) + 0.0)))
            seen.setdefault(key, []).append((cell, number, face))
    return [faces[0] for faces in seen.values() if len(faces) == 1]


def polydata(points, polygons=None, lines=None):
    data = vtk.vtkPolyData()
    vtk_points = vtk.vtkPoints()
    vtk_points.SetData(numpy_to_vtk(np.ascontiguousarray(points), deep=True))
    data.SetPoints(vtk_points)
    for cells, put in ((polygons, data.SetPolys), (lines, data.SetLines)):
        if cells is not None:
            cells = np.asarray(cells)
            array = vtk.vtkCellArray()
            offsets = np.arange(len(cells) + 1) * cells.shape[1]
            array.SetData(
                numpy_to_vtkIdTypeArray(offsets.astype(np.int64), deep=True),
                numpy_to_vtkIdTypeArray(cells.ravel().astype(np.int64), deep=True),
            )
            put(array)
    return data


def actor(data, color=None, width=1.0, opacity=1.0, lit=True):
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(data)
    # Lines on a surface stand a little before it.
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(1, 1)
    mapper.SetRelativeCoincidentTopologyLineOffsetParameters(-1, -2)
    made = vtk.vtkActor()
    made.SetMapper(mapper)
    look = made.GetProperty()
    if color is not None:
        mapper.ScalarVisibilityOff()
        look.SetColor(color)
    look.SetLineWidth(width)
    look.SetOpacity(opacity)
    look.SetLighting(lit)
    look.SetAmbient(0.22)
    look.SetDiffuse(0.78)
    look.SetSpecular(0.08)
    return made


def control_actors(points, cells):
    """The outer faces of the control mesh and their edges."""
    faces = cells[:, FACES].reshape(-1, 4)
    _, first, count = np.unique(np.sort(faces), axis=0, return_index=True, return_counts=True)
    outer = faces[first[count == 1]]
    pairs = np.stack([outer, np.roll(outer, -1, axis=1)], axis=2).reshape(-1, 2)
    edges = np.unique(np.sort(pairs), axis=0)
    return [
        actor(polydata(points, outer), (0.97, 0.97, 0.98)),
        actor(polydata(points, lines=edges), (0.4, 0.4, 0.45), 1.8, lit=False),
    ]


def limit_actors(points, cells, arrays):
    grid = blocks(cells, arrays["cell"])
    classes = np.empty(len(grid), dtype=int)
    classes[arrays["cell"]] = arrays["class"]
    centers = points[grid.reshape(len(grid), -1)].mean(axis=1)
    kept = centers[:, 1] < CUT
    quads, colors, fine, rims = [], [], [], []
    for cell, number, face in open_faces(points, grid, kept):
        # Outward for VTK's normals: every other side runs the other way round.
        face = face if number in (1, 2, 5) else face.T
        parts = np.stack([face[:-1, :-1], face[:-1, 1:], face[1:, 1:], face[1:, :-1]], axis=2)
        quads.extend(parts.reshape(-1, 4))
        colors += [COLORS[classes[cell]]] * parts[..., 0].size
        fine.extend([*face[LINES:-1:LINES], *face.T[LINES:-1:LINES]])
        rims.extend([face[0], face[-1], face[:, 0], face[:, -1]])
    surface = polydata(points, quads)
    colors = numpy_to_vtk((np.array(colors) * 255).astype(np.uint8), deep=True)
    surface.GetCellData().SetScalars(colors)
    normals = vtk.vtkPolyDataNormals()
    normals.SetInputData(surface)
    normals.SplittingOn()
    normals.SetFeatureAngle(35)
    normals.ConsistencyOn()
    normals.AutoOrientNormalsOn()
    normals.Update()
    return [
        actor(normals.GetOutput()),
        actor(polydata(points, lines=fine), (0.25, 0.27, 0.32), 0.8, opacity=0.35, lit=False),
        actor(polydata(points, lines=rims), (0.2, 0.21, 0.25), 1.6, lit=False),
    ], np.unique(classes)


def text(words, x, y, size, color=(0.2, 0.2, 0.23), bold=False):
    made = vtk.vtkTextActor()
    made.SetInput(words)
    made.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    made.GetPositionCoordinate().SetValue(x, y)
    look = made.GetTextProperty()
    look.SetFontFamilyToArial()
    look.SetFontSize(size)
    look.SetColor(color)
    look.SetBold(bold)
    return made


def renderer(window, viewport, actors, points):
    """Draws the actors in a part of the window that all `points` would fill."""
    made = vtk.vtkRenderer()
    made.SetViewport(viewport)
    made.SetBackground(1, 1, 1)
    for one in actors:
        made.AddActor(one)
    window.AddRenderer(made)
    turn, lift = map(math.radians, DIRECTION)
    away = np.array([math.cos(lift) * math.cos(turn), math.cos(lift) * math.sin(turn), math.sin(lift)])
    right = np.array([-math.sin(turn), math.cos(turn), 0.0])
    axes = np.stack([right, np.cross(away, right), away])
    seen = points @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    focus, size = axes.T @ ((low + high) / 2), np.linalg.norm(high - low)
    width, height = (high - low)[:2]
    shape = (viewport[2] - viewport[0]) * SIZE[0] / SIZE[1]
    camera = made.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(focus)
    camera.SetPosition(focus + size * away)
    camera.SetViewUp(0, 0, 1)
    camera.SetParallelScale(max(height, width / shape) / 2 * 1.08)
    made.ResetCameraClippingRange()
    for direction, strength in (((0.6, 1.2, 0.4), 0.7), ((0.2, 0.0, 1.0), 0.5), (away, 0.25)):
        light = vtk.vtkLight()
        light.SetLightTypeToSceneLight()
        light.SetFocalPoint(focus)
        light.SetPosition(focus + size * np.array(direction))
        light.SetIntensity(strength)
        made.AddLight(light)
    return made


def main():
    control_path, limit_path, output = sys.argv[1:4]
    control, control_cells, _ = read(control_path)
    points, cells, arrays = read(limit_path)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(8)
    window.SetSize(SIZE)
    actors, classes = limit_actors(points, cells, arrays)
    left = renderer(window, (0, 0, 0.5, 1), control_actors(control, control_cells), control)
    right = renderer(window, (0.5, 0, 1, 1), actors, control)
    left.AddViewProp(text("control mesh", 0.05, 0.93, 24))
    right.AddViewProp(text("limit solid, cut open", 0.05, 0.93, 24))
    for row, kind in enumerate(classes):
        swatch = text("     ", 0.05, 0.855 - 0.06 * row, 20)
        swatch.GetTextProperty().SetBackgroundColor(COLORS[kind])
        swatch.GetTextProperty().SetBackgroundOpacity(1)
        right.AddViewProp(swatch)
        right.AddViewProp(text(NAMES[kind], 0.1, 0.855 - 0.06 * row, 20))
    window.Render()
    capture = vtk.vtkWindowToImageFilter()
    capture.SetInput(window)
    capture.ReadFrontBufferOff()
    writer = vtk.vtkPNGWriter()
    writer.SetCompressionLevel(9)
    writer.SetFileName(output)
    writer.SetInputConnection(capture.GetOutputPort())
    writer.Write()


if __name__ == "__main__":
    main()
