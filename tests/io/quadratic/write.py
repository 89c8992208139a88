"""Write straight cells of high order: box*, wedge*, tetra* by Gmsh and meshio, cells.vtu by VTK."""

import sys

import gmsh
import meshio
import numpy as np
import vtk

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

gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 0)
gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
for order in (3, 4):
    gmsh.model.mesh.clear()
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(order)
    gmsh.write(f"{folder}/box_order{order}.msh")

for name, number, count in (("tetra", 11, 10), ("wedge", 18, 15), ("wedge", 13, 18)):
    gmsh.model.add(name)
    parameters = np.array(gmsh.model.mesh.getElementProperties(number)[3 + 1]).reshape(-1, 3)
    nodes = parameters * [1, 2, 3] + [0.5, 0, 0] * parameters[:, 1:2]
    volume = gmsh.model.addDiscreteEntity(3)
    tags = np.arange(1, count + 1)
    gmsh.model.mesh.addNodes(3, volume, tags, nodes.ravel())
    gmsh.model.mesh.addElementsByType(volume, number, [1], tags)
    gmsh.write(f"{folder}/{name}_{count}.msh")
    if count < 18:
        gmsh.write(f"{folder}/{name}_{count}.inp")

grid = vtk.vtkUnstructuredGrid()
points = vtk.vtkPoints()
points.SetDataTypeToDouble()
kinds = ("QuadraticTetra", "QuadraticWedge", "BiQuadraticQuadraticWedge", "QuadraticHexahedron")
for place, kind in enumerate(
    kinds + ("TriQuadraticHexahedron", "BiQuadraticQuadraticHexahedron", "LagrangeHexahedron")
):
    cell = getattr(vtk, f"vtk{kind}")()
    if kind == "LagrangeHexahedron":
        cell.GetPointIds().SetNumberOfIds(64)
        cell.GetPoints().SetNumberOfPoints(64)
        cell.SetOrder(3, 3, 3)
    count = cell.GetNumberOfPoints()
    at = np.array([cell.GetParametricCoords()[i] for i in range(3 * count)]).reshape(-1, 3)
    first = points.GetNumberOfPoints()
    for u, v, w in at:
        points.InsertNextPoint(2 * place + u + 0.2 * w, 2 * v, 3 * w)
    grid.InsertNextCell(cell.GetCellType(), count, list(range(first, first + count)))
grid.SetPoints(points)
writer = vtk.vtkXMLUnstructuredGridWriter()
writer.SetInputData(grid)
writer.SetDataModeToAscii()
writer.SetFileName(f"{folder}/cells.vtu")
writer.Write()
