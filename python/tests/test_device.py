"""Arrays on a GPU. What needs one is skipped without; what is refused is tested everywhere."""

from __future__ import annotations

import gc
import pickle
from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid

gpu = pytest.mark.skipif(not subsolid.devices(), reason="needs an NVIDIA GPU")


class Foreign:
    """An array on a GPU, by the CUDA array interface alone."""

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__cuda_array_interface__ = interface


class ByDlpack:
    """Claims to be on a GPU, but cannot be read."""

    def __init__(self, device: Any = (2, 0), capsule: Any = None) -> None:
        self.device, self.capsule = device, capsule

    def __dlpack_device__(self) -> Any:
        return self.device

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule


def interface(**changed: Any) -> dict[str, Any]:
    return {"shape": (8, 3), "typestr": "<f8", "data": (1 << 40, False), "version": 3} | changed


@pytest.fixture(scope="session")
def fan() -> subsolid.Solid:
    """Cells of every class, with an attribute."""
    points, cells = box(4, 4, 3, np.random.default_rng(1))
    keep = np.delete(np.arange(len(cells)), [0, 47])
    points, cells = points, cells[keep]
    used, cells = np.unique(cells, return_inverse=True)
    points = np.ascontiguousarray(points[used])
    t = np.ascontiguousarray(points[:, 0] ** 2)
    return subsolid.Solid(points, cells.reshape(-1, 8), attributes={"t": t, "p": points})


def test_a_plan_on_the_cpu_has_no_device_arrays(fan: subsolid.Solid) -> None:
    plan = fan.plan(samples=2, backend="cpu")
    with pytest.raises(subsolid.Error, match="device_output=True for a plan on the CPU") as caught:
        plan.evaluate(device_output=True)
    assert caught.value.help == 'plan with backend="cuda"'
    with pytest.raises(subsolid.Error, match="plan on the CPU"):
        fan.evaluate(samples=2, backend="cpu", device_output=True)


@pytest.mark.parametrize("points", [ByDlpack(), Foreign(interface())])
def test_a_plan_on_the_cpu_takes_no_device_arrays(fan: subsolid.Solid, points: Any) -> None:
    plan = fan.plan(samples=2, derivatives=1, backend="cpu")
    for call in (plan.evaluate, plan.adjoint, plan.pieces):
        with pytest.raises(subsolid.Error, match="on a GPU, the plan is on the"):
            call(points)
    zeros = np.zeros((len(plan), 3))
    with pytest.raises(subsolid.Error, match="on a GPU, the plan is on the"):
        plan.adjoint(zeros, derivatives={"u": points})
    with pytest.raises(subsolid.Error, match="the attribute"):
        plan.evaluate(attributes={"t": points})


def test_an_array_of_the_host_by_dlpack_is_one(fan: subsolid.Solid) -> None:
    torch = pytest.importorskip("torch")
    plan = fan.plan(samples=2, backend="cpu")
    with pytest.warns(subsolid.CopyWarning):
        found = plan.evaluate(torch.tensor(np.array(fan.points)))
    assert np.array_equal(found.points, plan.evaluate().points)


@pytest.mark.skipif(bool(subsolid.devices()), reason="there is a GPU")
def test_without_a_gpu_it_is_said() -> None:
    solid = subsolid.Solid(*box(1, 1, 1))
    for ask in (lambda: solid.plan(samples=2, backend="cuda"),
                lambda: solid.evaluate(samples=2, device_output=True),
                lambda: solid.quality(backend="cuda"),
                lambda: solid.locator(backend="cuda"),
                lambda: solid.locate([[0.5, 0.5, 0.5]], backend="cuda:1"),
                lambda: solid.slice(0.25, pixel=0.25, backend="cuda"),
                lambda: solid.boundary().slice(0.25, pixel=0.25, backend="cuda"),
                lambda: solid.boundary().refine(2, backend="cuda"),
                lambda: solid.boundary().normals(backend="cuda")):
        with pytest.raises(subsolid.Error, match="no CUDA device"):
            ask()


def test_processors_have_the_names_of_the_program(fan: subsolid.Solid) -> None:
    surface, x = fan.boundary(), np.full((1, 3), 0.5)
    jobs: list[Any] = [
        lambda backend: fan.locate(x, backend=backend),
        lambda backend: fan.slice(0.5, pixel=0.5, backend=backend),
        lambda backend: surface.refine(backend=backend),
        lambda backend: surface.normals(backend=backend),
    ]
    for job in jobs:
        job("cpu")
        with pytest.raises(subsolid.Error, match='unknown backend "gpu": give auto, cpu'):
            job("gpu")
        with pytest.raises(subsolid.Error, match="only Solid.evaluate runs on several") as refused:
            job("cuda:0,1")
        assert refused.value.help == 'give one, for instance backend="cuda:0"'
    with pytest.raises(subsolid.Error, match="a GPU for layers without pixels"):
        fan.slice(0.5, backend="cuda")


def test_strategies_are_those_of_the_program(fan: subsolid.Solid) -> None:
    with pytest.warns(UserWarning, match="strategy applies to GPUs only and is ignored"):
        found = fan.evaluate(2, backend="cpu", strategy="warp")
    assert np.array_equal(found.points, fan.evaluate(2, backend="cpu", strategy="auto").points)
    with pytest.raises(subsolid.Error) as refused:
        fan.plan(2, strategy="block")  # type: ignore[arg-type]
    assert refused.value.message == 'strategy="block"'
    assert refused.value.help == 'give one of "auto", "thread", "warp", "hybrid"'
    for mesh in (fan, fan.boundary()):
        expected = mesh.query("VV")
        for strategy in ("unordered", "rows", "patches"):
            for of, wanted in ((None, expected), ([3, 5], mesh.query("VV", [3, 5]))):
                for own, other in zip(mesh.query("VV", of, strategy=strategy), wanted):
                    assert np.array_equal(own, other)
    with pytest.raises(subsolid.Error, match='strategy="stored"'):
        fan.query("VV", strategy="stored")  # type: ignore[call-overload]


def every(limit: Any) -> dict[str, Any]:
    """All arrays of a limit by name."""
    found = {"points": limit.points, "det_j": limit.det_j}
    for name in ("derivatives", "attributes", "gradients"):
        found |= {f"{name} {key}": array for key, array in getattr(limit, name).items()}
    for name, arrays in limit.attribute_derivatives.items():
        found |= {f"{name} by {key}": array for key, array in arrays.items()}
    return found


@gpu
@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_results_are_those_of_the_host(fan: subsolid.Solid, precision: Any) -> None:
    plan = fan.plan(samples=3, derivatives=1, attribute_derivatives=True, gradients=True,
                    jacobian=True, precision=precision, backend="cuda")
    expected, found = every(plan.evaluate()), every(plan.evaluate(device_output=True))
    assert list(found) == list(expected) and len(found) > 12
    for name, array in found.items():
        assert array.shape == expected[name].shape and array.dtype == expected[name].dtype
        assert np.array_equal(array.numpy(), expected[name], equal_nan=True), name
    once = fan.evaluate(samples=3, precision=precision, device_output=True)
    assert np.array_equal(once.points.numpy(), expected["points"])
    assert once.device == "cuda:0" and len(once) == len(plan)


@gpu
def test_protocols(fan: subsolid.Solid) -> None:
    points = fan.plan(samples=2, backend="cuda").evaluate(device_output=True).points
    assert points.__dlpack_device__() == (2, 0)
    found = points.__cuda_array_interface__
    assert found["version"] == 3 and found["typestr"] == "<f8" and found["shape"] == points.shape
    assert found["stream"] not in (None, 0) and found["strides"] is None
    for options in ({}, {"stream": -1}, {"stream": 1}, {"stream": 2}, {"dl_device": (2, 0)}):
        assert '"dltensor"' in repr(points.__dlpack__(**options))
    assert '"dltensor_versioned"' in repr(points.__dlpack__(max_version=(1, 1)))
    for wrong in ({"copy": True}, {"dl_device": (1, 0)}):
        with pytest.raises(BufferError):
            points.__dlpack__(**wrong)
    with pytest.raises(subsolid.Error, match="stream=0"):
        points.__dlpack__(stream=0)
    with pytest.raises(subsolid.Error, match="out together with device_output"):
        fan.plan(samples=2, backend="cuda").evaluate(out=np.empty((1, 3)), device_output=True)


@gpu
@pytest.mark.parametrize("way", ["dlpack", "interface"])
def test_torch_reads_results_where_they_are(fan: subsolid.Solid, way: str) -> None:
    torch = pytest.importorskip("torch")
    plan = fan.plan(samples=4, backend="cuda")
    rng = np.random.default_rng(1)
    # by the interface PyTorch waits for no stream, and its default stream is made to wait
    other = torch.cuda.Stream() if way == "dlpack" else torch.cuda.default_stream()
    for stream in (torch.cuda.default_stream(), other):
        with torch.cuda.stream(stream):
            for _ in range(20):
                moved = np.ascontiguousarray(fan.points * rng.uniform(1, 2))
                points = plan.evaluate(moved, device_output=True).points
                address = points.__cuda_array_interface__["data"][0]
                tensor = (torch.from_dlpack(points) if way == "dlpack" else
                          torch.as_tensor(points, device="cuda"))
                assert tensor.data_ptr() == address
                doubled = 2 * tensor
                assert np.array_equal(doubled.cpu().numpy(), 2 * plan.evaluate(moved).points)


@gpu
def test_results_outlive_their_plan_and_later_ones(fan: subsolid.Solid) -> None:
    torch = pytest.importorskip("torch")
    plan = fan.plan(samples=4, backend="cuda")
    moved = [np.ascontiguousarray(fan.points * factor) for factor in range(1, 6)]
    expected = [plan.evaluate(points).points for points in moved]
    tensors = [torch.from_dlpack(plan.evaluate(p, device_output=True).points) for p in moved]
    last = plan.evaluate(moved[0], device_output=True)
    del plan
    gc.collect()
    for tensor, values in zip(tensors, expected):
        assert np.array_equal(tensor.cpu().numpy(), values)
    assert np.array_equal(last.points.numpy(), expected[0])


@gpu
@pytest.mark.parametrize("strategy", ["thread", "warp", "hybrid"])
def test_strategies_agree_on_the_device(fan: subsolid.Solid, strategy: Any) -> None:
    expected = fan.evaluate(4, backend="cuda").points
    found = fan.evaluate(4, backend="cuda", strategy=strategy).points
    assert np.abs(found - expected).max() < 1e-12


@gpu
def test_quality_on_the_device_is_that_of_the_host(fan: subsolid.Solid) -> None:
    found, expected = (fan.quality(4, backend=backend) for backend in ("cuda", "cpu"))
    for name in ("least_determinant", "least_scaled_jacobian"):
        assert found[name]["value"] == pytest.approx(expected[name]["value"], rel=1e-9, abs=1e-12)


@gpu
def test_points_are_located_on_the_device(fan: subsolid.Solid) -> None:
    rng = np.random.default_rng(3)
    low, high = fan.points.min(axis=0) - 0.2, fan.points.max(axis=0) + 0.2
    points = rng.uniform(low, high, (20_000, 3))
    expected = fan.locate(points, backend="cpu")
    locator = fan.locator(backend="cuda")
    for _ in range(2):
        found = locator.locate(points)
        assert np.array_equal(found.cells, expected.cells)
        inside = expected.cells >= 0
        assert inside.any() and not inside.all()
        assert np.abs(found.uvw[inside] - expected.uvw[inside]).max() < 1e-9
    nearest = fan.locate(points[:200], nearest=True, backend="cuda")
    assert np.array_equal(nearest.cells, fan.locate(points[:200], nearest=True, backend="cpu").cells)


@gpu
def test_layers_are_made_on_the_device(fan: subsolid.Solid, tmp_path: Any) -> None:
    host, device = (
        fan.slice(0.25, pixel=0.02, planes=2, backend=backend) for backend in ("cpu", "cuda")
    )
    for ours, theirs in zip(device, host):
        assert np.array_equal(ours.coverage, theirs.coverage)
        for name in ("t", "p_0"):
            assert np.nanmax(np.abs(ours.attributes[name] - theirs.attributes[name])) < 1e-7
    assert np.array_equal(device[3].coverage, host[3].coverage)
    for name, layers in (("host", host), ("device", device)):
        layers.write(tmp_path / name)
        layers.write(tmp_path / f"{name}_points.pvtu", attributes=["t"])
    files = sorted(path.relative_to(tmp_path / "host") for path in (tmp_path / "host").rglob("*.png"))
    assert files
    for file in files:
        assert (tmp_path / "device" / file).read_bytes() == (tmp_path / "host" / file).read_bytes()
    plain = fan.slice(0.25, pixel=0.1, attributes=False, backend="cuda")
    plain.write(tmp_path / "plain.pvtu")
    surface = fan.boundary()
    for ours, theirs in zip(surface.slice(0.25, pixel=0.1, backend="cuda"),
                            surface.slice(0.25, pixel=0.1, backend="cpu")):
        assert np.array_equal(ours.coverage, theirs.coverage)


@gpu
@pytest.mark.filterwarnings("ignore:.*cut into triangles")
@pytest.mark.parametrize("scheme", ["catmull-clark", "loop", "sqrt3"])
def test_surfaces_are_refined_on_the_device(fan: subsolid.Solid, scheme: Any) -> None:
    surface = fan.boundary().refine(0, scheme="loop") if scheme != "catmull-clark" else fan.boundary()
    has_limit = scheme != "sqrt3"
    host, device = (
        surface.refine(3, scheme=scheme, limit=has_limit, normals=has_limit, backend=backend)
        for backend in ("cpu", "cuda")
    )
    assert np.array_equal(device.points, host.points)
    assert np.array_equal(np.asarray(device.faces), np.asarray(host.faces))
    for name, values in host.attributes.items():
        assert np.array_equal(device.attributes[name], values, equal_nan=True)


@gpu
def test_memory_is_used_again(fan: subsolid.Solid) -> None:
    torch = pytest.importorskip("torch")
    plan = fan.refine(2).plan(samples=8, backend="cuda")

    def address() -> int:
        tensor = torch.from_dlpack(plan.evaluate(device_output=True).points)
        assert torch.isfinite(2 * tensor).all()
        return int(tensor.data_ptr())

    first = {address() for _ in range(3)}
    free = torch.cuda.mem_get_info()[0]
    assert {address() for _ in range(50)} <= first
    assert torch.cuda.mem_get_info()[0] > free - 50e6


@gpu
@pytest.mark.parametrize("precision", ["f64", "f32"])
@pytest.mark.parametrize("way", ["dlpack", "interface"])
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_points_come_from_the_device(
    fan: subsolid.Solid, precision: Any, way: str, far: float
) -> None:
    torch = pytest.importorskip("torch")
    solid = fan.with_points(np.ascontiguousarray(fan.points + far))
    kind = torch.float32 if precision == "f32" else torch.float64
    options: Any = {"samples": 3, "derivatives": 1, "precision": precision, "backend": "cuda"}
    if far and precision == "f32":
        with pytest.warns(UserWarning, match="single precision resolves coordinates"):
            plan = solid.plan(**options)
    else:
        plan = solid.plan(**options)
    for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            for factor in (1.0, 1.25):
                controls = torch.tensor(np.array(solid.points), dtype=kind, device="cuda") * factor
                host = np.ascontiguousarray(controls.cpu().numpy().astype(float))
                given: Any = controls
                if way == "interface":
                    given = Foreign({**controls.__cuda_array_interface__, "version": 3,
                                     "stream": stream.cuda_stream or 1})
                expected = plan.evaluate(host)
                # far from 0 the host chooses another origin for other points
                tolerance = (1e-12 if precision == "f64" else 1e-6) * far
                for found in (plan.evaluate(given).points,
                              plan.evaluate(given, device_output=True).points.numpy(),
                              plan.evaluate(given, out=np.empty_like(expected.points))):
                    assert np.abs(found - expected.points).max() <= tolerance


@gpu
def test_wrong_points_on_the_device_are_refused(fan: subsolid.Solid) -> None:
    torch = pytest.importorskip("torch")
    plan = fan.plan(samples=2, backend="cuda")
    good = torch.tensor(np.array(fan.points), device="cuda")
    n = len(good)
    wrong = {
        "float32": good.float(),
        "neither float32 nor float64": good.long(),
        "not C-contiguous": good.T.contiguous().T,
        "shape": good[:-1],
        "cannot be read": good.clone().requires_grad_(),
        "describe themselves wrongly": Foreign({"shape": (n, 3)}),
        "type <i8": Foreign(interface(shape=(n, 3), typestr="<i8")),
        "is not in the memory of": Foreign(interface(shape=(n, 3))),
        "is not aligned": Foreign(interface(shape=(n, 3), data=((1 << 40) + 4, False))),
        "stream 0": Foreign(interface(shape=(n, 3), stream=0)),
        "no capsule": ByDlpack(),
        "are on cuda:7": ByDlpack(device=(2, 7)),
    }
    for message, points in wrong.items():
        with pytest.raises(subsolid.Error, match=message):
            plan.evaluate(points)
    host = Foreign(interface(shape=(n, 3), data=(np.array(fan.points).ctypes.data, False)))
    with pytest.raises(subsolid.Error, match="is not in the memory of"):
        plan.evaluate(host)
    assert np.array_equal(plan.evaluate(good).points, plan.evaluate().points)


@gpu
@pytest.mark.parametrize("samples", [{"gauss": 3}, {"cells": [0, 3, 3], "uvw": np.full((3, 3), 0.3)}])
@pytest.mark.parametrize("derivatives", [0, 2])
@pytest.mark.parametrize("width", [None, 1, 3, 5])
def test_the_adjoint_has_the_bits_of_the_cpu(
    fan: subsolid.Solid, samples: Any, derivatives: Any, width: Any
) -> None:
    host, device = (fan.plan(**samples, derivatives=derivatives, backend=backend)
                    for backend in ("cpu", "cuda"))
    rng = np.random.default_rng(4)
    shape = (len(host),) if width is None else (len(host), width)
    values = rng.uniform(-1, 1, shape)
    others = {name: rng.uniform(-1, 1, shape) for name in ("v", "uw") if derivatives}
    expected = host.adjoint(values, derivatives=others)
    for _ in range(3):
        assert np.array_equal(device.adjoint(values, derivatives=others), expected)
    torch = pytest.importorskip("torch")
    found = device.adjoint(torch.tensor(values, device="cuda"), derivatives={
        name: torch.tensor(other, device="cuda") for name, other in others.items()})
    assert isinstance(found, subsolid.DeviceArray)
    assert np.array_equal(found.numpy(), expected)
    with pytest.raises(subsolid.Error, match="shape"):
        device.adjoint(torch.tensor(values[:-1], device="cuda"))


@gpu
def test_gradients_of_torch_on_the_device(fan: subsolid.Solid) -> None:
    torch = pytest.importorskip("torch")
    from subsolid.torch import evaluate

    small = subsolid.Solid(*box(2, 2, 1, np.random.default_rng(1)))
    plan = small.plan(gauss=2, derivatives=1, backend="cuda")
    controls = torch.tensor(np.array(small.points), device="cuda", requires_grad=True)
    assert all(result.is_cuda for result in evaluate(plan, controls))
    assert torch.autograd.gradcheck(lambda x: evaluate(plan, x), controls)


@gpu
def test_device_arrays_do_not_pickle(fan: subsolid.Solid) -> None:
    limit = fan.evaluate(samples=2, backend="cuda", device_output=True)
    with pytest.raises(TypeError, match="a DeviceLimit does not pickle: .* numpy"):
        pickle.dumps(limit)
    with pytest.raises(TypeError, match="a DeviceArray does not pickle: .* numpy"):
        pickle.dumps(limit.points)
    points = limit.points.numpy()
    assert np.array_equal(pickle.loads(pickle.dumps(points)), points)
