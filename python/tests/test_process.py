"""Mesh processing: against the program, planes and spheres."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid


def sphere(n: int) -> subsolid.Surface:
    """A unit sphere of 8 n² triangles."""
    corners = np.vstack([np.eye(3), -np.eye(3)])
    faces = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
    points: dict[tuple[float, ...], int] = {}
    triangles = []
    for face in faces:
        a, b, c = corners[face]
        ids = {}
        for i in range(n + 1):
            for j in range(n + 1 - i):
                p = (a * (n - i - j) + b * i + c * j) / n
                p /= np.linalg.norm(p)
                ids[i, j] = points.setdefault(tuple(np.round(p, 12) + 0.0), len(points))
        for i in range(n):
            for j in range(n - i):
                triangles.append([ids[i, j], ids[i + 1, j], ids[i, j + 1]])
                if i + j < n - 1:
                    triangles.append([ids[i + 1, j], ids[i + 1, j + 1], ids[i, j + 1]])
    return subsolid.Surface(np.array(list(points)), np.array(triangles))


def test_distances_are_those_of_the_program(
    command: Any, models: Any, tmp_path: Any, graded: subsolid.Solid
) -> None:
    for to, option in [("boundary", {}), ("vertex:3,40", {"vertices": [3, 40]}),
                       ("point:1,0,1", {"point": (1.0, 0.0, 1.0)}),
                       ("attribute:hardness", {"attribute": "hardness"})]:
        out = tmp_path / "d.npz"
        command("distance", models / "graded_bracket.vtu", "--to", to, "-o", out)
        assert np.array_equal(np.load(out)["point/distance"], graded.distance(**option)), to


def test_marks_are_those_before_refinement() -> None:
    points, cells = box(4, 4, 4)
    side = ((points[:, 0] == 0) & (points[:, 1] <= 1)).astype(float)
    solid = subsolid.Solid(points, cells, attributes={"side": side})
    for levels, marked in [(0, 2 * 5), (1, 3 * 9)]:
        assert np.count_nonzero(solid.distance(attribute="side", levels=levels) == 0) == marked


def test_a_point_outside_is_said_to_be(graded: subsolid.Solid) -> None:
    with pytest.warns(UserWarning, match="lies .* outside: distances go through"):
        assert graded.distance(point=(-1000.0, 0.0, 0.0)).min() > 900


def test_a_graded_solid_carries_its_depth() -> None:
    points, cells = box(6, 6, 6)
    solid = subsolid.Solid(points, cells)
    depth = solid.distance()
    exact = np.minimum(points, 6 - points).min(axis=1)
    assert np.abs(depth - exact).max() < 1e-13
    graded = solid.with_attributes({"depth": depth})
    assert np.array_equal(graded.attributes["depth"], depth)
    again = graded.with_attributes({"depth": exact})
    assert list(again.attributes) == ["depth"]
    smoothed = graded.smooth_attribute("depth", 3, fix_boundary=True)
    assert np.array_equal(smoothed[exact == 0], depth[exact == 0])
    inner = exact > 0
    assert np.ptp(smoothed[inner]) < 0.85 * np.ptp(depth[inner])  # 0.80


def test_distances_to_groups_are_exact() -> None:
    points, cells = box(4, 3, 2)
    left = cells[points[cells].min(axis=1)[:, 0] == 0]
    faces = [[v for v in cell if points[v, 0] == 0] for cell in left]
    steel = (points[cells].max(axis=1)[:, 0] <= 1).astype(int)
    solid = subsolid.Solid(
        points, cells, cell_data={"group:steel": steel}, face_groups={"left": faces}
    )
    assert np.abs(solid.distance(group="left") - points[:, 0]).max() < 1e-10
    beyond = np.maximum(points[:, 0] - 1, 0)
    assert np.abs(solid.distance(group="steel") - beyond).max() < 1e-10
    with pytest.raises(subsolid.Error, match='no group is named "right"'):
        solid.distance(group="right")


def test_folded_cells_are_untangled() -> None:
    points, cells = box(4, 4, 4)
    middle = int(np.argmin(np.abs(points - 2).sum(axis=1)))
    points[middle] += 1.7
    with pytest.warns(UserWarning, match="folded"):
        folded = subsolid.Solid(points, cells, crease_angle=40)
    better, report = folded.untangle()
    assert report["control"]["before"]["non_positive"] > 0
    assert report["control"]["after"]["non_positive"] == 0
    assert report["control"]["after"]["least"] > 0.9
    assert report["limit_after"]["bound"] > report["limit_before"]["bound"]
    moved = np.any(better.points != folded.points, axis=1)
    assert not moved[(points == 0).any(axis=1) | (points == 4).any(axis=1)].any()


def test_points_of_the_boundary_slide() -> None:
    points, cells = box(4, 4, 4)
    slid = points.copy()
    side = (points[:, 2] == 0) & (points[:, :2] > 0).all(axis=1) & (points[:, :2] < 4).all(axis=1)
    slid[side, :2] += np.random.default_rng(3).uniform(-0.4, 0.4, (side.sum(), 2))
    solid = subsolid.Solid(slid, cells, crease_angle=40)
    better, report = solid.untangle(boundary="slide")
    control = report["control"]
    assert control["slid"] >= side.sum() and control["deviation"] < 1e-12
    assert control["after"]["least"] > 0.9 > control["before"]["least"]
    assert np.abs(better.points[side, 2]).max() < 1e-12
    assert control["can_slide"] == 90 and control["stay"] == 8
    corners = subsolid.Solid(*box(1, 1, 1), crease_angle=40)
    with pytest.warns(UserWarning, match="nothing slides: of the 8 vertices"):
        _, report = corners.untangle(boundary="slide")
    assert report["control"]["can_slide"] == 0 and report["control"]["stay"] == 8


def test_spheres_keep_their_geometry() -> None:
    ball = sphere(16)
    points = np.asarray(ball.points)
    # exact on spheres, but for the 12 digits of the points
    assert np.abs(ball.normals() - points).max() < 2e-11
    shrunk = ball.smooth(0.01, 5)
    radius = np.linalg.norm(shrunk.points, axis=1)
    assert np.abs(radius - np.sqrt(1 - 4 * 0.05)).max() < 0.008  # 0.0037
    assert np.abs(ball.smooth(0.01, 5, matrix_free=True).points - shrunk.points).max() < 1e-11
    rng = np.random.default_rng(1)
    noisy = subsolid.Surface(points * (1 + 0.01 * rng.standard_normal((len(points), 1))), ball.faces)
    clean = noisy.denoise(3)
    before, after = (np.linalg.norm(s.points, axis=1).std() for s in (noisy, clean))
    assert after < 0.7 * before


def test_distances_along_spheres_converge() -> None:
    for method, order in [("heat", 0.9), ("toplesets", 0.6)]:
        errors = []
        for n in (16, 32):
            ball = sphere(n)
            angles = np.arccos(np.clip(ball.points @ ball.points[0], -1, 1))
            errors.append(np.abs(ball.distance([0], method=method) - angles).max())
        assert errors[0] < 0.06 and np.log2(errors[0] / errors[1]) > order, method


def test_normals_move_with_a_surface() -> None:
    ball = sphere(8)
    noise = 0.02 * np.random.default_rng(3).normal(size=ball.points.shape)
    rough = subsolid.Surface(
        ball.points + noise, ball.faces, attributes={"normals": ball.normals(), "t": noise[:, 0]}
    )
    for moved in (rough.smooth(0.01), rough.denoise()):
        assert np.array_equal(moved.attributes["normals"], moved.normals())
        assert not np.array_equal(moved.attributes["normals"], rough.attributes["normals"])
        assert np.array_equal(moved.attributes["t"], noise[:, 0])
    assert "normals" not in ball.denoise().attributes


def test_surfaces_end_at_holes() -> None:
    points, _ = box(6, 6, 0)
    ids = np.arange(49).reshape(7, 7)
    a, b, c, d = ids[:-1, :-1], ids[:-1, 1:], ids[1:, 1:], ids[1:, :-1]
    faces = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    row, column = np.divmod(np.arange(len(faces)) // 2, 6)
    holes = np.flatnonzero((row == 3) & (column < 5))
    holed = subsolid.Surface(points, faces, holes=holes)
    cut = subsolid.Surface(points, np.delete(faces, holes, axis=0))
    for method in ("heat", "toplesets"):
        distances = holed.distance([0], method=method)
        assert np.array_equal(distances, cut.distance([0], method=method))
        assert distances[42] > 9  # over the holes it is 6


def test_processors_are_chosen_by_name() -> None:
    ball = sphere(8)
    assert np.array_equal(ball.distance([3], backend="cpu"), ball.distance([3]))
    assert np.array_equal(ball.normals(backend="cpu"), ball.normals())
    assert np.array_equal(ball.smooth(0.01, backend="cpu").points, ball.smooth(0.01).points)
    for job in (ball.normals, ball.denoise):
        with pytest.raises(subsolid.Error, match="gpu"):
            job(backend="gpu")


def test_processors_of_fits_are_chosen_by_name() -> None:
    solid = subsolid.shape("box", 3, 2, 2).with_creases(crease_angle=40)
    for part in (solid, solid.boundary()):
        fitted = [part.fit(**given)[0].points for given in ({}, {"backend": "cpu"})]
        assert np.array_equal(*fitted)
        for name, message in [("gpu", "gpu"), ("cuda:99", "CUDA"), ("cuda:0,1", "several GPUs")]:
            with pytest.raises(subsolid.Error, match=message):
                part.fit(backend=name)
        if subsolid.devices():
            assert np.array_equal(part.fit(backend="cuda")[0].points, fitted[0])


@pytest.mark.skipif(not subsolid.devices(), reason="needs an NVIDIA GPU")
def test_gpus_process_the_same() -> None:
    ball = sphere(12)
    for method, tolerance in [("heat", 1e-8), ("toplesets", 1e-11)]:
        one, other = (ball.distance([0], method=method, backend=b) for b in ("cpu", "cuda"))
        assert np.abs(one - other).max() < tolerance
    assert np.abs(ball.normals(backend="cuda") - ball.normals(backend="cpu")).max() < 1e-13
    smooth = [ball.smooth(0.01, 2, backend=b).points for b in ("cpu", "cuda")]
    assert np.abs(smooth[0] - smooth[1]).max() < 1e-11
    clean = [ball.denoise(2, backend=b).points for b in ("cpu", "cuda")]
    assert np.abs(clean[0] - clean[1]).max() < 1e-11


@pytest.mark.parametrize(
    "wrong, message",
    [
        (lambda solid: solid.distance("skin"), 'to="skin"'),
        (lambda solid: solid.untangle(boundary="free"), 'boundary="free"'),
        (lambda solid: solid.distance(vertices=[10**6]), "no vertex 1000000"),
        (lambda solid: solid.distance(vertices=[-1]), "vertices names -1 at place 0"),
        (lambda solid: solid.distance(vertices=[1], point=(0.0, 0.0, 0.0)), "several targets"),
        (lambda solid: solid.distance(attribute="none"), 'no attribute is named "none"'),
        (lambda solid: solid.smooth_attribute("none"), 'no attribute is named "none"'),
        (lambda solid: solid.with_attributes({"a": [1.0]}), 'the attribute "a" has the shape [1] for 27 vertices'),
        (lambda solid: solid.boundary().distance([0]), "face 0 is not a triangle"),
        (lambda solid: solid.boundary().denoise(rings=0), "denoising needs at least 1 ring of neighbors"),
        (lambda solid: sphere(2).distance([0], method="flood"), 'method="flood"'),
        (lambda solid: sphere(2).smooth(-1.0), "a curvature flow time of -1: out of range"),
    ],
)
def test_what_cannot_be_done_is_refused(wrong: Any, message: str) -> None:
    points, cells = box(2, 2, 2)
    with pytest.raises(subsolid.Error) as refused:
        wrong(subsolid.Solid(points, cells))
    assert refused.value.message == message and refused.value.help
