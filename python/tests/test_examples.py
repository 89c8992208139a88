"""The examples, at small sizes."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])


def test_evaluate_and_look(tmp_path: Any) -> None:
    pytest.importorskip("pyvista")
    from evaluate_and_look import main

    assert main(tmp_path, samples=3) == pytest.approx(6 / 7, rel=1e-12)
    assert (tmp_path / "classes.png").stat().st_size > 5000


def test_pictures(tmp_path: Any) -> None:
    for package in ("pyvista", "scipy", "PIL"):
        pytest.importorskip(package)
    import pyvista
    from pictures import main

    before = pyvista.OFF_SCREEN
    try:
        main(tmp_path)
    finally:
        pyvista.OFF_SCREEN = before
        pyvista.global_theme.restore_defaults()
    sizes = {file.stem: file.stat().st_size for file in tmp_path.glob("*.png")}
    assert set(sizes) == {"classes", "hardness", "fit", "volume", "elasticity", "lattice"}
    assert all(5000 < size < 60_000 for size in sizes.values()), sizes


def test_plate_with_hole() -> None:
    for package in ("gmsh", "scipy"):
        pytest.importorskip(package)
    from plate_with_hole import main

    found = main(around=16, outward=6)
    before, fitted = found["unfitted"], found["fitted"]
    assert before["hole"] == pytest.approx(-0.0502, abs=1e-3)
    assert abs(fitted["hole"]) < 2e-4
    assert abs(fitted["peak_error"]) < 0.02 < abs(before["peak_error"])


def test_fit_points() -> None:
    pytest.importorskip("scipy")
    from fit_points import main

    coarse = main(cells=3, samples=5)
    assert coarse < 1e-2
    assert main(cells=5, samples=5) < coarse / 2


@pytest.mark.parametrize("use_torch", [False, True])
def test_optimize_volume(use_torch: bool) -> None:
    pytest.importorskip("scipy")
    if use_torch:
        pytest.importorskip("torch")
    from optimize_volume import main

    wanted, reached = main(steps=20, use_torch=use_torch)
    assert abs(reached - wanted) < 1e-2 * wanted


def test_elasticity() -> None:
    pytest.importorskip("scipy")
    from elasticity import main

    assert abs(main() - 1) < 1e-9


def test_graded_lattice(tmp_path: Any) -> None:
    from graded_lattice import main

    areas = main(tmp_path, n=2, pixel=0.2)
    # the volume of the limit is 7.51; ten layers come within 7 % of it
    assert len(areas) == 10 and 0.3 * sum(areas) == pytest.approx(7.51, rel=0.1)
    assert len(list(tmp_path.glob("*.npy"))) == 10
