"""The Python package beside others on the same work: values compared, times as a table.

    pip install ./python scipy splipy splinepy libigl mfem
    python benches/python.py [--points 50000] [--wheel FILE]

Spline volume: a cubic trivariate B-spline with uniform knots over a grid of control points, its value
and its Jacobian, at scattered points or on a grid. For subsolid it is the limit of the cells inside
the same control grid. Surface: Loop subdivision of a closed triangle mesh, three levels, from its
vertices and faces. Matrices: mass, stiffness and elasticity of a box of cubic B-splines, by MFEM over
a NURBS patch with as many elements and Gauss points; its rim of open knots makes its matrices 1.4
times as full. The rows of the middle are compared. Whatever is not installed is left out.

Each time is the median of several runs after a warm-up, with one thread and with all; packages that
have no threads are measured once. "Planned" subsolid repeats an evaluation, "at once" it also plans
it; neither counts making the solid or the spline. Exits with 1 where values differ by more than TOLERANCE of their largest.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Callable, Optional

TOLERANCE = 1e-12
#: Cells of the spline along each axis, and samples of the grid along each axis of a cell.
SPANS, SAMPLES = 20, 4
LEVELS = 3
#: Cells of the box of the matrices along each axis, even, and Gauss points along each axis of a cell.
ELEMENTS, GAUSS = 16, 5


def median(work: Callable[[], Any], seconds: float = 3.0) -> float:
    """Milliseconds of a run after a warm-up: the median of 3 to 50, or of one that takes long."""
    work()
    times: list[float] = []
    while sum(times) < seconds and len(times) < 50 or len(times) < 3 and sum(times) < 3 * seconds:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def has(*names: str) -> bool:
    """Whether a distribution is installed."""
    try:
        return bool([version(name) for name in names])
    except PackageNotFoundError:
        return False


def box(x: int, y: int, z: int) -> tuple[Any, Any]:
    """Vertices and cells of a box of x by y by z unit cells."""
    import numpy as np

    shape = (z + 1, y + 1, x + 1)
    points = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij")[::-1], axis=-1)
    ids = np.arange(points.size // 3).reshape(shape)
    corners = [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0)]
    cells = [ids[k : k + z, j : j + y, i : i + x].ravel() for k, j, i in corners]
    return points.reshape(-1, 3).astype(float), np.stack(cells, axis=1)


def volume_rows(count: int, threads: int) -> list[list[Any]]:
    """[work, who, threads, milliseconds, difference] of scattered points, then of a grid."""
    import numpy as np

    import subsolid

    rng = np.random.default_rng(1)
    side = SPANS + 2
    points, cells = box(side, side, side)
    points += 0.2 * rng.uniform(-1, 1, points.shape) - 1
    solid = subsolid.Solid(points, cells)
    points = points.reshape(side + 1, side + 1, side + 1, 3)
    knots = np.arange(-3.0, SPANS + 4)  # a span a cell, the domain is [0, SPANS]

    at = rng.uniform(0, SPANS, (count, 3))  # x, y, z
    span = np.minimum(at.astype(int), SPANS - 1)
    uvw = at - span
    cell = np.ravel_multi_index(tuple((span[:, ::-1] + 1).T), (side,) * 3)
    options: Any = {"cells": cell, "uvw": uvw, "derivatives": 1, "threads": threads}
    options["backend"] = "cpu"
    plan = solid.plan(**options)
    limit = plan.evaluate()

    def arrays(limit: Any) -> list[Any]:
        return [limit.points, *limit.derivatives.values()]

    def differs(found: list[Any], expected: list[Any]) -> float:
        pairs = zip(found, expected)
        return max(float(abs(a - b).max() / abs(b).max()) for a, b in pairs)

    expected = arrays(limit)
    work = f"{count} scattered points"
    own = median(lambda: plan.evaluate(out=limit))
    once = median(lambda: solid.evaluate(**options))
    rows = [[work, "subsolid, planned", threads, own, 0.0], [work, "subsolid, at once", threads, once, 0.0]]
    orders = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    if threads == 1 and has("scipy"):
        from scipy.interpolate import NdBSpline

        spline = NdBSpline((knots,) * 3, np.ascontiguousarray(points.transpose(2, 1, 0, 3)), k=3)

        def scipy_values() -> list[Any]:
            return [spline(at, nu=nu) for nu in orders]

        rows.append([work, f"SciPy {version('scipy')} NdBSpline", 1, median(scipy_values),
                     differs(scipy_values(), expected)])
    if has("splinepy"):
        import splinepy

        other = splinepy.BSpline([3, 3, 3], [knots] * 3, points.reshape(-1, 3))

        def splinepy_values() -> tuple[Any, Any]:
            return other.evaluate(at, threads), other.jacobian(at, threads)

        value, jacobian = splinepy_values()
        if not np.allclose(jacobian[:, :, 0], expected[1]):  # (n, parameter, component)
            jacobian = jacobian.transpose(0, 2, 1)
        found = [value, *(jacobian[:, :, axis] for axis in range(3))]
        rows.append([work, f"splinepy {version('splinepy')}", threads, median(splinepy_values),
                     differs(found, expected)])
    splipy_volume: Any = None
    if threads == 1 and has("splipy"):
        import splipy

        basis = splipy.BSplineBasis(4, knots)
        splipy_volume = splipy.Volume(*[basis] * 3, points.transpose(2, 1, 0, 3), raw=True)

        def splipy_values(x: Any = at[:, 0], y: Any = at[:, 1], z: Any = at[:, 2],
                          tensor: bool = False) -> list[Any]:
            first = [splipy_volume.derivative(x, y, z, d=d, tensor=tensor) for d in orders[1:]]
            return [splipy_volume.evaluate(x, y, z, tensor=tensor), *first]

        rows.append([work, f"splipy {version('splipy')}", 1, median(splipy_values),
                     differs(splipy_values(), expected)])

    # a grid: subsolid also evaluates the cells around, which count as points
    parameters = (np.arange(SAMPLES) + 0.5) / SAMPLES
    grid_options: Any = {"samples": parameters, "derivatives": 1, "threads": threads, "backend": "cpu"}
    plan = solid.plan(**grid_options)
    limit = plan.evaluate()
    wanted = (SPANS * SAMPLES) ** 3
    work = f"grid of {wanted} points"
    share = wanted / len(plan)
    own = share * median(lambda: plan.evaluate(out=limit))
    once = share * median(lambda: solid.evaluate(**grid_options))
    rows += [[work, "subsolid, planned", threads, own, 0.0], [work, "subsolid, at once", threads, once, 0.0]]
    if splipy_volume is not None:
        line = (np.arange(SPANS)[:, None] + parameters).ravel()
        shape = (side, side, side, SAMPLES, SAMPLES, SAMPLES, 3)

        def inner(values: Any) -> Any:
            inside = values.reshape(shape)[1:-1, 1:-1, 1:-1]  # [k][j][i][w][v][u]
            return inside.transpose(2, 5, 1, 4, 0, 3, 6).reshape((SPANS * SAMPLES,) * 3 + (3,))

        found = splipy_values(line, line, line, True)
        rows.append([work, f"splipy {version('splipy')}", 1,
                     median(lambda: splipy_values(line, line, line, True)),
                     differs(found, list(map(inner, arrays(limit))))])
    return rows


def sphere(levels: int) -> tuple[Any, Any]:
    """A tetrahedron whose triangles are split `levels` times, on the unit sphere. Its vertices have
    3 or 6 neighbors, where Loop's own weights and those that igl takes (Warren's) are the same."""
    import numpy as np

    points = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1.0]])
    faces = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])
    for _ in range(levels):
        edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        unique, which = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
        a, b, c = (which.ravel() + len(points)).reshape(3, -1)
        points = np.concatenate([points, points[unique].mean(axis=1)])
        u, v, w = faces.T
        faces = np.concatenate([np.stack(f, 1) for f in ((u, a, c), (a, v, b), (c, b, w), (a, b, c))])
    return points / np.linalg.norm(points, axis=1)[:, None], faces


def surface_rows(threads: int) -> list[list[Any]]:
    """[work, who, threads, milliseconds, difference] of Loop subdivision."""
    import numpy as np

    import subsolid

    points, faces = sphere(7)
    work = f"Loop, {len(faces)} triangles, {LEVELS} levels"

    def own() -> Any:
        return subsolid.Surface(points, faces).refine(LEVELS, scheme="loop")

    rows = [[work, "subsolid", threads, median(own), 0.0]]
    if threads == 1 and has("libigl", "scipy"):
        import igl
        from scipy.spatial import cKDTree

        found = igl.loop(points, faces, LEVELS)[0]
        expected = own().points
        distances = cKDTree(expected).query(found)[0] if len(found) == len(expected) else np.inf
        rows.append([work, f"libigl {version('libigl')}", 1,
                     median(lambda: igl.loop(points, faces, LEVELS)), float(np.max(distances))])
    return rows


#: A cube of one trilinear element as MFEM reads it; its knots are refined after its degree is raised.
MFEM_CUBE = """MFEM NURBS mesh v1.0
dimension
3
elements
1
1 5 0 1 2 3 4 5 6 7
boundary
6
1 3 3 2 1 0
1 3 0 1 5 4
1 3 1 2 6 5
1 3 2 3 7 6
1 3 3 0 4 7
1 3 4 5 6 7
edges
12
0 0 1
0 3 2
0 4 5
0 7 6
1 0 3
1 1 2
1 4 7
1 5 6
2 0 4
2 1 5
2 2 6
2 3 7
vertices
8
knotvectors
3
1 2 0 0 1 1
1 2 0 0 1 1
1 2 0 0 1 1
weights
1 1 1 1 1 1 1 1
FiniteElementSpace
FiniteElementCollection: NURBS1
VDim: 3
Ordering: 1
0 0 0
1 0 0
1 1 0
0 1 0
0 0 1
1 0 1
1 1 1
0 1 1
"""


def matrix_rows(threads: int) -> list[list[Any]]:
    """[work, who, threads, milliseconds, difference] of the matrices of a box."""
    import numpy as np

    import subsolid

    points, cells = box(ELEMENTS, ELEMENTS, ELEMENTS)
    rule = subsolid.Solid(points, cells).quadrature(GAUSS)
    young, poisson = 2.5, 0.25  # the constants of Lame are both 1
    works: dict[str, Callable[[], Any]] = {
        "mass": lambda: rule.mass(backend="cpu"),
        "stiffness": lambda: rule.stiffness(backend="cpu"),
        "elasticity": lambda: rule.elasticity(young=young, poisson=poisson, backend="cpu"),
    }
    title = f"{{}} matrix, {len(cells)} cells, {GAUSS}³ Gauss points"
    rows = [[title.format(name), "subsolid", threads, median(work), 0.0] for name, work in works.items()]
    if threads != 1 or not has("mfem", "scipy"):
        return rows
    import tempfile

    import mfem.ser as mfem
    from scipy.sparse import csr_matrix

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "cube.mesh")
        path.write_text(MFEM_CUBE)
        mesh = mfem.Mesh(str(path), 1, 1)
    mesh.DegreeElevate(2)
    mesh.NURBSUniformRefinement(ELEMENTS)
    basis = mesh.GetNodalFESpace().FEColl()
    spaces = [mfem.FiniteElementSpace(mesh, basis, count) for count in (1, 3)]
    gauss = mfem.IntRules.Get(mfem.Geometry.CUBE, 2 * GAUSS - 1)
    one = mfem.ConstantCoefficient(1.0)
    # integrator, space, and the power of the element's size that its entries scale with
    integrators: dict[str, tuple[Callable[[], Any], Any, int]] = {
        "mass": (lambda: mfem.MassIntegrator(one), spaces[0], 3),
        "stiffness": (lambda: mfem.DiffusionIntegrator(one), spaces[0], 1),
        "elasticity": (lambda: mfem.ElasticityIntegrator(one, one), spaces[1], 1),
    }
    middle = int(np.linalg.norm(points - ELEMENTS / 2, axis=1).argmin())
    for name, (integrator, space, power) in integrators.items():

        def assembled() -> Any:
            form, integral = mfem.BilinearForm(space), integrator()
            integral.SetIntRule(gauss)
            form.AddDomainIntegrator(integral)
            form.Assemble()
            form.Finalize()
            return form

        form = assembled()  # owns the arrays of its matrix
        sparse = form.SpMat()
        other = csr_matrix((sparse.GetDataArray(), sparse.GetJArray(), sparse.GetIArray()))
        own = works[name]().tocsr()
        row = np.sort(own[middle * (own.shape[0] // len(points))].data)
        lengths = np.flatnonzero(np.diff(other.indptr) == len(row))
        found = [np.sort(other[k].data) * ELEMENTS**power for k in lengths]
        difference = min(float(abs(values - row).max() / abs(row).max()) for values in found)
        rows.append([title.format(name), f"MFEM {version('mfem')}", 1, median(assembled), difference])
    return rows


def call_microseconds() -> dict[str, float]:
    """Microseconds of evaluating one place of a box of eight cells by a plan."""
    import numpy as np

    import subsolid

    points, cells = box(2, 2, 2)
    plan = subsolid.Solid(points, cells).plan(cells=[0], uvw=[[0.5, 0.5, 0.5]], backend="cpu")
    limit, out = plan.evaluate(), np.empty((1, 3))
    calls: dict[str, Callable[[], Any]] = {
        "plan.evaluate(points)": lambda: plan.evaluate(points),
        "plan.evaluate(points, out=limit)": lambda: plan.evaluate(points, out=limit),
        "plan.evaluate(points, out=array)": lambda: plan.evaluate(points, out=out),
    }
    found = {}
    for name, call in calls.items():
        times = []
        for _ in range(50):
            start = time.perf_counter()
            for _ in range(200):
                call()
            times.append((time.perf_counter() - start) / 200)
        found[name] = 1e6 * statistics.median(times)
    return found


def device_microseconds() -> dict[str, float]:
    """Microseconds of evaluating 35,840 cells at 8 x 8 x 8 samples on a GPU, and of reading the result
    there; nothing without a GPU and PyTorch."""
    import subsolid

    if not subsolid.devices() or not has("torch"):
        return {}
    import torch

    points, cells = box(32, 32, 35)
    solid = subsolid.Solid(points, cells)
    plan = solid.plan(samples=8, precision="f32", backend="cuda")
    controls = torch.tensor(points, dtype=torch.float32, device="cuda")
    times: dict[str, list[float]] = {}

    def lap(name: str, since: float) -> float:
        now = time.perf_counter()
        times.setdefault(name, []).append(1e6 * (now - since))
        return now

    for _ in range(200):
        torch.cuda.synchronize()
        start = time.perf_counter()
        limit = plan.evaluate(controls, device_output=True)
        lap("call of plan.evaluate(controls, device_output=True)", start)
        torch.cuda.synchronize()
        end = lap("the same until the results are there", start)
        tensor = torch.from_dlpack(limit.points)
        end = lap("torch.from_dlpack(limit.points), after that", end)
        tensor[-1].cpu()
        lap("a row of it to the host, after that", end)
        start = time.perf_counter()
        torch.from_dlpack(plan.evaluate(controls, device_output=True).points)[-1].cpu()
        lap("all of that without a wait between", start)
    return {name: statistics.median(all_of) for name, all_of in times.items()}


def import_milliseconds() -> float:
    """Milliseconds of `import subsolid` after `import numpy`, median of 15 processes."""
    program = (
        "import time, numpy; start = time.perf_counter(); import subsolid; "
        "print(time.perf_counter() - start)"
    )
    run = [sys.executable, "-c", program]
    times = [float(subprocess.check_output(run, text=True)) for _ in range(15)]
    return 1e3 * statistics.median(times)


def processor() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def rows_of(threads: int, points: int) -> list[list[Any]]:
    """The rows of one number of threads, from a process of its own."""
    environment = os.environ | {"RAYON_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    run = [sys.executable, __file__, "--rows", str(threads), "--points", str(points)]
    rows: list[list[Any]] = json.loads(subprocess.check_output(run, text=True, env=environment))
    return rows


def main(arguments: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=50_000, help="number of scattered points")
    parser.add_argument("--wheel", type=pathlib.Path, help="a wheel, for its size")
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.rows is not None:
        rows = volume_rows(given.points, given.rows) + surface_rows(given.rows)
        print(json.dumps(rows + matrix_rows(given.rows)))
        return 0
    counts = sorted({1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else
                     os.cpu_count() or 1})
    rows = [row for threads in counts for row in rows_of(threads, given.points)]
    works = list(dict.fromkeys(row[0] for row in rows))
    rows.sort(key=lambda row: works.index(row[0]))
    print(f"{processor()}, {counts[-1]} threads, Python {platform.python_version()}\n")
    print(f"| work | package | threads | ms | times subsolid | largest difference (at most {TOLERANCE}) |")
    print("|---|---|---|---|---|---|")
    wrong = False
    for work, who, threads, milliseconds, difference in rows:
        base = next(r[3] for r in rows if r[0] == work and r[1].startswith("subsolid") and r[2] == threads)
        wrong |= not difference <= TOLERANCE
        values = "" if who.startswith("subsolid") else f"{difference:.1e}"
        print(f"| {work} | {who} | {threads} | {milliseconds:.3g} | {milliseconds / base:.2f} | {values} |")
    print("\n| measured | |\n|---|---|")
    for name, microseconds in call_microseconds().items():
        print(f"| `{name}`, one place of 8 cells | {microseconds:.1f} µs |")
    for name, microseconds in device_microseconds().items():
        print(f"| 35,840 cells at 8³, f32: {name} | {microseconds:.1f} µs |")
    print(f"| `import subsolid` after NumPy | {import_milliseconds():.0f} ms |")
    if given.wheel:
        print(f"| wheel | {given.wheel.stat().st_size / 1e6:.1f} MB |")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
