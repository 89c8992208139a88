"""Limits that are written for viewers, and surfaces that are moved to the limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import subsolid


def grid_of(path: Any) -> Any:
    """What VTK reads."""
    grid = pytest.importorskip("pyvista").read(path)
    found = {"points": grid.points, "cells": grid.cell_connectivity, "types": grid.celltypes}
    return {**found, **dict(grid.point_data.items()), **dict(grid.cell_data.items())}


@pytest.mark.parametrize(
    "options, arguments",
    [
        ({"cells": "lagrange"}, ["--cells", "lagrange"]),
        ({"samples": 3, "compress": True}, ["--samples", "3", "--compress"]),
        ({"cells": "bezier"}, ["--cells", "bezier"]),
        ({"cells": "bezier", "rings": 1}, ["--cells", "bezier", "--rings", "1"]),
    ],
)
def test_limits_are_written_as_the_program_does(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any, options: Any, arguments: Any
) -> None:
    model = models / "graded_bracket.vtu"
    command("evaluate", model, *arguments, "-o", tmp_path / "expected.vtu")
    graded.write_limit(tmp_path / "own.vtu", **options)
    own, expected = grid_of(tmp_path / "own.vtu"), grid_of(tmp_path / "expected.vtu")
    assert set(own) == set(expected) and "hardness" in own
    for name, values in expected.items():
        assert np.array_equal(own[name], values), name


def test_other_files_of_limits_are_refused(graded: subsolid.Solid, tmp_path: Any) -> None:
    cases: list[tuple[Any, dict[str, Any], str]] = [
        ("a.csv", {"cells": "lagrange"}, "holds points only"),
        ("a.png", {}, "unknown output format"),
        ("a.vtu", {}, "no samples are specified"),
        ("a.vtu", {"samples": 3, "rings": 2}, 'rings is for cells="bezier"'),
        ("a.vtu", {"cells": "bezier", "rings": 9}, "9 rings"),
        ("a.vtu", {"cells": "control"}, 'cells="control"'),
        ("a.vtu", {"samples": 1}, "one sample per cell"),
        ("a.vtu", {"samples": 65}, "samples=65 is out of range"),
        ("a.vtu", {"samples": 2, "gauss": 2}, "in several ways"),
        ("a.vtu", {"samples": 2, "attribute_derivatives": True}, "attribute_derivatives is for derivatives=1"),
        ("a.vtu", {"samples": 2, "pieces": (1, 2)}, "pieces is for a .pvtu"),
        ("a.pvtu", {"samples": 2, "pieces": (1, 2), "quality": True}, "pieces is not for quality"),
        ("a.vtk", {"samples": 2, "compress": True}, "is not compressed"),
        ("a.vtu", {"samples": 2, "color": "hardness"}, "color is for a .glb"),
        ("a.vtu", {"samples": 2, "write_memory": 1e-6}, "the limit is 1.0 kB"),
        ("a.glb", {"gauss": 2}, "gauss is not for .glb"),
        (None, {"samples": 2}, "an evaluation without a file"),
        (None, {"samples": 2, "quality": True, "compress": True}, "an evaluation without a file"),
    ]
    for name, options, message in cases:
        with pytest.raises(subsolid.Error) as refused:
            graded.write_limit(name and tmp_path / name, **options)
        assert message in refused.value.message and refused.value.help, message
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:.*left out")
def test_surfaces_go_to_the_limit_as_in_the_program(command: Any, models: Any, tmp_path: Any) -> None:
    surface = subsolid.read_surface(models / "surfaces" / "bishop.obj")
    height = surface.points[:, 1]
    surface = surface.with_attributes({"height": height})
    surface.write(tmp_path / "a.vtp")
    for scheme in ("catmull-clark", "bilinear"):
        command(
            "surface", tmp_path / "a.vtp", "--scheme", scheme, "--levels", "2", "--limit", "--normals",
            "-o", tmp_path / "limit.vtp",
        )  # fmt: skip
        expected = subsolid.read_surface(tmp_path / "limit.vtp")
        found = surface.refine(2, scheme=scheme, limit=True, normals=True)
        assert np.array_equal(found.points, expected.points)
        assert set(found.attributes) == set(expected.attributes) == {"height", "normals"}
        for name, values in expected.attributes.items():
            assert np.array_equal(found.attributes[name], values, equal_nan=True)
        # attributes go there with the weights of positions
        assert np.abs(found.attributes["height"] - found.points[:, 1]).max() < 1e-12
        positions, normals = surface.refine(2, scheme=scheme).limit(scheme=scheme)
        assert np.array_equal(positions, found.points)
        assert np.array_equal(normals, found.attributes["normals"], equal_nan=True)
    plain = surface.refine(2, normals=True)
    assert np.array_equal(plain.points, surface.refine(2).points) and "normals" in plain.attributes
    with pytest.raises(subsolid.Error, match="√3"):
        surface.refine(1, scheme="sqrt3", limit=True)
    smooth = subsolid.Surface(np.eye(4, 3), [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    with pytest.raises(subsolid.Error, match="limit=True is not for √3") as caught:
        smooth.refine(1, scheme="sqrt3", limit=True)
    # more levels do not help
    assert "take another scheme" in str(caught.value.help) and "levels" not in str(caught.value.help)
