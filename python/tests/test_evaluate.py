"""Evaluation: against splines, the program, and itself."""

from __future__ import annotations

import gc
import pathlib
import subprocess
import sys
import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid


def cubic(u: Any, order: int) -> Any:
    """The four uniform cubic B-splines of a cell, or a derivative."""
    if order == 0:
        return np.stack([(1 - u) ** 3, 3 * u**3 - 6 * u**2 + 4, -3 * u**3 + 3 * u**2 + 3 * u + 1, u**3]) / 6
    if order == 1:
        return np.stack([-((1 - u) ** 2), 3 * u**2 - 4 * u, -3 * u**2 + 2 * u + 1, u**2]) / 2
    return np.stack([1 - u, 3 * u - 2, 1 - 3 * u, u])


ORDERS = {"u": (1, 0, 0), "v": (0, 1, 0), "w": (0, 0, 1), "uu": (2, 0, 0), "vv": (0, 2, 0),
          "ww": (0, 0, 2), "uv": (1, 1, 0), "uw": (1, 0, 1), "vw": (0, 1, 1)}


def test_the_inner_cells_of_a_box_are_a_tensor_product_spline() -> None:
    rng = np.random.default_rng(1)
    points, cells = box(5, 6, 4, rng)
    solid = subsolid.Solid(points, cells)
    values = points.reshape(5, 7, 6, 3)
    cell = 1 * 30 + 2 * 5 + 3  # k = 1, j = 2, i = 3
    assert solid.classes[cell] == 0
    uvw = rng.uniform(0, 1, (50, 3))
    limit = solid.evaluate(cells=np.full(50, cell), uvw=uvw, derivatives=2)
    net = values[0:4, 1:5, 2:6]

    def spline(orders: tuple[int, int, int]) -> Any:
        u, v, w = (cubic(uvw[:, d], orders[d]) for d in range(3))
        return np.einsum("in,jn,kn,kjid->nd", u, v, w, net)

    assert np.abs(limit.points - spline((0, 0, 0))).max() < 1e-13
    assert list(limit.derivatives) == list(ORDERS)
    for name, orders in ORDERS.items():
        assert np.abs(limit.derivatives[name] - spline(orders)).max() < 1e-12


def test_arrays_are_bitwise_those_of_the_program(command: Any, models: Any, tmp_path: Any) -> None:
    graded = subsolid.read(models / "graded_bracket.vtu")
    out = tmp_path / "grid.npz"
    command("evaluate", models / "graded_bracket.vtu", "--samples", 4, "--derivatives", 1,
            "--jacobian", "--gradients", "--backend", "cpu", "--separate-points", "-o", out)
    with np.load(out) as arrays:
        limit = graded.evaluate(samples=4, derivatives=1, jacobian=True, gradients=True)
        names = {name.split("/")[-1]: name for name in arrays}
        expected = {"points": limit.points, "det_j": limit.det_j, **limit.attributes}
        expected |= {f"d_{d}": values for d, values in limit.derivatives.items()}
        expected |= {f"grad_{name}": values for name, values in limit.gradients.items()}
        assert len(expected) >= 7
        for name, values in expected.items():
            assert np.array_equal(arrays[names[name]], values, equal_nan=True), name


def test_scattered_samples_are_bitwise_those_of_the_program(
    command: Any, models: Any, bracket: subsolid.Solid, tmp_path: Any
) -> None:
    rng = np.random.default_rng(2)
    cells = rng.integers(0, bracket.n_cells, 200)
    uvw = rng.uniform(0, 1, (200, 3))
    table = tmp_path / "places.csv"
    rows = (f"{c},{u!r},{v!r},{w!r}" for c, (u, v, w) in zip(cells.tolist(), uvw.tolist()))
    table.write_text("cell,u,v,w\n" + "\n".join(rows) + "\n")
    out = tmp_path / "values.csv"
    command("evaluate", models / "bracket.vtk", "--at", table, "--derivatives", 2,
            "--backend", "cpu", "-o", out)
    found = np.genfromtxt(out, delimiter=",", names=True)
    limit = bracket.evaluate(cells=cells, uvw=uvw, derivatives=2)
    for d, axis in enumerate("xyz"):
        assert np.array_equal(found[axis], limit.points[:, d])
        for name, values in limit.derivatives.items():
            assert np.array_equal(found[f"{axis}{name}"], values[:, d], equal_nan=True), name


def test_a_plan_evaluates_moved_points_into_the_same_memory(bracket: subsolid.Solid) -> None:
    plan = bracket.plan(samples=3, derivatives=1)
    limit = plan.evaluate()
    view = limit.points
    moved = np.ascontiguousarray(bracket.points * 2.0)
    assert plan.evaluate(moved, out=limit) is limit
    fresh = plan.evaluate(moved)
    assert np.array_equal(view, fresh.points)
    assert view.ctypes.data == limit.points.ctypes.data
    out = np.empty((len(plan), 3))
    assert plan.evaluate(moved, out=out) is out
    assert np.array_equal(out, view)


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the peak of the memory")
@pytest.mark.parametrize("case", ["solid", "limit", "array", "single", "copy"])
def test_results_are_not_copied(case: str) -> None:
    program = pathlib.Path(__file__).with_name("peak_memory.py")
    done = subprocess.run([sys.executable, program, case], capture_output=True, text=True, check=True)
    peak = float(done.stdout)
    assert peak > 1.9 if case == "copy" else 0.9 < peak < 1.3


def test_views_keep_the_results(bracket: subsolid.Solid) -> None:
    limit = bracket.evaluate(samples=8)
    assert limit.points.base is not None and not limit.points.flags.owndata
    assert limit.points.ctypes.data == limit.points.ctypes.data
    points = limit.points
    expected = points.copy()
    del limit
    gc.collect()
    assert np.array_equal(points, expected)


def test_pieces_are_parts_of_the_whole(bracket: subsolid.Solid) -> None:
    plan = bracket.plan(samples=3)
    whole = plan.evaluate().points
    pieces = list(plan.pieces(results=1000))
    assert len(pieces) > 10
    assert np.array_equal(np.concatenate([piece.points for piece in pieces]), whole)
    assert pieces[0].elements[1] == pieces[1].elements[0]


def test_single_precision_is_single(bracket: subsolid.Solid) -> None:
    single = bracket.evaluate(samples=3, precision="f32").points
    double = bracket.evaluate(samples=3).points
    assert single.dtype == np.float32
    assert np.abs(single - double).max() < 1e-5


def test_attributes_may_be_given(graded: subsolid.Solid) -> None:
    plan = graded.plan(samples=2)
    x = np.ascontiguousarray(graded.points[:, 0])
    limit = plan.evaluate(attributes={"x": x, "p": graded.points})
    assert set(limit.attributes) == {"x", "p"}
    assert np.abs(limit.attributes["x"] - limit.points[:, 0]).max() < 1e-13
    assert np.abs(limit.attributes["p"] - limit.points).max() < 1e-13


def test_arrays_of_other_forms_are_copied_with_a_warning(bracket: subsolid.Solid) -> None:
    plan = bracket.plan(samples=2)
    expected = plan.evaluate().points
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(plan.evaluate(bracket.points).points, expected)
    for other in (np.asfortranarray(bracket.points), bracket.points.tolist(),
                  np.repeat(bracket.points, 2, axis=0)[::2]):
        with pytest.warns(subsolid.CopyWarning):
            assert np.array_equal(plan.evaluate(other).points, expected)


def test_gauss_points_and_parameters_along_an_axis(bracket: subsolid.Solid) -> None:
    nodes = 0.5 + 0.5 * np.polynomial.legendre.leggauss(3)[0]
    gauss = bracket.plan(gauss=3)
    assert np.abs(gauss.evaluate().points - bracket.evaluate(samples=nodes).points).max() < 1e-12
    cells, uvw, corners = gauss.places()
    assert (corners == -1).all()
    again = bracket.evaluate(cells=cells, uvw=uvw)
    assert np.abs(gauss.evaluate().points - again.points).max() < 1e-12


def test_cells_that_are_no_hexahedra_evaluate_by_corners() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    solid = subsolid.Solid(points, [[0, 1, 2, 3]])
    limit = solid.evaluate(samples=2)
    assert len(limit) == 4 * 8
    some = solid.evaluate(cells=[0, 0], corners=[1, 3], uvw=np.full((2, 3), 0.5))
    assert np.isfinite(some.points).all()
    with pytest.raises(subsolid.Error, match="corner -1 of cell 0"):
        solid.evaluate(cells=[0], uvw=np.zeros((1, 3)))


def test_threads_evaluate_one_plan_at_once(bracket: subsolid.Solid) -> None:
    plan = bracket.plan(samples=4, threads=2)
    expected = plan.evaluate().points.copy()
    equal: list[bool] = []

    def work(factor: float) -> None:
        points = np.ascontiguousarray(bracket.points * factor)
        for _ in range(10):
            # powers of two scale every step exactly
            equal.append(np.array_equal(plan.evaluate(points).points, factor * expected))

    threads = [threading.Thread(target=work, args=(2.0**k,)) for k in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert equal == [True] * 40


def test_other_threads_of_python_run_meanwhile(bracket: subsolid.Solid) -> None:
    running = threading.Event()
    ticks: list[float] = []

    def tick() -> None:
        while not running.is_set():
            ticks.append(time.perf_counter())
            time.sleep(1e-3)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        for samples in (16, 32, 64):
            plan = bracket.refine(1).plan(samples=samples, threads=1)
            begin = time.perf_counter()
            plan.evaluate()
            end = time.perf_counter()
            if end - begin > 0.05:
                break
        else:
            pytest.skip("no evaluation takes a twentieth of a second")
    finally:
        running.set()
        thread.join()
    assert len([t for t in ticks if begin < t < end]) > 5


def test_results_do_not_overwrite_the_points_they_come_from() -> None:
    rng = np.random.default_rng(0)
    points, cells = box(2, 2, 2, rng)
    solid = subsolid.Solid(points, cells)
    plan = solid.plan(cells=rng.integers(0, 8, 27), uvw=rng.random((27, 3)))
    limit = plan.evaluate()
    kept = limit.points.copy()
    with pytest.raises(subsolid.Error, match="out holds the points"):
        plan.evaluate(limit.points, out=limit)
    assert np.array_equal(limit.points, kept)
    assert plan.evaluate(kept, out=limit) is limit
    # another object of the same memory, with other rows
    memory = bytearray(8 * 3 * 30)
    given = np.frombuffer(memory, float, 81).reshape(27, 3)
    given[:] = points
    out = np.frombuffer(memory, float, 81, offset=8 * 3 * 3).reshape(27, 3)
    with pytest.raises(subsolid.Error, match="out is the memory of the points"):
        plan.evaluate(given, out=out)
    apart = np.frombuffer(bytearray(8 * 81), float).reshape(27, 3)
    assert np.array_equal(plan.evaluate(given, out=apart), plan.evaluate(points).points)


def test_pieces_take_attributes(graded: subsolid.Solid) -> None:
    plan = graded.plan(samples=3)
    name, values = next(iter(graded.attributes.items()))
    moved = {name: values + 1}
    whole = plan.evaluate(attributes=moved)
    pieces = list(plan.pieces(attributes=moved, results=200))
    assert len(pieces) > 1
    assert np.array_equal(np.concatenate([piece.attributes[name] for piece in pieces]), whole.attributes[name])


def test_derivatives_of_attributes_need_derivatives(graded: subsolid.Solid) -> None:
    for call in (graded.plan, graded.evaluate):
        with pytest.raises(subsolid.Error, match="is for derivatives=1 or 2") as caught:
            call(samples=2, attribute_derivatives=True)
        assert "attribute_derivatives" in str(caught.value.help)


def test_corners_need_cells(bracket: subsolid.Solid) -> None:
    with pytest.raises(subsolid.Error, match="corners without cells"):
        bracket.evaluate(3, corners=[0])


def test_single_precision_far_away_warns() -> None:
    points, cells = box(2, 2, 2)
    with pytest.warns(UserWarning, match="single precision resolves"):
        subsolid.Solid(0.01 * points + [1e6, 0, 0], cells).evaluate(2, precision="f32")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        subsolid.Solid(points, cells).evaluate(2, precision="f32")
