"""Matrices, loads and the boundary of quadratures, against sums of their batches by NumPy."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid

pytest.importorskip("scipy")

PRISM = [[0, 0, 0], [1, 0, 0], [0, 1, 0.1], [0, 0, 1], [1, 0, 1.1], [0, 1, 1]]


def shapes() -> dict[str, subsolid.Solid]:
    rng = np.random.default_rng(5)
    points, cells = box(2, 2, 3, rng)
    return {
        "smooth": subsolid.Solid(points, cells),
        "creased": subsolid.Solid(points, cells, crease_angle=40.0),
        "prism": subsolid.Solid(PRISM, [[0, 1, 2, 3, 4, 5]], crease_angle=20.0),
    }


SHAPES = shapes()


@pytest.fixture(params=SHAPES)
def solid(request: Any) -> subsolid.Solid:
    return SHAPES[request.param]


def dense(quadrature: subsolid.Quadrature, points: Any, young: float, poisson: float) -> list[Any]:
    """Mass, stiffness and elasticity, entry by entry from the batches."""
    n = quadrature.n_vertices
    mass, stiffness = np.zeros((n, n)), np.zeros((n, n))
    products = np.zeros((n, 3, n, 3))  # of vertices a, b: ∫ dN_a/dx_d dN_b/dx_e
    for batch in quadrature.batches(points):
        gradients, weights = batch.physical_gradients, batch.weights
        rows = np.broadcast_to(batch.control_ids[:, :, None], batch.control_ids.shape + batch.control_ids.shape[1:])
        columns = rows.transpose(0, 2, 1)
        np.add.at(mass, (rows, columns), np.einsum("ns,sa,sb->nab", weights, batch.values, batch.values))
        np.add.at(stiffness, (rows, columns), np.einsum("ns,nsda,nsdb->nab", weights, gradients, gradients))
        own = np.einsum("ns,nsda,nseb->nabde", weights, gradients, gradients)
        np.add.at(products.transpose(0, 2, 1, 3), (rows, columns), own)
    lame, shear = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
    elasticity = lame * products + shear * products.transpose(0, 3, 2, 1)
    elasticity += shear * np.einsum("ab,de->adbe", stiffness, np.eye(3))
    return [mass, stiffness, elasticity.reshape(3 * n, 3 * n)]


@pytest.mark.parametrize("is_moved", [False, True])
def test_matrices_are_the_sums_of_the_batches(solid: subsolid.Solid, is_moved: bool) -> None:
    quadrature = solid.quadrature(gauss=3, rings=2)
    points = None
    if is_moved:
        points = solid.points + 0.03 * np.random.default_rng(6).normal(size=solid.points.shape)
    mass, stiffness, elasticity = dense(quadrature, points, 3.0, 0.3)
    found = [
        (quadrature.mass(points=points, density=2.5), 2.5 * mass),
        (quadrature.stiffness(points=points, conductivity=0.5), 0.5 * stiffness),
        (quadrature.elasticity(points=points, young=3.0, poisson=0.3), elasticity),
    ]
    for matrix, expected in found:
        assert matrix.format == "csr" and matrix.has_sorted_indices
        assert matrix.shape == expected.shape
        assert np.abs(matrix.toarray() - expected).max() <= 1e-13 * np.abs(expected).max()
        assert (matrix != matrix.T).nnz == 0


def test_matrices_take_a_backend() -> None:
    quadrature = SHAPES["creased"].quadrature(gauss=2, rings=1)
    for job in (quadrature.mass, quadrature.stiffness, quadrature.elasticity):
        assert (job(backend="cpu") != job()).nnz == 0
        with pytest.raises(subsolid.Error, match="gpu"):
            job(backend="gpu")


@pytest.mark.skipif(not subsolid.devices(), reason="needs an NVIDIA GPU")
def test_gpus_assemble_the_same(solid: subsolid.Solid) -> None:
    quadrature = solid.quadrature(gauss=3, rings=2)
    for job in (quadrature.mass, quadrature.stiffness, quadrature.elasticity):
        one, other = (job(backend=b) for b in ("cpu", "cuda"))
        assert abs(one - other).max() <= 1e-13 * abs(one).max()


def test_the_boundary_of_a_box_has_six_planes() -> None:
    points, cells = box(3, 2, 2)
    solid = subsolid.Solid(points, cells, crease_angle=40.0)
    sides = solid.sides()
    assert len(sides) == 6
    areas = np.zeros(6)
    met = np.zeros(6, dtype=int)
    quadrature = solid.quadrature(gauss=3, boundary=True)
    assert quadrature.is_boundary and not solid.quadrature(gauss=3).is_boundary
    for batch in quadrature.batches():
        assert batch.normals is not None and batch.sides is not None and batch.faces is not None
        np.add.at(areas, batch.sides, batch.weights.sum(axis=1))
        np.add.at(met, batch.sides, 1)
        for side, normals, at in zip(batch.sides, batch.normals, batch.points):
            # the plane of the side, from its vertices alone
            own = points[sides[side]]
            axis = int(np.flatnonzero(np.ptp(own, axis=0) == 0)[0])
            outward = np.zeros(3)
            outward[axis] = 1.0 if own[0, axis] > 0 else -1.0
            assert np.abs(normals - outward).max() < 1e-13
            assert np.abs(at[:, axis] - own[0, axis]).max() < 1e-13
    extents = [np.sort(np.ptp(points[own], axis=0))[1:] for own in sides]
    assert np.abs(areas - np.prod(extents, axis=1)).max() < 1e-12
    assert sorted(met) == sorted(np.rint(areas))  # unit faces


@pytest.mark.filterwarnings("ignore:displacements reach")
def test_parts_of_the_boundary_have_places() -> None:
    creased = SHAPES["creased"]
    limits = creased.limit_matrix() @ creased.points
    low = (limits[:, 2] < 0.1).nonzero()[0]
    (side,) = [own for own, vertices in enumerate(creased.sides()) if set(vertices) <= set(low)]

    def area(part: int | str) -> float:
        return sum(batch.weights.sum() for batch in creased.quadrature(boundary=[part]).batches())

    assert area("where:z<0.1") == area(side) > 3
    given: dict[str, Any] = {"elasticity": (1.0, 0.3), "load": {"where:z>2.9": (0, 0, 1.0)}}
    solved = [creased.solve(fix=[part], **given)[0].attributes["displacement"] for part in ("where:z<0.1", side)]
    assert np.array_equal(*solved) and np.abs(solved[0]).max() > 0.1
    with pytest.raises(subsolid.Error, match="no face of the boundary has z<-1"):
        area("where:z<-1")


def test_fluxes_are_volumes(solid: subsolid.Solid) -> None:
    volume = sum(batch.weights.sum() for batch in solid.quadrature(rings=20).batches())
    closed, flux, first = np.zeros(3), 0.0, np.zeros((3, 3))
    for batch in solid.quadrature(rings=20, boundary=True).batches():
        assert batch.normals is not None
        closed += np.einsum("ns,nsd->d", batch.weights, batch.normals)
        flux += np.einsum("ns,nsd,nsd->", batch.weights, batch.points, batch.normals) / 3
        first += np.einsum("ns,nsd,nse->de", batch.weights, batch.points, batch.normals)
        assert np.abs(np.linalg.norm(batch.normals, axis=2) - 1).max() < 1e-13
    assert np.abs(closed).max() < 1e-13 * volume
    assert abs(flux - volume) < 1e-13 * volume
    assert np.abs(first - volume * np.eye(3)).max() < 1e-13 * volume


def test_faces_are_those_of_the_mesh(solid: subsolid.Solid) -> None:
    offsets, ids = solid.query("FV")
    sides = solid.sides()
    for batch in solid.quadrature(gauss=2, rings=0, boundary=True).batches():
        assert batch.faces is not None and batch.sides is not None
        for leaf, (face, side) in enumerate(zip(batch.faces, batch.sides)):
            own = ids[offsets[face] : offsets[face + 1]]
            assert np.isin(own, sides[side]).all()
            if len(solid.points) > 6:
                # in the hexahedron's parameters one is constant
                assert (np.ptp(batch.parameters[leaf], axis=0) == 0).sum() == 1


def test_some_sides_are_those_of_the_whole_boundary() -> None:
    solid = SHAPES["creased"]
    def areas(boundary: Any) -> dict[int, float]:
        found: dict[int, float] = {}
        for batch in solid.quadrature(gauss=3, rings=2, boundary=boundary).batches():
            assert batch.sides is not None
            for side, area in zip(batch.sides.tolist(), batch.weights.sum(axis=1)):
                found[side] = found.get(side, 0.0) + area
        return found

    all_sides = areas(True)
    assert set(all_sides) == set(range(len(solid.sides())))
    some = areas([4, 1])
    assert set(some) == {1, 4}
    assert all(abs(some[side] - all_sides[side]) < 1e-14 for side in some)
    assert areas(np.array([2])).keys() == {2}
    assert not solid.quadrature(2, boundary=False).is_boundary


@pytest.mark.parametrize("boundary", [None, True])
def test_loads_are_the_sums_of_the_batches(solid: subsolid.Solid, boundary: Any) -> None:
    quadrature = solid.quadrature(gauss=3, rings=2, boundary=boundary)
    rng = np.random.default_rng(7)
    moved = solid.points + 0.03 * rng.normal(size=solid.points.shape)
    for points in (None, moved):
        forces = rng.normal(size=(len(quadrature), 3))
        # batches of any size are in one order
        for max_points in (1, 20_000):
            expected, start = np.zeros((solid.n_points, 3)), 0
            for batch in quadrature.batches(points, max_points=max_points):
                own = forces[start : start + batch.weights.size].reshape(*batch.weights.shape, 3)
                start += batch.weights.size
                sums = np.einsum("ns,sc,nsd->ncd", batch.weights, batch.values, own)
                np.add.at(expected, batch.control_ids, sums)
            load = quadrature.load(forces, points=points)
            assert load.shape == (solid.n_points, 3)
            assert np.abs(load - expected).max() < 1e-13 * np.abs(expected).max()
        one = quadrature.load([1.0, -2.0, 0.5], points=points)
        many = quadrature.load(np.tile([1.0, -2.0, 0.5], (len(quadrature), 1)), points=points)
        assert np.array_equal(one, many)


def test_forces_and_moments_balance(solid: subsolid.Solid) -> None:
    # 6 points are exact for coordinates times forces, of degree 11 along an axis
    inside = solid.quadrature(6, rings=16)
    volume = sum(batch.weights.sum() for batch in inside.batches())
    body = inside.load([0.0, 0.0, -1.0])
    assert np.abs(body.sum(axis=0) - [0, 0, -volume]).max() < 1e-12 * volume
    skin = solid.quadrature(6, rings=16, boundary=True)
    batches = list(skin.batches())
    points = np.concatenate([batch.points.reshape(-1, 3) for batch in batches])
    normals = np.concatenate([batch.normals.reshape(-1, 3) for batch in batches if batch.normals is not None])
    # buoyancy: a pressure of -z lifts by the volume, with no moment about its center
    lift = skin.load(points[:, 2:] * normals)
    assert np.abs(lift.sum(axis=0) - [0, 0, volume]).max() < 1e-12 * volume
    moments = np.cross(solid.points, lift + body).sum(axis=0)
    assert np.abs(moments).max() < 1e-12 * volume
    assert np.abs(skin.load(normals).sum(axis=0)).max() < 1e-12 * volume


def test_a_bar_is_pulled_by_a_traction() -> None:
    from scipy.sparse.linalg import spsolve

    points, cells = box(2, 2, 3)
    solid = subsolid.Solid(points, cells, crease_angle=40.0)
    young, poisson, traction = 200.0, 0.3, 0.7
    sides = solid.sides()
    low, high = (
        next(i for i, own in enumerate(sides) if np.all(points[own, 2] == z)) for z in (0.0, 3.0)
    )
    stiffness = solid.quadrature(gauss=4).elasticity(young=young, poisson=poisson)
    load = solid.quadrature(gauss=4, boundary=[high]).load([0, 0, traction]).ravel()
    strain = traction / young
    exact = points * [-poisson * strain, -poisson * strain, strain]
    fixed = np.zeros(points.shape, dtype=bool)
    fixed[sides[low], 2] = True
    corner = int(np.flatnonzero((points == 0).all(axis=1))[0])
    beside = int(np.flatnonzero((points == [1, 0, 0]).all(axis=1))[0])
    fixed[corner] = fixed[beside, 1] = True
    free = np.flatnonzero(~fixed.ravel())
    displacement = np.zeros(points.size)
    displacement[free] = spsolve(stiffness[free][:, free].tocsc(), load[free])
    assert np.abs(displacement.reshape(-1, 3) - exact).max() < 1e-12 * 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.quadrature(boundary=[6]), "no side 6"),
        (lambda s: s.quadrature(boundary=[0, -1]), "boundary names -1"),
        (lambda s: s.quadrature(boundary=[]), "names no sides"),
        (lambda s: s.quadrature(boundary=[0.5]), "boundary has the type float64"),
        (lambda s: s.quadrature(2, boundary=True).mass(), "quadrature of the boundary"),
        (lambda s: s.quadrature(2, boundary=[1]).elasticity(), "quadrature of the boundary"),
        (lambda s: s.quadrature(2).load([1.0, 2.0]), r"force has the shape \[2\]"),
        (lambda s: s.quadrature(2).load(np.zeros((5, 3))), r"force has the shape \[5, 3\]"),
        (lambda s: s.quadrature(2).load([0.0, np.nan, 0.0]), "force 0 is not finite"),
        (lambda s: s.quadrature(2).load([0, 0, 1], points=np.zeros((2, 3))), "points"),
        (lambda s: s.quadrature(2).mass(density=0.0), "a density of 0"),
        (lambda s: s.quadrature(2).elasticity(poisson=0.5), "ratio 0.5"),
    ],
)
def test_bad_requests_are_refused_in_words(call: Any, message: str) -> None:
    with pytest.raises(subsolid.Error, match=message) as caught:
        call(SHAPES["creased"])
    assert caught.value.help


def test_values_on_the_boundary_are_unknowns_of_solids_with_ghosts():
    """A harmonic function by its values on two sides, at two sizes of cells: order 4."""
    linalg = pytest.importorskip("scipy.sparse.linalg")
    errors = []
    for n in (2, 4):
        box, _ = subsolid.shape("box", n, n, n).extend()
        box = box.with_points(box.points / n)

        def exact(points):
            return np.exp(points[..., 0]) * np.cos(points[..., 1])

        def at(quadrature):
            return np.concatenate([batch.points.reshape(-1, 3) for batch in quadrature.batches()])

        volume, boundary = box.quadrature(5), box.quadrature(5, boundary=True)
        constraints = volume.constraints()
        stiffness = constraints.T @ volume.stiffness() @ constraints
        held = boundary.held(exact(at(boundary)))
        assert len(held["inexact_faces"]) == 0
        ones = boundary.held()
        assert np.array_equal(ones["unknowns"], held["unknowns"])
        assert set(ones["values"]) == {0.0, 1.0}
        u = np.zeros(len(box.points))
        u[held["unknowns"]] = held["values"]
        free = np.setdiff1d(np.arange(len(u)), held["unknowns"])
        u[free] = linalg.spsolve(stiffness[free][:, free].tocsc(), -(stiffness @ u)[free])
        limit = box.with_attributes({"u": constraints @ u}).evaluate(5)
        errors.append(abs(limit.attributes["u"].ravel() - exact(limit.points.reshape(-1, 3))).max())
    assert errors[0] > 10 * errors[1] and errors[1] < 1e-4
    assert "constraints" in box.assemble(mass=1.0)
    with pytest.raises(subsolid.Error, match="boundary="):
        volume.held()


def test_a_periodic_solid_has_one_unknown_a_cell():
    box = subsolid.shape("box", 3, 3, 3)
    periodic, report = box.extend(periodic=["x", "y=3", "z"])
    assert report["ghosts"] == 5**3 - 27
    np.testing.assert_array_equal(periodic.periods, 3 * np.eye(3))
    assert box.periods.shape == (0, 3)
    again = pickle.loads(pickle.dumps(periodic))
    np.testing.assert_array_equal(again.periods, periodic.periods)
    q = periodic.quadrature(3)
    C = q.constraints()
    masses = C.T @ q.mass() @ np.ones(len(periodic.points))
    used = C.getnnz(axis=0) > 0
    assert used.sum() == 27
    np.testing.assert_allclose(masses[used], 1, rtol=1e-13)
    assert box.extend(periodic="x")[1]["ghosts"] == 18
    with pytest.raises(subsolid.Error, match="period `q`"):
        box.extend(periodic="q")
    with pytest.raises(subsolid.Error, match="names no periods"):
        box.extend(periodic="file")
    with pytest.raises(subsolid.Error, match="no place beside"):
        box.extend(periodic="x", angle=30)


def test_a_solid_that_is_cut_between_groups_is_continuous():
    box = subsolid.shape("box", 4, 2, 2)
    middles = np.asarray(box.points)[np.asarray(box.cells)].mean(axis=1)
    left = (middles[:, 0] < np.mean(box.points[:, 0])).astype(np.int32)
    box = box.with_cell_data({"group:left": left})
    for names in (True, "left", ["left"]):
        cut, report = box.extend(sharp_groups=names)
        assert report["interface_faces"] == 4 and report["copied_vertices"] == 9
    C = cut.quadrature(3).constraints()
    # as many unknowns follow from others as there are splines on the cut
    assert (C.getnnz(axis=0) == 0).sum() == 5**2
    ends = {"where:x<1e-6": 0.0, "where:x>3.999999": 1.0}
    _, found = cut.solve(heat={"left": 1.0, None: 10.0}, temperature=ends)
    assert abs(found["energy"] / (4 / (2 / 1 + 2 / 10) / 2) - 1) < 1e-9
    assert box.extend(sharp_groups=False)[1]["interface_faces"] == 0
    with pytest.raises(subsolid.Error, match="no group of cells"):
        box.extend(sharp_groups="right")
    with pytest.raises(subsolid.Error, match="sharp_groups of another form"):
        box.extend(sharp_groups=[])
