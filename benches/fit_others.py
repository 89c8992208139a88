"""Surfaces through given vertices, and distances from a target, by this package beside SciPy and
libigl, as the table of RESULTS.md.

    pip install ./python scipy libigl
    python benches/fit_others.py

Wanted are the control points of a closed surface whose limit passes through given vertices. By
Catmull-Clark, SciPy solves the system of `Solid.limit_matrix` for the boundary; by Loop that of the
limit masks written here in NumPy, and one that libigl has means for: its subdivision matrix, three
times, in place of the limit. Errors are the largest distances of the limit, by these matrices, from
the vertices over the diagonal of their box. Distances from a target are those of libigl from the
limits at the vertices of a fitted ball, and those that the fit reports there.
Times are processor times of one run after another one, two threads for this package; "set-up" is what
moved vertices need not repeat. This package's times are of all of `fit`: set-up, distances, volume.
"""

from __future__ import annotations

import time
from importlib.metadata import version

import igl
import numpy as np
import scipy.sparse as sparse
from fit import ball_facets, o_grid
from scipy.sparse.linalg import splu, spsolve

import subsolid


def timed(work):
    """What `work` returns, and its seconds on the processor at the second time."""
    work()
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def row(of, count, by, error, setup, solve):
    setup = "" if setup is None else f"{setup:.3f}"
    print(f"| {of} | {count:,} | {by} | {error:.1e} | {setup} | {solve:.3f} |", flush=True)


def missed(matrix, controls, points):
    """The largest distance of limits from points, over the diagonal of these."""
    far = np.linalg.norm(matrix @ controls - points, axis=1).max()
    return far / np.linalg.norm(np.ptp(points, axis=0))


def direct(name, points, matrix, limit, factor_name, more=0.0):
    factor, setup = timed(lambda: splu(matrix))
    found, seconds = timed(lambda: factor.solve(points))
    row(name, len(points), factor_name, missed(limit, found, points), setup + more, seconds)


def catmull_clark(cells):
    lattice = np.rint(subsolid.shape("box", cells, cells, cells).points)
    solid = subsolid.shape("box", cells, cells, cells)
    solid = solid.with_points(lattice + 0.1 * np.sin(3 * lattice[:, [1, 2, 0]]))
    boundary = np.flatnonzero(((lattice == 0) | (lattice == cells)).any(axis=1))
    matrix = solid.limit_matrix()[boundary][:, boundary].tocsc()
    points = solid.points[boundary]
    name = f"Catmull-Clark, boundary of {cells}³ cells"
    surface = solid.boundary()
    (fitted, _), seconds = timed(lambda: surface.fit(backend="cpu"))
    order = {tuple(p): v for v, p in enumerate(np.asarray(surface.points).tolist())}
    own = [order[tuple(p)] for p in points.tolist()]
    error = missed(matrix, np.asarray(fitted.points)[own], points)
    row(name, len(points), "subsolid", error, None, seconds)
    direct(name, points, matrix, matrix, "SciPy, `splu`")
    found, seconds = timed(lambda: spsolve(matrix, points))
    row(name, len(points), "SciPy, `spsolve`", missed(matrix, found, points), None, seconds)


def loop_masks(faces, count):
    """Limit masks of Loop subdivision of a closed mesh (Loop 1987; Hoppe et al. 1994)."""
    a, b, c = faces.T
    ones = np.ones(3 * len(faces))
    ring = sparse.csr_matrix((ones, (np.r_[a, b, c], np.r_[b, c, a])), (count, count))
    n = np.asarray(ring.sum(axis=1)).ravel()
    beta = (5 / 8 - (3 / 8 + np.cos(2 * np.pi / n) / 4) ** 2) / n
    weight = 1 / (3 / (8 * beta) + n)
    return (sparse.diags(1 - n * weight) + sparse.diags(weight) @ ring).tocsc()


def refined_by_libigl(faces, count):
    """The control points after three refinements."""
    matrix = sparse.identity(count, format="csr")
    for _ in range(3):
        step, faces = igl.loop_matrix(faces)
        matrix = step @ matrix
    return matrix[:count].tocsc()


def loop(levels):
    surface = subsolid.read_surface("models/surfaces/spot_control_mesh.obj")
    faces = [(face[0], a, b) for face in surface.faces for a, b in zip(face[1:], face[2:])]
    points, faces = igl.loop(np.asarray(surface.points), np.array(faces, np.int64), levels)
    name = f"Loop, spot refined {levels} times"
    surface = subsolid.Surface(points, faces)
    (fitted, _), seconds = timed(lambda: surface.fit(scheme="loop", backend="cpu"))
    masks, masks_seconds = timed(lambda: loop_masks(faces, len(points)))
    row(name, len(points), "subsolid", missed(masks, fitted.points, points), None, seconds)
    direct(name, points, masks, masks, "SciPy, `splu` of limit masks", masks_seconds)
    matrix, matrix_seconds = timed(lambda: refined_by_libigl(faces, len(points)))
    direct(name, points, matrix, masks, "libigl, `loop_matrix`, and `splu`", matrix_seconds)


def distances(n):
    points, hexes = o_grid(3, n)
    target, triangles = ball_facets(160)
    solid = subsolid.Solid(points, hexes)
    facets = subsolid.Surface(target, triangles)
    work = lambda: solid.fit(facets, rounds=1, distances=True, untangle=False, backend="cpu")
    (fitted, _), seconds = timed(work)
    on_boundary = np.abs(np.linalg.norm(points, axis=1) - 1) < 1e-9
    matrix = fitted.limit_matrix()[on_boundary]
    limits = matrix @ fitted.points
    own = np.abs(matrix @ fitted.attributes["fit_distance"])
    squared, by_igl = timed(lambda: igl.point_mesh_squared_distance(limits, target, triangles)[0])
    error = np.abs(own - np.sqrt(squared)).max() / 12**0.5
    of = f"distances from {len(triangles):,} triangles"
    row(of, len(limits), "subsolid − libigl, `point_mesh_squared_distance`", error, None, by_igl)
    print(f"\nAll of that fit: {seconds:.2f} s")


if __name__ == "__main__":
    subsolid.set_threads(2)
    print(f"subsolid {subsolid.__version__}, SciPy {version('scipy')}, libigl {version('libigl')}\n")
    print("| of | points | by | error | set-up (s) | solve (s) |\n|---|---|---|---|---|---|")
    for cells in (22, 40):
        catmull_clark(cells)
    for levels in (2, 4):
        loop(levels)
    distances(8)
