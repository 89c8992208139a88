"""Compares 3MF files with lib3mf, the reference implementation of the format.

    python -m venv .ci/venv && .ci/venv/bin/pip install lib3mf numpy
    cargo build --release
    .ci/venv/bin/python tests/io/three_mf.py target/release/subsolid target/three_mf

Components, transforms and units that lib3mf writes are read by subsolid; what subsolid writes is read
by lib3mf without a warning: meshes are manifold and oriented and have the volume that subsolid
states, slices the areas of the drawings, and images the attributes that `locate` finds. Stops at the
first difference.
"""

import csv
import io
import json
import pathlib
import shutil
import subprocess
import sys

import lib3mf
import numpy as np
import vtk
from PIL import Image
from vtk.util.numpy_support import vtk_to_numpy

PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/subsolid").absolute()
DIRECTORY = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "target/three_mf")
MODELS = pathlib.Path("models").absolute()
WRAPPER = lib3mf.get_wrapper()
TETRAHEDRON = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 4]], float)


def run(*words):
    """Runs subsolid in the scratch directory; returns what it says."""
    command = [PROGRAM, *map(str, words)]
    done = subprocess.run(command, cwd=DIRECTORY, capture_output=True, encoding="utf8", check=False)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout + done.stderr


def read(name, known=()):
    """The model that lib3mf reads, which must find nothing wrong but warnings that are known."""
    model = WRAPPER.CreateModel()
    reader = model.QueryReader("3mf")
    reader.SetStrictModeActive(not known)
    reader.ReadFromFile(str(DIRECTORY / name))
    warnings = [reader.GetWarning(k) for k in range(reader.GetWarningCount())]
    assert {text for _, text in warnings} <= set(known), f"{name}: {warnings}"
    return model


def each(iterator, current):
    """The resources of an iterator of lib3mf."""
    while iterator.MoveNext():
        yield getattr(iterator, current)()


def arrays(mesh):
    """Points and triangles of a mesh of lib3mf."""
    points = [list(vertex.Coordinates) for vertex in mesh.GetVertices()]
    return np.array(points), np.array([list(t.Indices) for t in mesh.GetTriangleIndices()])


def volume(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def transform(matrix, origin):
    made = lib3mf.Transform()
    for axis in range(3):
        for row in range(3):
            made.Fields[row][axis] = matrix[row][axis]
        made.Fields[3][axis] = origin[axis]
    return made


def add_tetrahedron(model):
    mesh = model.AddMeshObject()
    for point in TETRAHEDRON:
        position = lib3mf.Position()
        for axis in range(3):
            position.Coordinates[axis] = point[axis]
        mesh.AddVertex(position)
    for corners in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)):
        triangle = lib3mf.Triangle()
        for k in range(3):
            triangle.Indices[k] = corners[k]
        mesh.AddTriangle(triangle)
    return mesh


def check_reading():
    """A mesh, and a component of a component, in inches."""
    turn = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]], float)
    mirror = np.diag([1.0, 1.0, -1.0])
    model = WRAPPER.CreateModel()
    model.SetUnit(lib3mf.ModelUnit.Inch)
    mesh = add_tetrahedron(model)
    inner = model.AddComponentsObject()
    inner.AddComponent(mesh, transform(turn, [10, 0, 0]))
    outer = model.AddComponentsObject()
    outer.AddComponent(inner, transform(2 * mirror, [0, 0, -5]))
    model.AddBuildItem(mesh, WRAPPER.GetIdentityTransform())
    model.AddBuildItem(outer, transform(turn, [0, 0, 20]))
    model.QueryWriter("3mf").WriteToFile(str(DIRECTORY / "placed.3mf"))
    moved = ((TETRAHEDRON @ turn + [10, 0, 0]) @ (2 * mirror) + [0, 0, -5]) @ turn + [0, 0, 20]
    expected = 25.4 * np.concatenate([TETRAHEDRON, moved])
    said = run("surface", "placed.3mf", "--levels", 0, "-o", "placed_again.3mf")
    assert "inch" in said, said
    points, triangles = arrays(next(each(read("placed_again.3mf").GetMeshObjects(), "GetCurrentMeshObject")))
    assert np.abs(points - expected).max() < 1e-4, points - expected
    # mirrored triangles face outward, too: 4 and 8 times 4
    assert abs(volume(points, triangles) / (36 * 25.4**3) - 1) < 1e-6


def check_meshes():
    """The limit of a solid's boundary, and its volume."""
    run("boundary", MODELS / "bracket.vtk", "--crease-angle", 40, "-o", "bracket.obj")
    for unit, name in (("mm", "MilliMeter"), ("in", "Inch")):
        run("surface", "bracket.obj", "--limit", "--levels", 2, "--unit", unit, "-o", "limit.3mf")
        model = read("limit.3mf")
        assert model.GetUnit() == getattr(lib3mf.ModelUnit, name)
        (mesh,) = each(model.GetMeshObjects(), "GetCurrentMeshObject")
        assert mesh.IsManifoldAndOriented() and mesh.IsValid()
        assert mesh.GetType() == lib3mf.ObjectType.Model
    run("surface", "bracket.obj", "--limit", "--levels", 2, "-o", "limit.ply")
    reader = vtk.vtkPLYReader()
    reader.SetFileName(str(DIRECTORY / "limit.ply"))
    reader.Update()
    expected = vtk_to_numpy(reader.GetOutput().GetPoints().GetData())
    points, triangles = arrays(mesh)
    assert np.abs(points - expected).max() < 1e-5 * np.abs(expected).max()
    properties = vtk.vtkMassProperties()
    cut = vtk.vtkTriangleFilter()
    cut.SetInputConnection(reader.GetOutputPort())
    properties.SetInputConnection(cut.GetOutputPort())
    assert abs(volume(points, triangles) / properties.GetVolume() - 1) < 1e-3


def check_slices():
    """Areas of slices against those that the manifest of drawings states."""
    run("slice", MODELS / "bracket.vtk", "--layer-height", 0.5, "--svg", "drawings",
        "--slice-stack", "slices.3mf", "--unit", "cm")
    manifest = json.loads((DIRECTORY / "drawings/manifest.json").read_text())
    model = read("slices.3mf")
    (stack,) = each(model.GetSliceStacks(), "GetCurrentSliceStack")
    (mesh,) = each(model.GetMeshObjects(), "GetCurrentMeshObject")
    assert mesh.HasSlices(False) and mesh.IsManifoldAndOriented()
    layers = manifest["layers"]
    assert stack.GetSliceCount() == len(layers)
    height, low = manifest["parameters"]["layer_height"], manifest["parameters"]["low"]
    assert abs(stack.GetBottomZ() - 10 * low) < 1e-9
    for k, layer in enumerate(layers):
        slice_ = stack.GetSlice(k)
        assert abs(slice_.GetZTop() - 10 * (low + height * (k + 1))) < 1e-9
        vertices = np.array([list(v.Coordinates) for v in slice_.GetVertices()])
        assert slice_.GetPolygonCount() == layer["files"][0]["contours"]
        area = 0
        for p in range(slice_.GetPolygonCount()):
            indices = slice_.GetPolygonIndices(p)
            assert indices[0] == indices[-1], "an open polygon"
            x, y = vertices[indices].T
            area += (x[:-1] * y[1:] - x[1:] * y[:-1]).sum() / 2
        expected = 100 * layer["files"][0]["area"]
        assert abs(area - expected) <= 1e-4 * expected, (k, area, expected)


def pixels(sheet):
    """Levels of an image, the lowest row first, which is row 0 of v."""
    return np.array(Image.open(io.BytesIO(bytes(sheet))))[::-1]


def function_of(model, function):
    """Voxels [w][v][u] of a function from an image, between 0 and 1, and its offset and scale."""
    stack = model.GetImageStackByID(function.GetImage3D().GetResourceID())
    sheets = [pixels(stack.GetSheet(k).WriteToBuffer()) for k in range(stack.GetSheetCount())]
    assert function.GetFilter() == lib3mf.TextureFilter.Linear
    voxels = np.array(sheets)
    return voxels / np.iinfo(voxels.dtype).max, function.GetOffset(), function.GetScale()


def sampled(field, uvw):
    """Linear samples of a clamped function at points, as the specification says."""
    voxels, offset, scale = field
    counts = np.array(voxels.shape[::-1])
    place = np.clip(uvw * counts - 0.5, 0, counts - 1)
    low = np.minimum(place.astype(int), np.maximum(counts - 2, 0))
    part = place - low
    found = np.zeros(len(uvw))
    for corner in np.ndindex(2, 2, 2):
        weight = np.where(corner, part, 1 - part).prod(axis=1)
        u, v, w = np.minimum(low + corner, counts - 1).T
        found += weight * voxels[w, v, u]
    return offset + scale * found


def matrix(transform_):
    fields = np.array([list(row) for row in transform_.Fields])
    return fields[:3], fields[3]


def check_images():
    """Attributes and density of images against what `locate` finds at 1,000 points."""
    model_file = MODELS / "graded_bracket.vtu"
    run("slice", model_file, "--layer-height", 0.2, "--pixel", 0.2, "--antialias", 4,
        "--attribute", "hardness", "--image-stack", "graded.3mf", "--png", "images")
    manifest = json.loads((DIRECTORY / "images/manifest.json").read_text())
    # lib3mf 2.5 says so of images and functions that it writes itself
    model = read("graded.3mf", ["Invalid Element in namespace."])
    (level_set,) = each(model.GetLevelSets(), "GetCurrentLevelSet")
    data = level_set.GetVolumeData()
    assert data.GetPropertyCount() == 1
    hardness = data.GetProperty(0)
    functions = {f.GetResourceID(): f for f in each(model.GetFunctions(), "GetCurrentFunction")}
    own = functions[hardness.GetFunctionResourceID()]
    field, (linear, origin) = function_of(model, own), matrix(hardness.GetTransform())
    density = function_of(model, functions[level_set.GetFunction().GetResourceID()])
    inside = matrix(level_set.GetTransform())

    grid = manifest["parameters"]["files"]
    low = np.array([*grid["origin"], manifest["parameters"]["low"]])
    high = low + 0.2 * np.array([*grid["resolution"], len(manifest["layers"])])
    random = np.random.default_rng(7)
    # 1,000 middles of voxels that are covered as a whole, then any points
    whole = np.argwhere(density[0] == 1)[:, ::-1]
    middles = low + 0.2 * (random.choice(whole, 1000, replace=False) + 0.5)
    points = np.concatenate([middles, random.uniform(low, high, (5000, 3))])
    with open(DIRECTORY / "points.csv", "w", newline="", encoding="utf8") as file:
        csv.writer(file).writerows([["x", "y", "z"], *points.tolist()])
    run("locate", model_file, "--points", "points.csv", "-o", "places.csv")
    with open(DIRECTORY / "places.csv", encoding="utf8") as file:
        rows = list(csv.DictReader(file))
    is_inside = np.array([row["status"] == "inside" for row in rows])
    assert is_inside[:1000].all()
    expected = np.array([float(row["hardness"]) for row in rows])
    error = np.abs(sampled(field, points @ linear + origin) - expected)
    black, white = grid["stacks"][1]["range"]
    error /= white - black
    print(f"hardness: {error[:1000].max():.1e} of the range at 1,000 voxels")
    assert error[:1000].max() < 0.51 / 65535 + 1e-8
    error = error[1000:][is_inside[1000:]]
    print(f"  at {len(error)} points median {np.median(error):.1e}, largest {error.max():.1e}")
    assert len(error) > 1000 and np.median(error) < 2e-4 and error.max() < 5e-2
    # the level set is negative inside; points within a pixel of the surface may be on the other side
    level = sampled(density, points @ inside[0] + inside[1])
    distance = np.array([float(row["distance"] or 0) for row in rows])
    is_wrong = (level < 0) != is_inside
    print(f"level set: {is_wrong.sum()} of {len(points)} points on the wrong side")
    assert is_wrong.mean() < 0.02 and not (is_wrong & ~is_inside & (distance > 0.2)).any()


if __name__ == "__main__":
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    DIRECTORY.mkdir(parents=True)
    for check in (check_reading, check_meshes, check_slices, check_images):
        check()
        print(f"{check.__name__}: equal")
