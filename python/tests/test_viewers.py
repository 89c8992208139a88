"""Scripts for ParaView and Blender."""

from __future__ import annotations

import pathlib
import shutil
import sys
from typing import Any

import numpy as np
import pytest

import subsolid

VIEWERS = pathlib.Path(__file__).parents[1] / "viewers"


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(VIEWERS), *sys.path])
    program = shutil.which("subsolid", path=str(pathlib.Path(sys.executable).parent))
    if program is None:
        pytest.skip("the program is not beside Python")
    monkeypatch.setenv("SUBSOLID", program)


@pytest.mark.parametrize("kind, cell_type", [(0, 12), (1, 79), (2, 72)])
def test_reader_of_paraview(models: Any, graded: subsolid.Solid, kind: int, cell_type: int) -> None:
    pytest.importorskip("vtkmodules")
    from paraview_reader import SubsolidReader
    from vtkmodules.util.numpy_support import vtk_to_numpy

    reader = SubsolidReader()
    reader.SetFileName(str(models / "graded_bracket.vtu"))
    reader.SetSamples(3)
    reader.SetCells(kind)
    reader.Update()
    grid = reader.GetOutputDataObject(0)
    assert grid.GetCellType(0) == cell_type
    hardness = vtk_to_numpy(grid.GetPointData().GetArray("hardness")).copy()
    # control values of Bézier cells are not values of the limit
    assert -0.2 < hardness.min() < hardness.max() < 1
    if kind == 0:
        assert grid.GetNumberOfCells() == 8 * graded.n_cells
        assert grid.GetPointData().HasArray("det_j") and grid.GetCellData().HasArray("class")
    smooth = np.sort(hardness)
    reader.SetCreaseAngle(40.0)
    reader.Update()
    sharp = np.sort(vtk_to_numpy(grid.GetPointData().GetArray("hardness")))
    assert len(sharp) != len(smooth) or not np.array_equal(sharp, smooth)


def test_import_of_blender(models: Any, graded: subsolid.Solid) -> None:
    from blender_import import read_limit

    points, quads, arrays = read_limit(str(models / "graded_bracket.vtu"), levels=1, crease_angle=40.0)
    skin = graded.with_creases(crease_angle=40.0).boundary().refine(1, limit=True)
    assert np.array_equal(points, skin.points) and np.array_equal(quads, skin.faces)
    assert np.array_equal(arrays["hardness"], skin.attributes["hardness"].ravel())
    surface = models / "surfaces" / "bishop.obj"
    assert len(read_limit(str(surface), levels=1)[1]) == subsolid.read_surface(surface).refine(1).n_faces
    with pytest.raises(RuntimeError, match="cannot be read"):
        read_limit(str(models / "nothing.vtk"))


def test_scripts_are_short() -> None:
    for script in VIEWERS.glob("*.py"):
        assert len(script.read_text(encoding="utf-8").splitlines()) <= 100
