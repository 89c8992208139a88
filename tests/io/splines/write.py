"""Writes patches.mesh, three patches of an L in frames of their own, and by MFEM common.mesh of it.

    pip install mfem numpy; python3 write.py
"""

import itertools
import pathlib

import mfem.ser as mfem
import numpy as np

HERE = pathlib.Path(__file__).parent
# degree and knots along x of patches 0 and 2, x of 1, y of 0 and 1, y of 2, z
KNOTS = [
    (2, [0, 0, 0, 0.3, 1, 1, 1]),
    (3, [0, 0, 0, 0, 0.5, 1, 1, 1, 1]),
    (3, [0, 0, 0, 0, 1, 1, 1, 1]),
    (2, [0, 0, 0, 0.6, 1, 1, 1]),
    (2, [0, 0, 0, 0.2, 0.5, 1, 1, 1]),
]
# corner, knot vectors along x, y, z, and which of +-x, +-y, +-z u, v and w run along
PATCHES = [
    ((0, 0, 0), (0, 2, 4), ((0, 1), (1, 1), (2, 1))),
    ((1, 0, 0), (1, 2, 4), ((2, -1), (0, -1), (1, 1))),
    ((0, 1, 0), (0, 3, 4), ((1, 1), (0, -1), (2, 1))),
]
PLACES = [(x, y, z) for z in (0, 1) for y in (0, 1, 2) for x in (0, 1, 2) if x + y < 4 and (x, y) != (2, 2)]
# numbers of the vertices: MFEM 4.10 mirrors knots of patches along which they descend, so they ascend
# with x, y and z, in no order of the patches
PLACES.sort(key=lambda p: 2.3 * p[0] + 1.7 * p[1] + 3.1 * p[2])
VERTICES = {place: number for number, place in enumerate(PLACES)}


def greville(index):
    degree, knots = KNOTS[index]
    return [np.mean(knots[i + 1 : i + degree + 1]) for i in range(len(knots) - degree - 1)]


def control(place):
    x, y, z = place
    weight = 1 + 0.2 * x * y + 0.1 * z * z + 0.05 * x
    point = (x + 0.1 * np.sin(3 * y + z), y + 0.1 * x * x, 1.5 * z + 0.1 * np.cos(x + y))
    return [*point, weight]


def row(values):
    return " ".join(f"{value:.17g}" for value in values)


def patch(corner, vectors, frame):
    """The vertices of a patch and its part of the file."""
    ends = {0: lambda d, s: corner[d] + (s < 0), 1: lambda d, s: corner[d] + (s > 0)}
    vertices = []
    for uvw in [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]:
        place = [0, 0, 0]
        for end, (d, sign) in zip(uvw, frame):
            place[d] = ends[end](d, sign)
        vertices.append(VERTICES[tuple(place)])
    axes, text = [], "knotvectors\n3\n"
    for d, sign in frame:
        degree, knots = KNOTS[vectors[d]]
        along = [corner[d] + t for t in greville(vectors[d])]
        axes.append((d, along[::sign]))
        knots = knots if sign > 0 else [1 - t for t in reversed(knots)]
        text += f"{degree} {len(along)} {row(knots)}\n"
    text += "dimension\n3\ncontrolpoints_cartesian\n"
    for w, v, u in itertools.product(*(along for _, along in reversed(axes))):
        place = [0, 0, 0]
        for (d, _), value in zip(axes, (u, v, w)):
            place[d] = value
        text += row(control(place)) + "\n"
    return vertices, text


def main():
    found = [patch(*own) for own in PATCHES]
    rows = [f"{10 + i} 5 {' '.join(map(str, vertices))}" for i, (vertices, _) in enumerate(found)]
    edges = {}
    for corner, vectors, _ in PATCHES:
        for d, (a, b) in itertools.product(range(3), itertools.product((0, 1), repeat=2)):
            start = list(corner)
            start[(d + 1) % 3] += a
            start[(d + 2) % 3] += b
            end = list(start)
            end[d] += 1
            ends = VERTICES[tuple(start)], VERTICES[tuple(end)]
            edges.setdefault(ends, f"{vectors[d]} {ends[0]} {ends[1]}")
    faces = [[(0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1)], [(2, 0, 0), (2, 1, 0), (2, 1, 1), (2, 0, 1)]]
    sides = [f"{7 + i} 3 {' '.join(str(VERTICES[v]) for v in face)}" for i, face in enumerate(faces)]
    sections = {"dimension": [3], "elements": [len(rows), *rows], "boundary": [len(sides), *sides]}
    sections |= {"edges": [len(edges), *edges.values()], "vertices": [len(VERTICES)]}
    text = "MFEM NURBS mesh v1.0\n"
    text += "".join(f"\n{name}\n" + "\n".join(map(str, own)) + "\n" for name, own in sections.items())
    text += "\npatches\n\n" + "\n".join(own for _, own in found)
    (HERE / "patches.mesh").write_text(text)
    mesh = mfem.Mesh(str(HERE / "patches.mesh"), 1, 1)
    print(mesh.GetNE(), "elements,", mesh.GetNV(), "vertices")
    mesh.Print(str(HERE / "common.mesh"), 17)


main()
