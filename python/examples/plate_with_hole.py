"""A plate with a hole: from its Gmsh mesh to its stresses, by SciPy."""

from __future__ import annotations

import pathlib
import tempfile
from typing import Any, Optional

import numpy as np
from scipy.sparse.linalg import spsolve

import subsolid

#: Half length, half width and thickness, in radii of the hole.
LENGTH, WIDTH, THICKNESS = 8.0, 5.0, 0.5
#: Peak stress over the stress far away, by Howland (1930) for a diameter of 0.2 widths.
HOWLAND = 3.14


def write_mesh(path: pathlib.Path, around: int = 16, outward: int = 6) -> None:
    """Meshes the plate by Gmsh: hexahedra, `around` the hole (a multiple of 8) and `outward`."""
    import gmsh

    gmsh.initialize(interruptible=False)
    gmsh.option.setNumber("General.Terminal", 0)
    geo, mesh = gmsh.model.geo, gmsh.model.geo.mesh
    center = geo.addPoint(0, 0, 0)
    eighths = [(np.cos(k * np.pi / 4), np.sin(k * np.pi / 4)) for k in range(8)]
    hole = [geo.addPoint(x, y, 0) for x, y in eighths]
    signs = [(np.sign(round(x, 9)), np.sign(round(y, 9))) for x, y in eighths]
    edge = [geo.addPoint(x * LENGTH, y * WIDTH, 0) for x, y in signs]
    arcs = [geo.addCircleArc(hole[k], center, hole[(k + 1) % 8]) for k in range(8)]
    sides = [geo.addLine(edge[k], edge[(k + 1) % 8]) for k in range(8)]
    rays = [geo.addLine(hole[k], edge[k]) for k in range(8)]
    for curve in arcs + sides:
        mesh.setTransfiniteCurve(curve, around // 8 + 1)
    for curve in rays:
        # cells grow from as long as they are wide at the hole
        mesh.setTransfiniteCurve(curve, outward + 1, "Progression", growth(around, outward))
    faces = []
    for k in range(8):
        loop = geo.addCurveLoop([rays[k], sides[k], -rays[(k + 1) % 8], -arcs[k]])
        faces.append(geo.addPlaneSurface([loop]))
        mesh.setTransfiniteSurface(faces[-1])
        mesh.setRecombine(2, faces[-1])
    solid = geo.extrude([(2, face) for face in faces], 0, 0, THICKNESS, [1], recombine=True)
    geo.synchronize()
    gmsh.model.addPhysicalGroup(3, [tag for dim, tag in solid if dim == 3], name="plate")
    for name, x in [("left", -LENGTH), ("right", LENGTH)]:
        low, high = (x - 1e-6, -WIDTH - 1, -1), (x + 1e-6, WIDTH + 1, 1)
        box = gmsh.model.getEntitiesInBoundingBox(*low, *high, 2)
        gmsh.model.addPhysicalGroup(2, [tag for _, tag in box], name=name)
    gmsh.model.mesh.generate(3)
    gmsh.write(str(path))
    gmsh.finalize()


def growth(around: int, outward: int) -> float:
    """Ratio of lengths of cells along a ray, the first of which is 2π / around long."""
    first, low, high = 2 * np.pi / around, 1.0, 4.0
    for _ in range(60):
        middle = (low + high) / 2
        is_short = first * sum(middle**k for k in range(outward)) < (LENGTH + WIDTH) / 2 - 1
        low, high = (middle, high) if is_short else (low, middle)
    return low


def stresses(solid: subsolid.Solid, young: float = 1.0, poisson: float = 0.0) -> tuple[Any, Any]:
    """Displacements of the control points and control values of the stress along x: the plate is
    pulled by 1 along x. Without lateral contraction the state is plane, as in Howland's theory."""
    points = solid.points
    quadrature = solid.quadrature(gauss=4)
    stiffness = quadrature.elasticity(young=young, poisson=poisson).tocsr()
    loads = sum(
        solid.quadrature(gauss=4, boundary=name).load([force, 0, 0])
        for name, force in [("left", -1.0), ("right", 1.0)]
    )
    # the planes of symmetry stay: a rigid plate could move
    held = np.isclose(points, [0, 0, 0], atol=1e-6).ravel()
    free = np.flatnonzero(~held)
    displacement = np.zeros(points.size)
    displacement[free] = spsolve(stiffness[free][:, free].tocsc(), np.asarray(loads).ravel()[free])
    displacement = displacement.reshape(-1, 3)
    lame, shear = young * poisson / (1 + poisson) / (1 - 2 * poisson), young / 2 / (1 + poisson)
    # stresses at quadrature points, and the control values nearest to them
    stress = []
    for batch in quadrature.batches():
        ids, gradients = batch.control_ids, batch.physical_gradients
        strain = np.einsum("nsdc,nce->nsde", gradients, displacement[ids])
        trace = np.trace(strain, axis1=2, axis2=3)
        stress.append((2 * shear * strain[..., 0, 0] + lame * trace).ravel())
    return displacement, quadrature.project(np.concatenate(stress))


def hole_area(solid: subsolid.Solid) -> float:
    """Area of the hole in the limit, by its volume."""
    volume = float(solid.quadrature(gauss=4).mass().sum())
    return 4 * LENGTH * WIDTH - volume / THICKNESS


def main(
    around: int = 16,
    outward: int = 8,
    directory: Optional[pathlib.Path] = None,
    picture: Optional[pathlib.Path] = None,
) -> dict[str, dict[str, float]]:
    """Returns errors of the hole's area and of the peak stress, of the mesh used as control mesh
    and of the fitted one; draws the stress of the latter."""
    with tempfile.TemporaryDirectory() as scratch:
        path = (directory or pathlib.Path(scratch)) / "plate.msh"
        write_mesh(path, around, outward)
        part = subsolid.read(path, crease_angle=40)
    fitted, report = part.fit()
    found = {}
    for name, solid in [("unfitted", part), ("fitted", fitted)]:
        _, stress = stresses(solid)
        solid = solid.with_attributes({"stress": stress})
        peak = float(solid.evaluate(5).attributes["stress"].max())
        found[name] = {
            "hole": hole_area(solid) / np.pi - 1,
            "peak_stress": peak,
            "peak_error": peak / HOWLAND - 1,
        }
        print(f"{name}: hole {100 * found[name]['hole']:+.4f} %, stress {peak:.4f} of {HOWLAND}")
    if picture is not None:
        solid.plot("stress", screenshot=picture)
    return found


if __name__ == "__main__":
    main()
