"""Random calls: results, or exceptions in words; never a crash."""

from __future__ import annotations

import os
import threading
import warnings
from typing import Any, Callable

import numpy as np
import pytest
from boxes import box

import subsolid

CALLS = int(os.environ.get("SUBSOLID_FUZZ", "1500"))

#: What a call may raise.
EXPECTED = (subsolid.Error, TypeError, IndexError)


class OnDevice:
    """Claims to be on a GPU by one of the protocols, or both."""

    def __init__(self, device: Any, capsule: Any, interface: Any) -> None:
        if device is not None:
            self.__dlpack_device__ = lambda: device
        if capsule is not None:
            self.__dlpack__ = lambda **options: capsule
        if interface is not None:
            self.__cuda_array_interface__ = interface


class Source:
    """Random arguments, right and wrong."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        points, cells = box(2, 2, 2, self.rng)
        tetrahedron = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
        creases = ([[0, 1], [1, 2]], [1.5, np.inf])
        self.solids = [
            subsolid.Solid(points, cells, attributes={"t": points[:, 0], "d": points}),
            subsolid.Solid(points, cells, creases=creases, cell_data={"m": np.arange(8)}),
            subsolid.Solid(tetrahedron, [[0, 1, 2, 3]]),
        ]
        self.plans = [solid.plan(samples=2, derivatives=1) for solid in self.solids]
        self.plans += [self.solids[0].plan(gauss=2, precision="f32", threads=2)]
        if subsolid.devices():
            self.plans += [self.solids[0].plan(samples=2, derivatives=1, backend="cuda")]
        self.limits = [plan.evaluate() for plan in self.plans]
        self.surfaces = [solid.boundary() for solid in self.solids]

    def pick(self, *choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]

    def number(self) -> Any:
        return self.pick(0, 1, 2, 3, -1, 65, 2**31, 2**63, 10**30, 0.5, float("nan"), float("inf"), None, "a", True)

    def array(self, like: Any = None) -> Any:
        rng = self.rng
        if like is not None and rng.random() < 0.5:
            good = np.array(like, copy=True)
            kind = rng.integers(10)
            if kind == 0 and good.size and good.dtype.kind == "f":
                good.ravel()[rng.integers(good.size)] = self.pick(np.nan, np.inf, -1e308, 1e-320)
            elif kind == 1:
                good = np.asfortranarray(good)
            elif kind == 2:
                good = good[::-1]
            elif kind == 3:
                good.flags.writeable = False
            elif kind == 4:
                good = good.astype(self.pick("f4", "i4", "c16", "O", ">f8", "u1", "S4"))
            elif kind == 5:
                raw = np.zeros(good.nbytes + 1, np.uint8)[1:]
                good = raw.view(good.dtype).reshape(good.shape)
            elif kind == 6:
                good = good[..., None]
            elif kind == 7:
                good = good[:-1]
            return good
        shape = self.pick((), (0,), (3,), (0, 3), (4, 3), (8, 3), (3, 3, 3), (4, 2), (8,), (27, 3), (1, 8))
        if rng.random() < 0.3:
            return rng.integers(-2, 12, shape)
        return self.pick(rng.uniform(0, 1, shape), rng.normal(size=shape), "x", None, [], [[]], {}, [1, [2]], object())

    def on_device(self, like: Any) -> Any:
        """An object that claims so, with an address that is none."""
        interface: Any = {
            "shape": self.pick(like.shape, like.shape[:1], (-1, 3), (2**62, 2**62), (), "a", None),
            "typestr": self.pick("<f8", "<f4", ">f8", "<i8", "", 3),
            "data": self.pick((1 << 41, False), ((1 << 41) + 1, False), (2**64 - 8, False), (like.ctypes.data, True), (-1, 0), None, ()),
            "strides": self.pick(None, None, (24, 8), (8, 24), (0, 0), (1,), "a"),
            "version": self.pick(0, 2, 3, "3", None),
            "stream": self.pick(None, None, 0, -1, "a"),
        }
        if self.rng.random() < 0.2:
            del interface[self.pick(*interface)]
        device = self.pick(None, (2, 0), (2, 7), (2, -1), (1, 0), (13, 0), (2,), "a", (2**40, 0))
        return OnDevice(device, self.pick(None, 3, "a", object()), self.pick(None, 3, {}, interface, interface))

    def calls(self) -> list[Callable[[], Any]]:
        i = self.rng.integers(len(self.solids))
        solid, surface = self.solids[i], self.surfaces[i]
        k = self.rng.integers(len(self.plans))
        plan, limit = self.plans[k], self.limits[k]
        other = self.limits[self.rng.integers(len(self.limits))]
        cells = solid.cells if isinstance(solid.cells, np.ndarray) else solid.cells["tetra"]
        n = len(plan)
        controls = plan.solid.points
        small = lambda: self.pick(0, 1, 2, 3, -1, None, 0.5, "a")  # noqa: E731
        data = lambda: self.pick(None, {}, {"a": self.array(controls)}, {"a": self.array()}, {1: 2}, 3)  # noqa: E731
        return [
            lambda: subsolid.Solid(self.array(solid.points), self.array(cells)),
            lambda: subsolid.Solid(solid.points, cells, attributes=data(), cell_data=data()),
            lambda: subsolid.Solid(solid.points, cells, creases=(self.array([[0, 1]]), self.array([1.0]))),
            lambda: subsolid.Solid(solid.points, cells, corners=(self.array([0]), self.number())),
            lambda: subsolid.Solid(solid.points, {self.pick("wedge", "tetra", "polyhedron", "x"): self.array(cells)}),
            lambda: subsolid.Solid(solid.points, cells, crease_angle=self.number()),
            lambda: solid.evaluate(self.number()),
            lambda: solid.evaluate(gauss=self.pick(0, 1, 2, 33, -1, "a")),
            lambda: solid.evaluate(samples=self.array([0.1, 0.5])),
            lambda: solid.evaluate(2, derivatives=self.number(), gradients=self.pick(True, False), jacobian=True),
            lambda: solid.evaluate(2, backend=self.pick("cpu", "auto", "cuda", "cuda:9", "x", "")),
            lambda: solid.evaluate(2, precision=self.pick("f32", "f64", "f16", ""), threads=self.pick(None, 1, 2, 0, -1)),
            lambda: solid.evaluate(2, out=self.pick(other, self.array(limit.points))),
            lambda: solid.evaluate(cells=self.array([0, 0]), uvw=self.array(np.full((2, 3), 0.5)), corners=self.pick(None, self.array([0, 1]))),
            lambda: solid.basis_matrix(self.array([0]), self.array([[0.5, 0.5, 0.5]]), self.pick(None, "u", "uv", "x", "uuu"), corners=self.pick(None, [0], [1])),
            lambda: plan.evaluate(self.array(controls), out=self.pick(None, limit, other, self.array(limit.points))),
            lambda: plan.evaluate(attributes=data(), out=self.pick(None, limit)),
            lambda: plan.adjoint(self.array(np.zeros((n, 3))), derivatives=self.pick(None, {}, {"u": self.array(np.ones((n, 3)))}, {"x": 1})),
            lambda: plan.evaluate(self.pick(self.on_device(controls), self.array(controls)), device_output=self.pick(True, False), out=self.pick(None, None, limit, self.array(limit.points))),
            lambda: plan.adjoint(self.on_device(limit.points), derivatives=self.pick(None, {"u": self.on_device(limit.points)})),
            lambda: plan.adjoint(np.zeros((n, 3)), derivatives={"u": self.on_device(limit.points)}),
            lambda: plan.pieces(self.on_device(controls)),
            lambda: plan.basis_matrix(self.pick(None, "u", "ww", "")),
            lambda: list(plan.pieces(self.array(controls), results=self.pick(1, 100, 0, -1))),
            lambda: [limit.points, limit.derivatives, limit.attributes, limit.gradients, limit.undefined, len(limit)],
            lambda: limit.det_j,
            lambda: solid.refine(small(), vertex_rule=self.pick("layer-consistent", "joy-maccracken", "x")).n_cells if solid.n_cells < 9 else None,
            lambda: solid.refine(self.pick(20, 2**40)),
            lambda: solid.locate(self.array(solid.points), nearest=self.pick(True, False), tolerance=self.pick(1e-9, 0.0, np.nan, 1.0)),
            lambda: solid.locator(self.array(solid.points)),
            lambda: list(solid.slice(self.pick(0.5, 1.0, 0.0, -1.0, np.nan, np.inf), axis=self.pick("x", "y", "z", "w"), pixel=self.pick(None, 0.2, 0.0, -1.0, np.nan, 1e-9), planes=self.pick(1, 2, 0))),
            lambda: solid.slice(0.5)[self.pick(0, -1, 99, -99, 2**70)],
            lambda: next(solid.quadrature(self.pick(1, 2, 0, 99), rings=self.pick(None, 0, 1, 21, -1)).batches(self.array(solid.points), max_points=self.pick(1, 1000, 0))),
            lambda: solid.quadrature(2, rings=0, boundary=self.pick(True, False, None, [0], [1, 99], [-1], 0.5)).load(self.array(np.ones(3)), points=self.array(solid.points)),
            lambda: solid.quadrature(2, rings=0).elasticity(young=self.pick(1.0, 0.0, np.nan), poisson=self.pick(0.3, 0.5, np.nan)),
            lambda: solid.extract(self.pick(0, 1, 99, -1)),
            lambda: solid.query(self.pick("VV", "CC", "cv", "EE", "", "X", None)),
            lambda: solid.quality(self.pick(2, 0, None), gauss=self.pick(None, 2)),
            lambda: solid.with_points(self.array(solid.points)),
            lambda: solid.write(self.pick("/nowhere/a.vtu", "a.xyz", "", "\0", 3)),
            lambda: subsolid.read(self.pick("/nowhere/a.vtu", "", "\0", 3, "/")),
            lambda: subsolid.Surface(self.array(surface.points), self.array(surface.faces)),
            lambda: subsolid.Surface(surface.points, surface.faces, holes=self.array([0]), attributes=data()),
            lambda: surface.refine(self.pick(0, 1, -1, 99), scheme=self.pick("loop", "sqrt3", "catmull-clark", "bilinear", "x")),
            lambda: surface.evaluate(self.pick(1, 3, 0, 65, -1), scheme=self.pick("loop", "catmull-clark", "sqrt3")),
            lambda: surface.limit(scheme=self.pick("loop", "catmull-clark", "sqrt3", "bilinear")),
            lambda: surface.stencils(self.pick(0, 1, 2, 17)),
            lambda: surface.query(self.pick("VF", "CV", "?")),
            lambda: surface.write(self.pick("/nowhere/a.obj", "a.xyz"), unit=self.pick(None, "mm", "x", 3), up=self.pick(None, "y", "x")),
            lambda: solid.with_creases(self.pick(None, (self.array([[0, 1]]), self.array([0.0])), 3), self.pick(None, (self.array([0]), self.number())), crease_angle=self.pick(None, self.number())),
            lambda: solid.with_attributes({"a": self.array(solid.points)}),
            lambda: solid.with_cell_data({self.pick("a", "group:a", "", 1): self.array(np.ones(solid.n_cells))}),
            lambda: solid.with_face_groups({self.pick("a", "", 1): self.array(cells[:, :4])}),
            lambda: self.pick(solid, surface).query(self.pick("VV", "EC", "VF", "VC"), self.array([0, 1]), rings=self.pick(None, self.number()), oriented=self.pick(True, False)),
            lambda: solid.reorient(),
            lambda: solid.page(color=self.pick(None, "t", "x", 3), samples=self.number(), rings=self.number(), interior_rings=self.number(), interior=self.pick(True, False), linear=self.pick(True, False)),
            lambda: surface.page(scheme=self.pick(None, "loop", "catmull-clark", "x"), levels=self.pick(None, 1, -1, 99), rings=self.pick(None, 1, 9), linear=self.pick(True, False), unit=self.pick(None, "mm", "x"), up=self.pick("y", "x", None)),
            lambda: solid.view(self.pick("/nowhere/a.html", "/nowhere/a.glb", "a.xyz", "\0", 3), fineness=self.number(), slices=self.pick(None, "/nowhere", 3)),
            lambda: surface.view(self.pick("/nowhere/a.html", "/nowhere/a.glb", "a.xyz"), fineness=self.number()),
            lambda: solid.write_limit(self.pick(None, "/nowhere/a.vtu", "/nowhere/a.glb", "a.csv", "\0"), self.pick(None, self.number()), cells=self.pick(None, "bezier", "x"), rings=self.pick(None, self.number()), at=self.pick(None, "/nowhere"), derivatives=self.number(), quality=self.pick(True, False), explain=self.pick(True, False), pieces=self.pick(None, (self.number(), 2)), piece_points=self.pick(None, self.number()), write_memory=self.pick(None, self.number())),
            lambda: solid.write_extraction(self.pick("/nowhere/a.bext", "/nowhere/a.npz", "a.x"), rings=self.number(), max_size=self.pick(1.0, 0.0, np.nan)),
            lambda: solid.slice(0.5, pixel=self.pick(None, 0.2), resolution=self.pick(None, (9, 9), (self.number(), 3), 3, "ab")).write(
                self.pick("/dev/null/a", "/nowhere/a.svg", "/nowhere/a.cli", "/nowhere/a.zip", "/nowhere/a.sl1", "a.x", 3),
                attributes=self.pick(None, ["t"], ["x"], "t", 3), unit=self.pick(None, "mm", "x", self.number()), bits=self.pick(None, self.number()),
                dither=self.pick(True, False), gamma=self.pick(None, self.number()), threshold=self.pick(None, self.number()), flip=self.pick(None, "both", "none", 3), exposure=self.pick(None, 6, (6, self.number()), "x", (1, 2, 3, 4)),
            ),
            lambda: surface.with_points(self.array(surface.points)),
            lambda: surface.with_attributes({self.pick("a", "normals", ""): self.array(surface.points)}),
            lambda: surface.with_creases((self.array([[0, 1]]), self.array([1.0])), (self.array([0]), self.number())).refine(1),
            lambda: surface.with_rules(crease_rule=self.pick(None, "chaikin", "x"), boundary=self.pick(None, "holes", "x"), triangles=self.pick(None, "smooth", 3), uv_boundary=self.pick(None, "all", "x")).refine(1, limit=self.pick(True, False), normals=True),
            lambda: subsolid.Surface(surface.points, surface.faces, uv=self.pick((self.array(surface.points[:, :2]), self.array(surface.faces)), self.array())).refine(1).uv,
            lambda: subsolid.shape(self.pick("box", "fan", "x", ""), *self.pick((), (1, 2), (self.number(),), (3, self.number()))).n_cells,
            lambda: subsolid.read(self.pick("/nowhere/a.vtu", "/"), memory=self.pick(None, self.number())),
            lambda: subsolid.read_creases(self.pick("/nowhere/a.csv", "/", "\0", 3)),
        ]


def run(seed: int, count: int) -> dict[str, int]:
    """Makes calls; says how many ended in what."""
    source = Source(seed)
    ends: dict[str, int] = {}
    for _ in range(count):
        calls = source.calls()
        call = calls[source.rng.integers(len(calls))]
        try:
            call()
            end = "result"
        except EXPECTED as error:
            assert str(error), "an exception without words"
            end = type(error).__name__
        ends[end] = ends.get(end, 0) + 1
    return ends


def test_random_calls_never_crash() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ends = run(7, CALLS)
    assert sum(ends.values()) == CALLS
    assert ends["result"] > CALLS // 10 and ends["Error"] > CALLS // 10


@pytest.mark.filterwarnings("ignore")
def test_random_calls_of_several_threads_never_crash() -> None:
    found: list[Any] = []

    def work(seed: int) -> None:
        try:
            found.append(run(seed, CALLS // 20))
        except BaseException as error:
            found.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(isinstance(ends, dict) for ends in found), found
