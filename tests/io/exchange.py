"""Reads with subsolid what meshio and Gmsh wrote, and compares points and cells.

    python -m venv .ci/venv && .ci/venv/bin/pip install meshio gmsh netCDF4 numpy
    cargo build --release
    .ci/venv/bin/python tests/io/exchange.py target/release/subsolid target/exchange

Every file is read by `subsolid refine --levels 0`, and the legacy .vtk file that it
writes is read by meshio. Cells are compared by the coordinates of their corners, points
and point arrays too; physical groups of Gmsh by where the cells lie. Of formats that subsolid
refuses, the command of its advice is run. Names every file that differs, then exits with code 1.
"""

import json
import logging
import os
import pathlib
import subprocess
import sys
from types import SimpleNamespace

import gmsh
import meshio
import numpy as np

logging.getLogger().setLevel(logging.ERROR)
PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/subsolid").absolute()
DIRECTORY = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "target/exchange")
TOLERANCE = 1e-12

# meshio's names: the linear cell and the number of its corners.
LINEAR = {
    "hexahedron": ("hexahedron", 8),
    "hexahedron20": ("hexahedron", 8),
    "hexahedron27": ("hexahedron", 8),
    "wedge": ("wedge", 6),
    "wedge15": ("wedge", 6),
    "wedge18": ("wedge", 6),
    "tetra": ("tetra", 4),
    "tetra10": ("tetra", 4),
}


def heat(points):
    """A point array whose values say where they belong."""
    return points @ np.array([1.0, 2.0, 3.0])


def read_by_subsolid(path):
    """The mesh that subsolid makes of a file, and what it says on the way."""
    output = path.with_name(path.name + ".read.vtk")
    command = [PROGRAM, "refine", path, "--levels", "0", "-o", output]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr}"
    notices = [line for line in done.stderr.splitlines() if "left out" in line]
    assert len(notices) <= 1, f"more than one notice: {notices}"
    return meshio.read(output), done.stderr


def corner_sets(kind, corners):
    """Of a cell with corner coordinates, what does not depend on where its list starts."""
    rows = [tuple(row) for row in np.round(corners, 9) + 0.0]
    if kind == "wedge":
        # Formats list the triangles clockwise or counter-clockwise.
        return sorted(tuple(pair) for pair in zip(rows[:3], rows[3:]))
    return rows


def cells_of(mesh):
    """All volume cells by kind, in order, as corner coordinates."""
    cells = {}
    for block in mesh.cells:
        if block.type in LINEAR:
            kind, corners = LINEAR[block.type]
            for cell in block.data[:, :corners]:
                cells.setdefault(kind, []).append(corner_sets(kind, mesh.points[cell]))
    return cells


def corner_points(mesh):
    """Indices of the points that are corners, ascending."""
    used = [
        block.data[:, : LINEAR[block.type][1]].ravel()
        for block in mesh.cells
        if block.type in LINEAR
    ]
    return np.unique(np.concatenate(used))


def compare(path, expected, ordered=True):
    """Compares what subsolid reads with the mesh that was written."""
    found, said = read_by_subsolid(path)
    corners = corner_points(expected)
    is_high_order = any(block.type in LINEAR and LINEAR[block.type][0] != block.type
                        for block in expected.cells)
    assert is_high_order == ("read by their corners" in said), said
    wanted = expected.points[corners]
    assert len(found.points) == len(wanted), f"{len(found.points)} points, not {len(wanted)}"
    if ordered:
        worst = np.abs(found.points - wanted).max()
        assert worst < TOLERANCE, f"points differ by {worst}"
    assert cells_of(found) == cells_of(expected), "cells differ"
    assert ("heat" in found.point_data) == ("heat" in expected.point_data and path.suffix in
                                            (".msh", ".vtk", ".vtu", ".inp", ".exo")
                                            and "_abaqus" not in path.name), "point arrays differ"
    if "heat" in found.point_data:
        worst = np.abs(np.ravel(found.point_data["heat"]) - heat(found.points)).max()
        assert worst < 1e-9, f"values at the points differ by {worst}"
    return found


def to_netcdf_3(path):
    """Converts an Exodus file of meshio, which is in HDF5, by the command of the error's help (netcdf-bin)."""
    hdf = path.with_suffix(".hdf.exo")
    path.rename(hdf)
    refused = subprocess.run([PROGRAM, "info", hdf], capture_output=True, text=True, check=False)
    command = " ".join(refused.stderr.split()).split("`")[1].split()
    assert command[-2:] == [hdf.name, "out.exo"], refused.stderr
    subprocess.run([*command[:-2], hdf, path], check=True)


# --- meshes of our own making, written by meshio ---


def bent(points):
    """Moves points so that no two coordinates of different axes agree."""
    x, y, z = np.asarray(points, dtype=float).T
    return np.stack([x + y * z / 16, y - x * z / 32 + 5, z + x * y / 8 - 7], axis=1)


def box_points():
    """Points of 2 × 2 × 2 cells at half steps: x fastest, 5 per axis."""
    z, y, x = np.meshgrid(*[np.arange(5) / 2] * 3, indexing="ij")
    return np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)


def node(corner, offset):
    i, j, k = (2 * corner + offset).astype(int)
    return i + 5 * (j + 5 * k)


HEXAHEDRON = np.array(
    [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [0, 0, 2], [2, 0, 2], [2, 2, 2], [0, 2, 2]]
)
WEDGE = HEXAHEDRON[[0, 1, 3, 4, 5, 7]]
TETRAHEDRON = HEXAHEDRON[[0, 1, 3, 4]]


def edges(corners, pairs):
    return np.array([(corners[a] + corners[b]) // 2 for a, b in pairs])


HEXAHEDRON20 = np.concatenate([HEXAHEDRON, edges(HEXAHEDRON, [
    (0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)
])])
HEXAHEDRON27 = np.concatenate([HEXAHEDRON20, [
    [0, 1, 1], [2, 1, 1], [1, 0, 1], [1, 2, 1], [1, 1, 0], [1, 1, 2], [1, 1, 1]
]])
TETRAHEDRON10 = np.concatenate([TETRAHEDRON, edges(TETRAHEDRON, [
    (0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)
])])

SHAPES = {
    "hexahedron": HEXAHEDRON,
    "wedge": WEDGE,
    "tetra": TETRAHEDRON,
    "hexahedron20": HEXAHEDRON20,
    "hexahedron27": HEXAHEDRON27,
    "tetra10": TETRAHEDRON10,
}


def own_mesh(kind):
    """The cells of one kind in the 2 × 2 × 2 boxes, over the points that they use."""
    boxes = [np.array([i, j, k]) for k in range(2) for j in range(2) for i in range(2)]
    if kind.startswith("tetra"):
        boxes = boxes[:1]  # corner tetrahedra of several boxes touch at edges only
    cells = np.array([[node(box, offset) for offset in SHAPES[kind]] for box in boxes])
    used, cells = np.unique(cells, return_inverse=True)
    points = bent(box_points()[used])
    return meshio.Mesh(points, [(kind, cells.reshape(len(boxes), -1))],
                       point_data={"heat": heat(points)})


MESHIO_FORMATS = [
    ("gmsh41.msh", "gmsh", {"binary": False}),
    ("gmsh41_binary.msh", "gmsh", {"binary": True}),
    ("gmsh22.msh", "gmsh22", {"binary": False}),
    ("gmsh22_binary.msh", "gmsh22", {"binary": True}),
    ("abaqus.inp", "abaqus", {}),
    ("medit.mesh", "medit", {}),
    ("legacy42.vtk", "vtk42", {"binary": True}),
    ("legacy51.vtk", "vtk51", {"binary": True}),
    ("ascii.vtu", "vtu", {"binary": False}),
    ("binary.vtu", "vtu", {"binary": True, "compression": None}),
    ("zlib.vtu", "vtu", {"binary": True, "compression": "zlib"}),
    ("avs.inp", "avsucd", {}),
    ("exodus.exo", "exodus", {}),
]

# Formats by which meshio writes linear cells only, and cells that it cannot write.
LINEAR_ONLY = {"medit", "avsucd"}
NOT_WRITTEN = {("abaqus", "hexahedron27")}


def written_by_meshio():
    for kind in SHAPES:
        mesh = own_mesh(kind)
        for name, file_format, options in MESHIO_FORMATS:
            is_linear = LINEAR[kind][0] == kind
            if (file_format, kind) in NOT_WRITTEN or file_format in LINEAR_ONLY and not is_linear:
                continue
            path = DIRECTORY / f"meshio_{kind}_{name}"
            written = mesh
            if file_format.startswith("gmsh") and not options["binary"]:
                # meshio 5.3 with numpy 2 writes views as `np.float64(1.0)` into text.
                written = meshio.Mesh(mesh.points, mesh.cells)
            meshio.write(path, written, file_format=file_format, **options)
            if file_format == "exodus":
                to_netcdf_3(path)
            yield path, written, True


# --- meshes that Gmsh made and wrote ---

GMSH_TYPES = {
    4: "tetra", 5: "hexahedron", 6: "wedge", 11: "tetra10", 12: "hexahedron27", 13: "wedge18",
    17: "hexahedron20", 18: "wedge15",
}


def gmsh_box(kind, order, incomplete):
    gmsh.clear()
    gmsh.model.add("box")
    face = gmsh.model.occ.addRectangle(0, 0, 0, 2, 1.5)
    layers = {"hexahedron": [2], "wedge": [2], "tetra": []}[kind]
    gmsh.model.occ.extrude([(2, face)], 0, 0, 1, numElements=layers, recombine=bool(layers))
    gmsh.model.occ.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMin", 0.7)
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.7)
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", incomplete)
    if kind == "hexahedron":
        gmsh.model.mesh.setRecombine(2, face)
    gmsh.model.addPhysicalGroup(3, [1], name="body")
    gmsh.option.setNumber("Mesh.SaveAll", 1)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(order)


def gmsh_mesh():
    """The mesh that Gmsh holds."""
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    points = coordinates.reshape(-1, 3)
    index = np.zeros(int(tags.max()) + 1, dtype=int)
    index[tags] = np.arange(len(tags))
    cells = []
    for kind, _, nodes in zip(*gmsh.model.mesh.getElements(3)):
        name = GMSH_TYPES[kind]
        size = gmsh.model.mesh.getElementProperties(kind)[3]
        cells.append((name, index[nodes].reshape(-1, size)))
    # meshio's own class does not know all of these kinds.
    blocks = [SimpleNamespace(type=name, data=data) for name, data in cells]
    mesh = SimpleNamespace(points=points, cells=blocks, point_data={})
    view = gmsh.view.add("heat")
    gmsh.view.addHomogeneousModelData(view, 0, "box", "NodeData", tags, heat(points))
    return mesh, view


def written_by_gmsh():
    gmsh.initialize(interruptible=False)
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.option.setNumber("PostProcessing.SaveMesh", 1)
    for kind, order, incomplete in [
        ("hexahedron", 1, 0), ("hexahedron", 2, 0), ("hexahedron", 2, 1), ("wedge", 1, 0),
        ("wedge", 2, 0), ("wedge", 2, 1), ("tetra", 1, 0), ("tetra", 2, 0),
    ]:
        gmsh_box(kind, order, incomplete)
        mesh, view = gmsh_mesh()
        with_heat = SimpleNamespace(**{**vars(mesh), "point_data": {"heat": heat(mesh.points)}})
        stem = f"gmsh_{kind}_order{order}{'_incomplete' if incomplete else ''}"
        for version in (2.2, 4.1):
            for binary in (0, 1):
                gmsh.option.setNumber("Mesh.MshFileVersion", version)
                gmsh.option.setNumber("Mesh.Binary", binary)
                path = DIRECTORY / f"{stem}_{version}_{'binary' if binary else 'ascii'}.msh"
                gmsh.view.write(view, str(path))
                yield path, with_heat, False
        gmsh.option.setNumber("Mesh.Binary", 0)
        for version in (4.0, 1.0):
            gmsh.option.setNumber("Mesh.MshFileVersion", version)
            path = DIRECTORY / f"{stem}_{version}_ascii.msh"
            gmsh.write(str(path))
            yield path, mesh, False
        if order == 1 or incomplete or kind == "tetra":
            # others have no elements there
            path = DIRECTORY / f"{stem}.unv"
            gmsh.write(str(path))
            yield path, mesh, False
        endings = [".inp", ".mesh", ".vtk"] if order == 1 else [".inp"]
        if kind == "wedge":
            # Gmsh writes no wedges to .mesh, and wedges of 18 nodes as C3D6.
            endings = {(1, 0): [".inp", ".vtk"], (2, 0): [], (2, 1): [".inp"]}[order, incomplete]
        for ending in endings:
            path = DIRECTORY / (stem + ending)
            gmsh.write(str(path))
            yield path, mesh, False
    gmsh.finalize()


# Physical groups of the two volumes of `gmsh_materials`, below and above x = 1.
MATERIALS = (11, 4)
# Surfaces of the boxes by their x.
SURFACES = {"fixed": 0.0, "between": 1.0, "loaded end": 2.0}


def gmsh_materials(version, binary):
    """Path of a model of two boxes side by side, which Gmsh meshed: named materials and surfaces."""
    gmsh.initialize(interruptible=False)
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.model.add("materials")
    boxes = [(3, gmsh.model.occ.addBox(x, 0, 0, 1, 1, 1)) for x in (0, 1)]
    gmsh.model.occ.fragment(boxes[:1], boxes[1:])
    gmsh.model.occ.synchronize()
    for _, volume in gmsh.model.getEntities(3):
        is_above = gmsh.model.occ.getCenterOfMass(3, volume)[0] > 1
        name = ["steel", "resin"][is_above]
        gmsh.model.addPhysicalGroup(3, [volume], MATERIALS[is_above], name)
    for _, surface in gmsh.model.getEntities(2):
        x = gmsh.model.occ.getCenterOfMass(2, surface)[0]
        for tag, (name, place) in enumerate(SURFACES.items(), 1):
            if abs(x - place) < 1e-9:
                gmsh.model.addPhysicalGroup(2, [surface], tag, name)
    gmsh.option.setNumber("Mesh.MeshSizeMin", 0.5)
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.5)
    gmsh.model.mesh.generate(3)
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.option.setNumber("Mesh.Binary", binary)
    path = DIRECTORY / f"materials_{version}_{'binary' if binary else 'ascii'}.msh"
    gmsh.write(str(path))
    gmsh.finalize()
    return path


def compare_materials(path):
    """Compares the groups of cells and faces and of their refinement with where they lie."""
    with_faces = []
    for levels in ("0", "1"):
        output = path.with_suffix(f".{levels}.vtu")
        command = [PROGRAM, "refine", path, "--levels", levels, "-o", output]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        mesh = meshio.read(output)
        seen, faces = [], dict.fromkeys(SURFACES, 0)
        arrays = [mesh.cell_data[name] for name in ("gmsh:physical", "group:steel", "group:resin")]
        for i, block in enumerate(mesh.cells):
            x = mesh.points[block.data].mean(axis=1)[:, 0]
            groups, steel, resin = (array[i].ravel() for array in arrays)
            if block.dim == 2:
                for name, place in SURFACES.items():
                    members = mesh.cell_data[f"group:{name}"][i].ravel() != 0
                    # refinement moves the ends
                    assert (abs(x[members] - place) < 0.3 * int(levels) + 1e-12).all(), name
                    faces[name] += members.sum()
                continue
            assert groups.dtype.kind == "i", f"groups of type {groups.dtype}"
            assert (steel == (groups == MATERIALS[0])).all(), "cells of steel"
            assert (resin == (groups == MATERIALS[1])).all(), "cells of resin"
            # far from x = 1, where refinement moves points
            expected = np.where(x > 1, MATERIALS[1], MATERIALS[0])
            assert (groups == expected)[abs(x - 1) > 0.1].all(), "groups of other cells"
            seen.extend(groups)
        assert sorted(set(seen)) == sorted(MATERIALS), f"groups {set(seen)}"
        with_faces.append(faces)
    # a triangle becomes three quads
    coarse, fine = with_faces
    assert all(coarse[name] > 0 and fine[name] == 3 * coarse[name] for name in SURFACES), with_faces


# --- formats of other programs, and those that are not read: the command of the error's help is run ---

# Endings of the files, as Gmsh or meshio write them, and the names that groups have:
# of the cells of x < 1, of the others, and of the faces at x = 0.
READ = {
    "unv": ("steel", "resin", "fixed"),
    "40.msh": ("steel", "resin", "fixed"),
    "1.msh": ("gmsh:physical=11", "gmsh:physical=4", "gmsh:physical:1"),
    "avs": ("avs:material=1", "avs:material=2", "avs:material:3"),
    "exo": ("exodus:block=0", "exodus:block=1", "fixed"),
}
# The same after conversion. SU2 has no materials.
CONVERTED = {
    "med": ("steel", "resin", "fixed"),
    "cgns": ("steel", "resin", "fixed"),
    "neu": ("steel", "resin", "fixed"),
    "parametric.msh": ("steel", "resin", "fixed"),
    "bdf": ("medit:ref=1", "medit:ref=2", "medit:ref:1"),
    "p3d": ("medit:ref=1", "medit:ref=2", "medit:ref:1"),
    "su2": (None, None, "su2:tag:1"),
    "meshb": ("medit:ref=1", "medit:ref=2", "medit:ref:3"),
}
# Gmsh's options for versions of its own format.
GMSH_OPTIONS = {
    "40.msh": {"Mesh.MshFileVersion": 4.0},
    "parametric.msh": {"Mesh.MshFileVersion": 2.2, "Mesh.SaveParametric": 1},
    "1.msh": {"Mesh.MshFileVersion": 1.0},
}
MESHIO_KEYS = {"avs": ("avsucd", "avsucd:material"), "meshb": ("medit", "medit:ref")}


def file_of(name):
    return f"convert_{name}" if "." in name else f"convert.{name}"


def write_for_conversion():
    """Two boxes of 8 hexahedra each, in every format of `READ` and `CONVERTED`."""
    gmsh.initialize(interruptible=False)
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.model.add("conversion")
    occ, mesh = gmsh.model.occ, gmsh.model.mesh
    boxes = [(3, occ.addBox(x, 0, 0, 1, 1, 1)) for x in (0, 1)]
    occ.fragment(boxes[:1], boxes[1:])
    occ.synchronize()
    for _, curve in gmsh.model.getEntities(1):
        mesh.setTransfiniteCurve(curve, 3)
    for _, surface in gmsh.model.getEntities(2):
        mesh.setTransfiniteSurface(surface)
        mesh.setRecombine(2, surface)
        if occ.getCenterOfMass(2, surface)[0] < 1e-9:
            gmsh.model.addPhysicalGroup(2, [surface], 1, "fixed")
    for _, volume in gmsh.model.getEntities(3):
        mesh.setTransfiniteVolume(volume)
        is_above = occ.getCenterOfMass(3, volume)[0] > 1
        gmsh.model.addPhysicalGroup(3, [volume], MATERIALS[is_above], ["steel", "resin"][is_above])
    mesh.generate(3)
    for name in (CONVERTED | READ).keys() - MESHIO_KEYS.keys() - {"exo"}:
        for option, value in {"Mesh.SaveParametric": 0, **GMSH_OPTIONS.get(name, {})}.items():
            gmsh.option.setNumber(option, value)
        gmsh.write(str(DIRECTORY / file_of(name)))
    gmsh.finalize()
    points = box_points()
    boxes = [np.array([i, j, k]) for i in range(2) for k in range(2) for j in range(2)]
    cells = np.array([[node(box, offset) for offset in HEXAHEDRON] for box in boxes])
    faces = np.array([[node(box, offset) for offset in HEXAHEDRON[[0, 3, 7, 4]]] for box in boxes[:4]])
    used, flat = np.unique(np.concatenate([cells.ravel(), faces.ravel()]), return_inverse=True)
    flat = flat.ravel()
    blocks = [("hexahedron", flat[: cells.size].reshape(-1, 8)),
              ("quad", flat[cells.size :].reshape(-1, 4))]
    for name, (file_format, key) in MESHIO_KEYS.items():
        data = {key: [np.repeat([1, 2], 4), np.full(4, 3)]}
        meshio.write(DIRECTORY / f"convert.{name}", meshio.Mesh(points[used], blocks, cell_data=data),
                     file_format=file_format)
    cells, faces = (block[1] for block in blocks)
    parts = [("hexahedron", cells[:4]), ("hexahedron", cells[4:])]
    sets = {"fixed": np.unique(faces)}
    meshio.write(DIRECTORY / "convert.exo", meshio.Mesh(points[used], parts, point_sets=sets))
    to_netcdf_3(DIRECTORY / "convert.exo")


def check_groups(path, names, what):
    """Compares the cells and groups of a file of `write_for_conversion`."""
    info = subprocess.run([PROGRAM, "info", path, "--json"], capture_output=True, text=True, check=False)
    assert info.returncode == 0, f"{what}: {info.stderr}"
    info = json.loads(info.stdout)
    *materials, boundary = names
    for material in filter(None, materials):
        array, _, value = material.partition("=")
        groups = info["cell_data"][array]["cells"] if value else info["cell_groups"]
        assert groups[value or array] == info["cells"] // 2, f"{what}: {groups}"
    assert info["face_groups"] == {boundary: 4}, f"{what}: {info['face_groups']}"
    assert (info["cells"], info["parts"]) in ((8, 1), (16, 1)), (info["cells"], info["parts"])


def convert_as_advised(name):
    """Runs the command of the error's help, and compares the groups of what it writes."""
    refused = subprocess.run([PROGRAM, "info", file_of(name)], cwd=DIRECTORY, capture_output=True, text=True,
                             check=False)
    said = " ".join(refused.stderr.split())
    assert refused.returncode == 2, said
    command = said.split("`pip install ")[1].split("`")[0].split("; ", 1)[1]
    output = DIRECTORY / command.split()[-1]
    output.unlink(missing_ok=True)
    tools = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, cwd=DIRECTORY, capture_output=True, text=True,
                          env=tools, check=False, timeout=120)
    assert output.exists(), f"{command}: {done.stdout} {done.stderr}"
    check_groups(output, CONVERTED[name], command)


def swapped(path):
    """A binary Gmsh 2.2 file with linear hexahedra in the other order of bytes."""
    mesh = own_mesh("hexahedron")
    mesh.point_data = {}
    nodes = b"".join(
        np.array([i + 1], ">i4").tobytes() + point.astype(">f8").tobytes()
        for i, point in enumerate(mesh.points)
    )
    cells = mesh.cells[0].data
    rows = np.concatenate([np.arange(1, len(cells) + 1)[:, None], cells + 1], axis=1)
    header = np.array([5, len(cells), 0], ">i4").tobytes()
    path.write_bytes(
        b"$MeshFormat\n2.2 1 8\n" + np.array([1], ">i4").tobytes() + b"\n$EndMeshFormat\n"
        + b"$Nodes\n%d\n" % len(mesh.points) + nodes + b"\n$EndNodes\n"
        + b"$Elements\n%d\n" % len(cells) + header + rows.astype(">i4").tobytes()
        + b"\n$EndElements\n"
    )
    return path, mesh


def files():
    """Path, mesh, and whether the points of the file are in the mesh's order."""
    yield from written_by_meshio()
    yield from written_by_gmsh()
    yield *swapped(DIRECTORY / "big_endian.msh"), True


def main():
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    print(f"meshio {meshio.__version__}, Gmsh {gmsh.__version__}")
    count, failed = 0, 0
    for path, mesh, ordered in files():
        try:
            compare(path, mesh, ordered)
        except AssertionError as error:
            print(f"{path.name}: {error}")
            failed += 1
        count += 1
    for version in (2.2, 4.1):
        for binary in (0, 1):
            path = gmsh_materials(version, binary)
            try:
                compare_materials(path)
            except AssertionError as error:
                print(f"{path.name}: {error}")
                failed += 1
            count += 1
    write_for_conversion()
    for name, groups in READ.items():
        try:
            check_groups(DIRECTORY / file_of(name), groups, name)
        except AssertionError as error:
            print(f"groups of {name}: {error}")
            failed += 1
        count += 1
    for name in CONVERTED:
        try:
            convert_as_advised(name)
        except AssertionError as error:
            print(f"conversion of {name}: {error}")
            failed += 1
        count += 1
    if failed:
        sys.exit(f"{failed} of {count} files differ")
    print(f"{count} files read as they were written")


if __name__ == "__main__":
    main()
