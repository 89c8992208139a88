"""Limits of Catmull-Clark solids and subdivision surfaces in Blender.

Open this file in Blender's text editor and run it: File > Import > Subdivision limit (subsolid) reads
`.vtk`, `.vtu`, `.msh`, `.obj`, `.ply` and so on. Of a solid it is the boundary. Attributes of vertices
become attributes of the mesh, for Geometry Nodes and materials. The program `subsolid` evaluates the
limit; give its place in the environment variable SUBSOLID if it is not in PATH. Without a window:

    blender --background --python blender_import.py -- models/graded_bracket.vtu
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def run(*arguments):
    """Runs the program; returns its error message, if any."""
    program = os.environ.get("SUBSOLID", "subsolid")
    done = subprocess.run([program, "--quiet", *arguments], capture_output=True, encoding="utf-8")
    return done.stderr.strip() if done.returncode != 0 else None


def read_limit(path, levels=2, crease_angle=0.0):
    """The limit of a control mesh at the vertices of a level: points (n, 3), quads (m, 4), and arrays
    of the vertices by name, (n,)."""
    with tempfile.TemporaryDirectory() as folder:
        skin, limit = (str(pathlib.Path(folder) / name) for name in ("skin.vtp", "limit.ply"))
        creases = ["--crease-angle", str(crease_angle)] if crease_angle > 0 else []
        error = run("boundary", path, *creases, "-o", skin)
        model = path if error and ": a surface" in error else skin
        if model == path or not error:
            error = run("surface", model, "--levels", str(levels), "--limit", "-o", limit)
        if error:
            raise RuntimeError(error)
        content = pathlib.Path(limit).read_bytes()
    header, body = content.split(b"end_header\n", 1)
    # all properties of vertices are doubles, all faces quads from level 1 on
    words = [line.split() for line in header.decode().splitlines()]
    vertices, faces = (int(w[2]) for w in words if w[0] == "element")
    names = [w[2] for w in words if w[:2] == ["property", "double"]]
    table = np.frombuffer(body, "<f8", vertices * len(names)).reshape(vertices, len(names))
    quads = np.frombuffer(body, [("count", "u1"), ("ids", "<u4", 4)], faces, table.nbytes)["ids"]
    return table[:, :3], quads, dict(zip(names[3:], table.T[3:]))


def add_mesh(path, levels=2, crease_angle=0.0):
    """Adds the limit to the scene; returns the object."""
    import bpy

    points, quads, arrays = read_limit(path, levels, crease_angle)
    mesh = bpy.data.meshes.new(pathlib.Path(path).stem)
    mesh.from_pydata(points.tolist(), [], quads.tolist())
    for name, values in arrays.items():
        layer = mesh.attributes.new(name, "FLOAT", "POINT")
        layer.data.foreach_set("value", np.ascontiguousarray(values, np.float32))
    mesh.shade_smooth()
    item = bpy.data.objects.new(mesh.name, mesh)
    bpy.context.collection.objects.link(item)
    return item


def register():
    import bpy
    from bpy_extras.io_utils import ImportHelper

    class ImportLimit(bpy.types.Operator, ImportHelper):
        bl_idname = "import_mesh.subsolid"
        bl_label = "Import subdivision limit"
        bl_options = {"UNDO"}
        levels: bpy.props.IntProperty(name="Levels", default=2, min=1, max=6)
        crease_angle: bpy.props.FloatProperty(name="Crease angle of solids", default=0, min=0, max=180)

        def execute(self, context):
            try:
                add_mesh(self.filepath, self.levels, self.crease_angle)
            except (OSError, RuntimeError) as error:
                self.report({"ERROR"}, str(error))
                return {"CANCELLED"}
            return {"FINISHED"}

    bpy.utils.register_class(ImportLimit)
    label = "Subdivision limit (subsolid)"
    bpy.types.TOPBAR_MT_file_import.append(
        lambda menu, _: menu.layout.operator(ImportLimit.bl_idname, text=label)
    )


if __name__ == "__main__":
    register()
    for path in sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []:
        add_mesh(path)
