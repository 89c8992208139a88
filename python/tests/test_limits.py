"""What would fill the memory is an Error before it is asked for."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, Callable

import numpy as np
import pytest
from boxes import box

import subsolid

OF_MEMORY = r"needs? about \d.* GB of memory, "
#: Most bytes of memory for which the sizes below are too large.
MOST = 1 << 40


def memory() -> int:
    try:
        with open("/proc/meminfo") as table:
            return next(int(line.split()[1]) * 1024 for line in table if "MemTotal" in line)
    except OSError:
        return MOST


pytestmark = pytest.mark.skipif(memory() >= MOST, reason="the memory is large enough, or not known")


def test_results_that_would_fill_the_memory_are_refused() -> None:
    points, cells = box(2, 2, 2)
    solid = subsolid.Solid(points, cells)
    fine = solid.refine(4)
    plan = fine.plan(64, derivatives=2)
    assert len(plan) == 8**5 * 64**3
    calls: dict[str, Callable[[], Any]] = {
        "evaluate": lambda: fine.evaluate(64, derivatives=2),
        "plan": lambda: plan.evaluate(),
        "a piece of all": lambda: next(plan.pieces(results=len(plan))),
        "basis_matrix": lambda: plan.basis_matrix(),
        "places": lambda: plan.places(),
        "to_pyvista": lambda: fine.refine(1).to_pyvista(64),
    }
    for name, call in calls.items():
        with pytest.raises(subsolid.Error, match=OF_MEMORY):
            call()
    # pieces of it are taken all the same
    piece = next(plan.pieces(results=64**3))
    assert piece.points.shape == (64**3, 3)


def test_refinements_that_would_fill_the_memory_are_refused() -> None:
    points, cells = box(2, 2, 2)
    solid = subsolid.Solid(points, cells)
    surface = solid.boundary()
    for call in (surface.refine, surface.stencils):
        with pytest.raises(subsolid.Error, match="16 levels make .* faces and need.* memory") as e:
            call(16)
        assert "ask for at most " in str(e.value.help)
    for scheme in ("loop", "sqrt3"):
        with pytest.raises(subsolid.Error, match=OF_MEMORY):
            surface.refine(16, scheme=scheme)  # type: ignore[arg-type]
    for levels in (9, 40, 2**64 - 1):
        with pytest.raises(subsolid.Error, match="levels of refinement would make more than 268435456 cells"):
            solid.refine(levels)
    if memory() < 90e9:
        with pytest.raises(subsolid.Error, match="^8 levels need about 94.0 GB of memory, what is free"):
            solid.refine(8)


def test_layers_that_would_fill_the_memory_are_refused() -> None:
    points, cells = box(2, 2, 2)
    values = np.tile(points, 8)
    solid = subsolid.Solid(points, cells, attributes={"t": values})
    with pytest.raises(subsolid.Error, match="layers of .* pixels need about .* of memory"):
        solid.slice(0.5, pixel=3.2e-5)


MANY_ROWS = """
import resource, subsolid
solid = subsolid.shape("box", 30, 30, 30)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
try:
    solid.query("VV", rings=20)
except subsolid.Error as error:
    print(error.message, "/", error.help)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory as Linux does")
def test_rows_that_would_fill_the_memory_are_refused() -> None:
    done = subprocess.run([sys.executable, "-c", MANY_ROWS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("rows of more than ") and "fewer rings" in done.stdout
