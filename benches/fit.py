"""Distances, volumes and folded elements of fits, as the tables of RESULTS.md.

    python benches/fit.py target/release/subsolid FOLDER_OF_SOLIDS...

Fits balls and cylinders of hexahedra to fine facets of the exact shapes, then every solid of the
folders to its own facets, smooth and with creases of 40 degrees. Needs NumPy.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

#: Corners of a hexahedron of VTK.
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]


def block(place, cells):
    """Points and hexahedra of `place(u, v, w)` over the unit cube."""
    axes = [np.linspace(0, 1, n + 1) for n in cells]
    points = np.array([[[place(a, b, c) for c in axes[2]] for b in axes[1]] for a in axes[0]])
    ids = np.arange(points[..., 0].size).reshape(points.shape[:3])
    part = lambda d, i: slice(i, i + cells[d])
    hexes = [ids[part(0, i), part(1, j), part(2, k)].ravel() for i, j, k in CORNERS]
    return points.reshape(-1, 3), np.stack(hexes, 1)


def joined(blocks):
    """One mesh of right-handed cells, vertices in one place joined."""
    points = np.concatenate([p for p, _ in blocks])
    first = np.cumsum([0] + [len(p) for p, _ in blocks])
    hexes = np.concatenate([h + f for (_, h), f in zip(blocks, first)])
    _, kept, ids = np.unique(np.round(points, 9), axis=0, return_index=True, return_inverse=True)
    points, hexes = points[kept], ids.ravel()[hexes]
    a, b, d, e = (points[hexes[:, i]] for i in (0, 1, 3, 4))
    left = np.einsum("ij,ij->i", np.cross(b - a, d - a), e - a) < 0
    hexes[left] = hexes[left][:, [0, 3, 2, 1, 4, 7, 6, 5]]
    return points, hexes


def bulged(x, core):
    """A point of a cube, half way to the ball around it."""
    x = np.asarray(x, float)
    if not x.any():
        return x
    out = np.tan(np.pi / 4 * x)
    return core * (0.5 * x + 0.625 * np.abs(x).max() * out / np.linalg.norm(out))


def o_grid(dimension, n, layers=None):
    """The unit ball (3), or the disc (2) times `layers` layers of height 2 in all."""
    cells = (n,) * 3 if dimension == 3 else (n, n, layers)
    whole = lambda x, w: x if dimension == 3 else np.append(x, 2 * w)
    center = lambda *t: whole(bulged(2 * np.array(t[:dimension]) - 1, 0.55), t[-1])
    blocks = [block(center, cells)]
    for axis in range(dimension):
        for side in (-1, 1):

            def shell(*t, axis=axis, side=side):
                x = np.insert(2 * np.array(t[: dimension - 1]) - 1, axis, side)
                out, inner = np.tan(np.pi / 4 * x), bulged(x, 0.55)
                return whole(inner + (out / np.linalg.norm(out) - inner) * t[dimension - 1], t[-1])

            blocks.append(block(shell, cells))
    return joined(blocks)


def write_solid(path, points, hexes):
    with open(path, "w") as file:
        file.write("# vtk DataFile Version 3.0\npart\nASCII\nDATASET UNSTRUCTURED_GRID\n")
        file.write(f"POINTS {len(points)} double\n")
        np.savetxt(file, points, "%.17g")
        file.write(f"CELLS {len(hexes)} {9 * len(hexes)}\n")
        np.savetxt(file, np.insert(hexes, 0, 8, axis=1), "%d")
        file.write(f"CELL_TYPES {len(hexes)}\n" + "12\n" * len(hexes))


def write_surface(path, points, triangles):
    with open(path, "w") as file:
        np.savetxt(file, points, "v %.17g %.17g %.17g")
        np.savetxt(file, triangles + 1, "f %d %d %d")


def ball_facets(n):
    """12 n² triangles, as far inside the unit ball as outside."""
    t = np.tan(np.pi / 4 * np.linspace(-1, 1, n + 1))
    a, b = (x.ravel() for x in np.meshgrid(t, t, indexing="ij"))
    sides = [(s, d) for d in range(3) for s in (-1, 1)]
    points = np.concatenate([np.insert(np.stack([a, b], 1), d, s, axis=1) for s, d in sides])
    points /= np.linalg.norm(points, axis=1)[:, None]
    i = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    quads = np.stack([i, i + n + 1, i + n + 2, i + 1], 1)
    faces = np.concatenate(
        [
            (quads if (s > 0) == (d != 1) else quads[:, ::-1]) + k * (n + 1) ** 2
            for k, (s, d) in enumerate(sides)
        ]
    )
    _, kept, ids = np.unique(np.round(points, 9), axis=0, return_index=True, return_inverse=True)
    points, faces = points[kept], ids.ravel()[faces]
    triangles = np.concatenate([faces[:, :3], faces[:, [0, 2, 3]]])
    middle = np.linalg.norm(points[triangles].mean(1), axis=1).mean()
    return points * 2 / (1 + middle), triangles


def cylinder_facets(n):
    angle = 2 * np.pi * np.arange(n) / n
    radius = 1 + (1 - np.cos(np.pi / n)) * 2 / 3
    ring = radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    points = np.concatenate([ring, ring + [0, 0, 2], [[0, 0, 0], [0, 0, 2]]])
    i, o = np.arange(n), np.zeros(n, int)
    j = (i + 1) % n
    faces = [(i, j, j + n), (i, j + n, i + n), (j, i, o + 2 * n), (i + n, j + n, o + 2 * n + 1)]
    return points, np.concatenate([np.stack(face, 1) for face in faces])


def write_rims(path, points, hexes):
    edges = np.sort(hexes[:, [0, 1, 1, 2, 2, 3, 3, 0, 4, 5, 5, 6, 6, 7, 7, 4]].reshape(-1, 2), axis=1)
    on = (np.hypot(*points.T[:2]) > 1 - 1e-9) & np.isin(points[:, 2], [0, 2])
    edges = np.unique(edges[on[edges].all(1) & (np.ptp(points[edges, 2], axis=1) == 0)], axis=0)
    rows = [f"edge,{a},{b},inf\n" for a, b in edges]
    Path(path).write_text("kind,v0,v1,sharpness\n" + "".join(rows))


def fit(program, model, *options):
    """The report of a fit, and its seconds."""
    command = [program, "fit", model, "-o", "fitted.vtu", "--json", "--quiet", *options]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode > 1:
        sys.exit(done.stderr)
    return json.loads(done.stdout) | {"whole": time.perf_counter() - start}


def round_shapes(program):
    print("| shape | cells | control mesh | through vertices | fitted | drift |\n|---|---|---|---|---|---|")
    write_surface("ball.obj", *ball_facets(160))
    write_surface("cylinder.obj", *cylinder_facets(4000))
    diagonal = 12**0.5
    for shape in ("ball", "cylinder"):
        for n in (1, 2, 4):
            points, hexes = o_grid(3, n) if shape == "ball" else o_grid(2, n, 2 * n)
            write_solid("part.vtk", points, hexes)
            options = ["--to", f"{shape}.obj", "--rounds", "4"]
            if shape == "cylinder":
                write_rims("rims.csv", points, hexes)
                options += ["--creases", "rims.csv"]
            report = fit(program, "part.vtk", *options)
            rms = " | ".join(f"{found['rms'] / diagonal:.2e}" for found in report["target"])
            print(f"| {shape} | {len(hexes)} | {rms} | {report['drift']:.3f} |", flush=True)


def own_facets(program, models):
    print("\n| model | creases | rms | volume (%) | drift | open | smooth edges | folded | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for options in ([], ["--crease-angle", "40"]):
        for model in models:
            report = fit(program, str(model), "--to", "facets", *options)
            before, _, after = (found["rms"] for found in report["target"])
            part = [100 * (volume / report["target_volume"] - 1) for volume in report["volume"]]
            least = report["determinant"]
            counts = [least["negative"] - least["at_smooth_edges"], least["at_smooth_edges"]]
            cells = [model.stem, "40°" if options else "", f"{after / before:.2f}"]
            cells += [f"{part[0]:+.2f}, {part[1]:+.3f}", f"{report['drift']:.3f}"]
            cells += [*map(str, counts), str(report["folds"]["folded"]), f"{report['whole']:.1f}"]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    program = str(Path(sys.argv[1]).resolve())
    folders = [Path(folder).resolve() for folder in sys.argv[2:]]
    models = sorted(file for folder in folders for file in folder.glob("*.[vm][te][ks]*"))
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        round_shapes(program)
        own_facets(program, models)
