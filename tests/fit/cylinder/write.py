"""Writes cylinder_27.msh, cylinder_20.msh and cylinder_20.inp: a cylinder of radius 1 and height 2 of
quadratic hexahedra, with Gmsh.

    python tests/fit/cylinder/write.py FOLDER
"""

import sys
from pathlib import Path

import gmsh

gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
geo = gmsh.model.geo
center = geo.addPoint(0, 0, 0)
inner = [geo.addPoint(0.5 * x, 0.5 * y, 0) for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1))]
outer = [geo.addPoint(x, y, 0) for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1))]
square = [geo.addLine(inner[i], inner[(i + 1) % 4]) for i in range(4)]
arcs = [geo.addCircleArc(outer[i], center, outer[(i + 1) % 4]) for i in range(4)]
spokes = [geo.addLine(inner[i], outer[i]) for i in range(4)]
loops = [square]
loops += [[spokes[i], arcs[i], -spokes[(i + 1) % 4], -square[i]] for i in range(4)]
faces = [geo.addPlaneSurface([geo.addCurveLoop(loop)]) for loop in loops]
for curve in square + arcs + spokes:
    geo.mesh.setTransfiniteCurve(curve, 3)
for face in faces:
    geo.mesh.setTransfiniteSurface(face)
    geo.mesh.setRecombine(2, face)
geo.extrude([(2, face) for face in faces], 0, 0, 2, numElements=[2], recombine=True)
geo.synchronize()
gmsh.model.addPhysicalGroup(3, [tag for _, tag in gmsh.model.getEntities(3)], name="steel")
gmsh.model.mesh.generate(3)
folder = Path(sys.argv[1])
for serendipity, name in ((0, "cylinder_27.msh"), (1, "cylinder_20.msh"), (1, "cylinder_20.inp")):
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", serendipity)
    gmsh.model.mesh.setOrder(1)
    gmsh.model.mesh.setOrder(2)
    gmsh.write(str(folder / name))
gmsh.finalize()
