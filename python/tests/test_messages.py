"""What helps and warnings say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import subsolid


def test_helps_name_methods(models: Any, tmp_path: Any) -> None:
    surface = models / "surfaces" / "bishop.obj"
    with pytest.raises(subsolid.Error) as refused:
        subsolid.read(surface)
    assert refused.value.help == "subsolid.read_surface reads surfaces"
    with pytest.raises(subsolid.Error) as refused:
        subsolid.read_surface(models / "bracket.vtk")
    assert refused.value.help and refused.value.help.endswith("(Solid.boundary)")
    with pytest.warns(UserWarning), pytest.raises(subsolid.Error) as refused:
        subsolid.read(models / "bracket.vtk").boundary().write(tmp_path / "a.obj")
        bishop = subsolid.read_surface(surface)
        bishop.write(tmp_path / "a.ply")
        bishop.smooth(0.1)
    assert refused.value.help == 'cut the faces into triangles first: Surface.refine(0, scheme="loop")'
    triangles = bishop.refine(0, scheme="loop")
    assert triangles.smooth(1e-4).n_points == bishop.n_points


def test_faces_that_own_their_corners_are_warned_of(models: Any, tmp_path: Any) -> None:
    whole = subsolid.read_surface(models / "surfaces" / "bishop.obj").refine(0, scheme="loop")
    faces = np.asarray(whole.faces)
    soup = subsolid.Surface(whole.points[faces.ravel()], np.arange(faces.size).reshape(-1, 3))
    soup.write(tmp_path / "soup.ply")
    with pytest.warns(UserWarning, match=r"soup.ply: \d+ vertices where the surface ends lie exactly"):
        subsolid.read_surface(tmp_path / "soup.ply")
    soup.write(tmp_path / "soup.stl")
    assert subsolid.read_surface(tmp_path / "soup.stl").n_points == whole.n_points
