"""Write box.*: a box of one quadratic hexahedron, by Gmsh and meshio."""

import sys

import gmsh
import meshio

folder = sys.argv[1] if len(sys.argv) > 1 else "."
gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
gmsh.model.occ.addBox(0, 0, 0, 1, 2, 3)
gmsh.model.occ.synchronize()
for dim, tag in gmsh.model.getEntities(1):
    gmsh.model.mesh.setTransfiniteCurve(tag, 2)
for dim, tag in gmsh.model.getEntities(2):
    gmsh.model.mesh.setTransfiniteSurface(tag)
    gmsh.model.mesh.setRecombine(2, tag)
gmsh.model.mesh.setTransfiniteVolume(1)
gmsh.model.addPhysicalGroup(3, [1])
for nodes, incomplete in ((20, 1), (27, 0)):
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", incomplete)
    gmsh.model.mesh.clear()
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(2)
    for version, name in ((2.2, "box2"), (4.1, "box4")):
        gmsh.option.setNumber("Mesh.MshFileVersion", version)
        gmsh.write(f"{folder}/{name}_{nodes}.msh")
    if nodes == 20:
        gmsh.write(f"{folder}/box_20.inp")
    mesh = meshio.read(f"{folder}/box4_{nodes}.msh")
    cells = [block for block in mesh.cells if block.type == f"hexahedron{nodes}"]
    meshio.Mesh(mesh.points, cells).write(f"{folder}/box_{nodes}.vtu", binary=False)
