"""Pages and .glb files of solids and surfaces."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import subsolid

#: Options of Python and of the program, of a solid.
SOLID: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"color": "hardness", "color_map": "turbo"}, ["--color", "hardness", "--color-map", "turbo"]),
    ({"unit": "mm", "up": "y"}, ["--unit", "mm", "--up", "y"]),
    ({"rings": 1, "interior_rings": 0}, ["--rings", "1", "--interior-rings", "0"]),
    ({"interior": False, "samples": 3}, ["--no-interior", "--samples", "3"]),
    ({"linear": True}, ["--linear"]),
]
#: The same of a surface.
SURFACE: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"rings": 2, "unit": "in"}, ["--rings", "2", "--unit", "in"]),
    ({"scheme": "loop", "levels": 1}, ["--scheme", "loop", "--levels", "1"]),
    ({"scheme": "bilinear"}, ["--scheme", "bilinear"]),
    ({"linear": True, "up": "y"}, ["--linear", "--up", "y"]),
]


@pytest.mark.parametrize("options, arguments", SOLID)
def test_pages_of_solids_are_those_of_the_program(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any, options: Any, arguments: Any
) -> None:
    model = models / "graded_bracket.vtu"
    command("view", model, "--title", "part", *arguments, "-o", tmp_path / "a.html")
    expected = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert graded.page(title="part", **options) == expected
    graded.view(tmp_path / "b.html", title="part", **options)
    assert (tmp_path / "b.html").read_text(encoding="utf-8") == expected


@pytest.mark.filterwarnings("ignore:.*cut into triangles")
@pytest.mark.parametrize("options, arguments", SURFACE)
def test_pages_of_surfaces_are_those_of_the_program(
    command: Any, models: Any, tmp_path: Any, options: Any, arguments: Any
) -> None:
    model = models / "surfaces" / "bishop.obj"
    command("view", model, "--title", "part", *arguments, "-o", tmp_path / "a.html")
    surface = subsolid.read_surface(model)
    expected = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert surface.page(title="part", **options) == expected


@pytest.mark.filterwarnings("ignore:.*left out", "ignore:.*cut into triangles")
def test_gltf_is_that_of_the_program(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any
) -> None:
    """What pages show first, and surfaces that are written."""
    bishop = models / "surfaces" / "bishop.obj"
    skin = subsolid.read_surface(bishop)
    solid = models / "graded_bracket.vtu"
    writers: list[tuple[Callable[..., None], dict[str, Any], list[Any]]] = [
        (graded.view, {"color": "hardness", "unit": "mm"}, ["view", solid, "--color", "hardness", "--unit", "mm"]),
        (graded.view, {"fineness": 3, "up": "y"}, ["view", solid, "--fineness", "3", "--up", "y"]),
        (graded.view, {"linear": True}, ["view", solid, "--linear"]),
        (skin.view, {"unit": "cm"}, ["view", bishop, "--unit", "cm"]),
        (skin.view, {"scheme": "loop"}, ["view", bishop, "--scheme", "loop"]),
        (graded.boundary().write, {"unit": "mm", "up": "y"}, ["boundary", solid, "--unit", "mm", "--up", "y"]),
    ]
    for write, options, arguments in writers:
        command(*arguments, "-o", tmp_path / "a.glb")
        write(tmp_path / "b.glb", **options)
        assert (tmp_path / "b.glb").read_bytes() == (tmp_path / "a.glb").read_bytes(), arguments


def test_layers_are_shown_beside_their_solid(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any
) -> None:
    model = models / "graded_bracket.vtu"
    command("slice", model, "--layer-height", "0.5", "--pixel", "0.2", "--png", tmp_path / "layers")
    command("view", model, "--slices", tmp_path / "layers", "-o", tmp_path / "graded_bracket.html")
    expected = (tmp_path / "graded_bracket.html").read_text(encoding="utf-8")
    page = graded.page(title="graded_bracket.vtu", slices=tmp_path / "layers")
    assert page == expected and len(page) > len(graded.page())
    with pytest.warns(UserWarning, match="the layers are of another model"):
        subsolid.shape("bracket").page(slices=tmp_path / "layers")
    with pytest.raises(subsolid.Error, match=r"(?s)no manifest.json.*subsolid slice --png"):
        graded.page(slices=tmp_path)


def test_options_of_pages_without_effect_are_refused(graded: subsolid.Solid, tmp_path: pathlib.Path) -> None:
    triangle = subsolid.Surface(np.eye(3), [[0, 1, 2]])
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: graded.page(linear=True, rings=1), "linear=True shows the cells of the file unchanged: rings has"),
        (lambda: graded.page(linear=True, interior=False), "interior=False has no effect"),
        (lambda: graded.page(interior=False, interior_rings=1), "interior_rings has no effect"),
        (lambda: graded.page(rings=9), "9 rings"),
        (lambda: graded.page(unit="km"), 'unit="km"'),  # type: ignore[arg-type]
        (lambda: graded.view(fineness=3), "fineness is for .glb"),
        (lambda: graded.view(tmp_path / "a.glb", title="a"), "title is for pages"),
        (lambda: graded.view(tmp_path / "a.glb", interior=False), "interior=False is for pages"),
        (lambda: triangle.page(linear=True, scheme="catmull-clark"), "polygons of the file unchanged: scheme has"),
        (lambda: triangle.page(scheme="loop", rings=1), 'scheme="loop" shows triangles: rings has no effect'),
        (lambda: triangle.page(levels=2), "levels=2 of a Catmull-Clark surface: its limit is shown"),
        (lambda: triangle.write(tmp_path / "a.obj", unit="mm"), "unit is for .glb and .3mf files"),
        (lambda: triangle.write(tmp_path / "a.ply", up="y"), "up is for .glb files"),
    ]
    for call, message in calls:
        with pytest.raises(subsolid.Error) as refused:
            call()
        assert message in refused.value.message and refused.value.help
    assert not list(tmp_path.iterdir())


def test_tables_of_surfaces_for_notebooks(bracket: subsolid.Solid) -> None:
    skin = subsolid.shape("box", 2, 2, 2).boundary()
    html = skin._repr_html_()
    assert html.startswith("<table>") and "24 of 4 corners" in html and "<iframe" in html
    assert bracket.boundary().n_faces > 1000 or "<iframe" in bracket.boundary()._repr_html_()
    # one vertex at which too many faces meet for a limit
    fan = subsolid.Surface(np.c_[np.random.default_rng(1).random((5001, 2)), np.zeros(5001)], [[0, i, i + 1] for i in range(1, 5000)])
    assert "<iframe" not in fan._repr_html_()


def test_surfaces_are_shown_in_a_browser(tmp_path: Any, monkeypatch: Any) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    surface = subsolid.shape("bracket").boundary()
    surface.view(up="y")
    (page,) = tmp_path.iterdir()
    assert opened == [page.as_uri()]
    assert page.read_text(encoding="utf-8") == surface.page(up="y")
    assert "<title>Surface</title>" in surface.page() and "<title>skin</title>" in surface.page(title="skin")
