"""Files of layers, and of extraction operators, are those of the program."""

from __future__ import annotations

import base64
import json
import pathlib
import pickle
import re
import subprocess
import zipfile
import zlib
from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid


def images(folder: pathlib.Path) -> dict[str, bytes]:
    """All files of a folder but for the name of the model."""
    found = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    return named(found)


def archived(path: pathlib.Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return named({name: archive.read(name) for name in archive.namelist()})


def named(files: dict[str, bytes]) -> dict[str, bytes]:
    if "manifest.json" in files:
        manifest = json.loads(files["manifest.json"])
        manifest["model"] = None
        files["manifest.json"] = json.dumps(manifest).encode()
    return files


GRAY: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({"planes": 2}, {}, ["--antialias", "2"]),
    ({"antialias": False}, {"flip": "vertical"}, ["--flip=vertical"]),
    ({}, {"bits": 16, "unit": "cm"}, ["--antialias", "1", "--bits", "16", "--unit", "cm"]),
    ({}, {"dither": True, "unit": 25.0}, ["--antialias", "1", "--dither", "--unit", "25"]),
    ({}, {"attributes": ["hardness"]}, ["--antialias", "1", "--attribute", "hardness"]),
    ({}, {"gamma": 2.2}, ["--antialias", "1", "--gamma", "2.2"]),
    ({}, {"threshold": 0.5}, ["--antialias", "1", "--threshold", "0.5"]),
    ({"resolution": (200, 150), "axis": "x"}, {}, ["--antialias", "1", "--resolution", "200x150", "--axis", "x"]),
]


def test_plates_are_those_of_the_program(command: Any, tmp_path: Any) -> None:
    body = subsolid.shape("box", 2, 2, 2).with_creases(crease_angle=40)
    body.write(tmp_path / "body.vtu")
    with pytest.warns(UserWarning, match="24 are cut into triangles"):
        subsolid.shape("box", 2, 2, 2).boundary().write(tmp_path / "insert.stl")
    insert = subsolid.read_surface(tmp_path / "insert.stl")
    own = ["--layer-height", "0.5", "--pixel", "0.1", "--antialias", "1", "--window", "-1:5,-0.5mm:3"]
    own += ["--place", "insert=3,0,0.7,90", "--materials", "body,insert", "--attribute", "insert"]
    command("slice", tmp_path / "body.vtu", tmp_path / "insert.stl", *own, "--png", tmp_path / "expected")
    parts: dict[str, Any] = {"body": body, "insert": insert}
    window: Any = ((-1, 5), ("-0.5mm", 3))
    arguments: dict[str, Any] = {"pixel": 0.1, "window": window, "materials": ["body", "insert"]}
    with pytest.warns(UserWarning, match="body and insert overlap"):
        layers = subsolid.slice_plate(parts, 0.5, place={"insert": (3, 0, 0.7, 90)}, **arguments)
    layers.write(tmp_path / "layers", attributes=["insert"])
    assert images(tmp_path / "layers") == images(tmp_path / "expected")
    shares = layers[2].attributes
    covered = layers[2].coverage > 0
    np.testing.assert_allclose((shares["body"] + shares["insert"])[covered], 1, rtol=1e-12)
    with pytest.raises(subsolid.Error, match="body and insert overlap"):
        subsolid.slice_plate(parts, 0.5, place={"insert": (3, 0, 0.7, 90)}, strict=True)
    arguments = {"pixel": 0.1, "plate": (6, "3.5mm"), "origin": (-1, "-0.5mm", 0)}
    with pytest.warns(UserWarning, match="body and insert overlap"):
        layers = subsolid.slice_plate(parts, 0.5, place={"insert": (3, 0, 0.7, 90)}, **arguments)
    assert layers.pixels is not None and np.allclose(layers.pixels[0], (-1, -0.5))
    assert layers.pixels[2] == (60, 35)
    layers.write(tmp_path / "plate.cli")
    with pytest.raises(subsolid.Error, match="which no part has"):
        subsolid.slice_plate(parts, 0.5, place={"other": (3, 0, 0.7)})
    with pytest.raises(subsolid.Error, match="give Solids and Surfaces"):
        subsolid.slice_plate({"body": 3}, 0.5)  # type: ignore[dict-item]
    with pytest.raises(subsolid.Error, match="several parts"):
        layers.write(tmp_path / "points.pvtu")


def test_gray_tables_are_those_of_the_program(command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any) -> None:
    table = tmp_path / "lamp.csv"
    table.write_text("level,written\n0,0\n0.3,0.8\n1,0.9\n", encoding="utf-8")
    own = ["--layer-height", "0.5", "--pixel", "0.1", "--antialias", "1", "--gray-table", table]
    command("slice", models / "graded_bracket.vtu", *own, "--png", tmp_path / "expected")
    layers = graded.slice(0.5, pixel=0.1)
    layers.write(tmp_path / "layers", gray_table=table)
    assert images(tmp_path / "layers") == images(tmp_path / "expected")
    with pytest.raises(subsolid.Error, match="gray_table do not go together"):
        layers.write(tmp_path / "both", gray_table=table, gamma=2)


HEIGHTS: list[tuple[dict[str, Any], list[str]]] = [
    ({"layer_height": "0.5,0.2@-10:-9,250um@0:", "first_layer": 0.3}, ["--layer-height", "0.5,0.2@-10:-9,0.25@0:", "--first-layer", "0.3"]),
    ({"adaptive": (0.1, "500um", 0.2)}, ["--adaptive", "0.1:0.5:0.2"]),
    ({"adaptive": "0.1:0.5:0.2"}, ["--adaptive", "0.1:0.5:0.2"]),
    ({"adaptive": (0.1, 0.5, 0.5), "adaptive_attribute": ("hardness", 0.02), "axis": "x"}, ["--adaptive", "0.1:0.5:0.5", "--adaptive-attribute", "hardness:0.02", "--axis", "x"]),
]


@pytest.mark.parametrize("heights, arguments", HEIGHTS)
def test_layers_of_several_heights_are_those_of_the_program(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any, heights: Any, arguments: Any
) -> None:
    own = ["--pixel", "0.2", "--antialias", "1", *arguments]
    command("slice", models / "graded_bracket.vtu", *own, "--png", tmp_path / "expected")
    layers = graded.slice(pixel=0.2, **heights)
    layers.write(tmp_path / "layers")
    assert images(tmp_path / "layers") == images(tmp_path / "expected")
    assert len(set(layers.thicknesses.round(9))) > 1
    tops = layers.heights + 0.5 * layers.thicknesses
    assert np.allclose(tops[1:] - layers.thicknesses[1:], tops[:-1])
    with pytest.raises(subsolid.Error, match="one height for all layers"):
        layers.write(tmp_path / "job.sl1", exposure=6)
    with pytest.raises(subsolid.Error, match="layers without a height"):
        graded.slice()
    with pytest.raises(subsolid.Error, match="--adaptive|adaptive with layer_height"):
        graded.slice(0.5, adaptive=(0.1, 0.5, 0.2))


COMPENSATIONS: list[tuple[dict[str, Any], list[str]]] = [
    ({"scale": (1.01, 0.99, 1.02)}, ["--scale", "1.01,0.99,1.02"]),
    ({"scale": 1.01, "offset": "-100um", "join": "miter"}, ["--scale", "1.01", "--offset=-0.1", "--join", "miter"]),
    ({"elephant_foot": ("0.2mm", 3), "offset": -0.05}, ["--elephant-foot", "0.2@3", "--offset=-0.05"]),
]


@pytest.mark.parametrize("given, arguments", COMPENSATIONS)
def test_compensated_layers_are_those_of_the_program(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any, given: Any, arguments: Any
) -> None:
    own = ["--layer-height", "0.5", "--pixel", "0.1", "--antialias", "1", "--attribute", "hardness", *arguments]
    command("slice", models / "graded_bracket.vtu", *own, "--png", tmp_path / "expected")
    layers = graded.slice(0.5, pixel=0.1, **given)
    layers.write(tmp_path / "layers", attributes=["hardness"])
    assert images(tmp_path / "layers") == images(tmp_path / "expected")
    plain = graded.slice(0.5, pixel=0.1)
    assert layers[1].area != plain[1].area
    assert (layers[1].coverage != 0).any()
    for wrong, text in [({"scale": 0}, "out of range"), ({"join": "miter"}, "contours that move"), ({"offset": 0.1}, "outside the model")]:
        with pytest.raises(subsolid.Error, match=text):
            graded.slice(0.5, pixel=0.1, attributes=["hardness"], **wrong)


LENGTHS: list[tuple[Any, dict[str, Any], list[str]]] = [
    ("500um", {"pixel": "0.1x0.05mm", "tolerance": "1um"}, ["--pixel", "0.1x0.05", "--tolerance", "0.001"]),
    ("0.5 in", {"pixel": (0.1, "1.27mm"), "unit": "in"}, ["--pixel", "0.1x0.05", "--unit", "in"]),
    (0.5, {"dpi": (300, 600), "origin": "-20mm"}, ["--dpi", "300x600", "--origin", "-20"]),
]


@pytest.mark.parametrize("height, cut, arguments", LENGTHS)
def test_lengths_have_units(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any, height: Any, cut: Any, arguments: Any
) -> None:
    own = ["--layer-height", "0.5", "--antialias", "1", *arguments]
    command("slice", models / "graded_bracket.vtu", *own, "--png", tmp_path / "expected")
    layers = graded.slice(height, **cut)
    layers.write(tmp_path / "layers")
    assert images(tmp_path / "layers") == images(tmp_path / "expected")
    (_, (width, tall), _) = layers.pixels
    assert width != tall
    layers.write(tmp_path / "lines.vtp")  # in the unit of the model
    if isinstance(height, str):
        with pytest.raises(subsolid.Error, match="unit"):
            layers.write(tmp_path / "other", unit="cm")
    for wrong in ["5 parsec", "mm", "1mm2"]:
        with pytest.raises(subsolid.Error, match="is not a length"):
            graded.slice(wrong)
    with pytest.raises(subsolid.Error, match="do not go together"):
        graded.slice(0.5, pixel=0.1, dpi=600)


@pytest.mark.parametrize("cut, written, arguments", GRAY)
def test_images_are_those_of_the_program(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any, cut: Any, written: Any, arguments: Any
) -> None:
    model = models / "graded_bracket.vtu"
    own = ["--layer-height", "0.5", "--pixel", "0.1", *arguments]
    command("slice", model, *own, "--png", tmp_path / "expected", "--zip", tmp_path / "expected.zip")
    layers = graded.slice(0.5, pixel=0.1, **cut)
    layers.write(tmp_path / "layers", **written)
    assert images(tmp_path / "layers") == images(tmp_path / "expected")
    layers.write(tmp_path / "layers.zip", **written)
    assert archived(tmp_path / "layers.zip") == archived(tmp_path / "expected.zip")


def test_images_of_materials_are_those_of_the_program(command: Any, tmp_path: Any) -> None:
    points, cells = box(4, 2, 2)
    copper = points[:, 0] / 4
    attributes = {"copper": copper, "steel": 1 - copper}
    solid = subsolid.Solid(
        points, cells, crease_angle=40.0, attributes=attributes, cell_data={"part": np.arange(16) % 3}
    )
    solid.write(tmp_path / "box.vtu")
    own = ["slice", tmp_path / "box.vtu", "--layer-height", "0.5", "--pixel", "0.25", "--antialias", "1"]
    cases: list[tuple[Any, bool, list[str]]] = [
        (["steel", "copper"], False, ["--materials", "steel,copper"]),
        (["steel", "copper"], True, ["--materials", "steel,copper", "--separate"]),
        ("part", False, ["--material-id", "part"]),
    ]
    for k, (materials, separate, arguments) in enumerate(cases):
        command(*own, *arguments, "--png", tmp_path / f"expected{k}")
        layers = solid.slice(0.5, pixel=0.25, materials=materials)
        layers.write(tmp_path / f"layers{k}", separate=separate)
        assert images(tmp_path / f"layers{k}") == images(tmp_path / f"expected{k}")


def test_colors_and_reports_are_those_of_the_program(command: Any, tmp_path: Any) -> None:
    points, cells = box(4, 2, 2)
    copper = points[:, 0] / 4
    solid = subsolid.Solid(points, cells, crease_angle=40.0, attributes={"copper": copper, "steel": 1 - copper})
    solid.write(tmp_path / "box.vtu")
    own = ["slice", tmp_path / "box.vtu", "--layer-height", "0.5", "--pixel", "0.25", "--antialias", "1", "--json"]
    layers = solid.slice(0.5, pixel=0.25, materials={"steel": "#112233", "copper": None})
    for k, (name, option, options, written) in enumerate([
        ("layers", "--png", ["--materials", "steel=#112233,copper"], {}),
        ("gray.zip", "--zip", ["--bitmaps", "--bits", "8"], {"format": "bmp", "bits": 8}),
    ]):
        folders = [tmp_path / f"{folder}{k}" for folder in ("expected", "own")]
        for folder in folders:
            folder.mkdir()
        expected = json.loads(command(*own, *options, option, folders[0] / name))
        found = (layers if k == 0 else solid.slice(0.5, pixel=0.25)).write(folders[1] / name, **written)
        read = images if k == 0 else archived
        assert read(folders[1] / name) == read(folders[0] / name)
        assert found["outputs"] == [str(folders[1] / name)] and found["made"] == 4
        for key in found.keys() - {"outputs", "seconds"}:
            assert found[key] == expected[key], key
    for color in ("red", "#12", "#11223g"):
        with pytest.raises(subsolid.Error, match="steel") as refused:
            solid.slice(0.5, pixel=0.25, materials={"steel": color})
        assert "colors look like #b87333" in refused.value.help


def test_contours_are_those_of_the_program(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any
) -> None:
    model = models / "graded_bracket.vtu"
    layers = graded.slice(0.5)
    cases: list[tuple[str, dict[str, Any], list[str]]] = [
        ("layered-svg", {"unit": "mm"}, []),
        ("cli", {}, []),
        ("cli", {"binary": True, "unit": "in"}, ["--binary", "--unit", "in"]),
        ("vtp", {}, []),
    ]
    for option, written, arguments in cases:
        ending = option.rsplit("-", 1)[-1]
        folders = [tmp_path / "expected", tmp_path / "own"]
        for folder in folders:
            folder.mkdir(exist_ok=True)
        expected, own = (folder / f"graded_bracket.{ending}" for folder in folders)
        command("slice", model, "--layer-height", "0.5", f"--{option}", expected, *arguments)
        layers.write(own, **written)
        assert own.read_bytes().replace(b"graded_bracket.vtu", b"") == expected.read_bytes().replace(
            b"graded_bracket.vtu", b""
        ), option
    command(
        "slice", model, "--layer-height", "0.5", "--vtp", tmp_path / "expected.vtp", "--attribute", "hardness"
    )
    graded.slice(0.5, pixel=0.1).write(tmp_path / "own.vtp", attributes=["hardness"])
    assert (tmp_path / "own.vtp").read_bytes() == (tmp_path / "expected.vtp").read_bytes()


def test_archives_for_printers_and_surfaces_are_those_of_the_program(
    command: Any, bracket: subsolid.Solid, tmp_path: Any
) -> None:
    surface = bracket.boundary()
    surface.write(tmp_path / "skin.obj")
    surface = subsolid.read_surface(tmp_path / "skin.obj")
    own = ["slice", tmp_path / "skin.obj", "--layer-height", "0.5", "--pixel", "0.1", "--antialias", "1"]
    folders = [tmp_path / "expected", tmp_path / "own"]
    for folder in folders:
        folder.mkdir()
    command(*own, "--resolution", "160x120", "--exposure", "6:35:10", "--sl1", folders[0] / "job.sl1")
    layers = surface.slice(0.5, pixel=0.1, resolution=(160, 120))
    layers.write(folders[1] / "job.sl1", exposure=(6, 35, 10))
    assert archived(folders[1] / "job.sl1") == archived(folders[0] / "job.sl1")
    command(*own, "--scheme", "linear", "--png", folders[0] / "layers")
    surface.slice(0.5, pixel=0.1, scheme="linear").write(folders[1] / "layers")
    assert images(folders[1] / "layers") == images(folders[0] / "layers")


def test_layers_of_moved_points_are_another_model(graded: subsolid.Solid, tmp_path: Any) -> None:
    graded.slice(1.0, pixel=0.2).write(tmp_path / "own")
    graded.slice(1.0, pixel=0.2, points=1.5 * graded.points).write(tmp_path / "moved")
    graded.page(slices=tmp_path / "own")
    with pytest.warns(UserWarning, match="moved: the layers are of another model"):
        graded.page(slices=tmp_path / "moved")
    graded.with_points(1.5 * graded.points).page(slices=tmp_path / "moved")


def test_layers_from_an_origin_are_those_of_the_program(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any
) -> None:
    model = models / "graded_bracket.vtu"
    low = float(graded.slice(0.5).heights[0]) - 0.25
    own = ["slice", model, "--layer-height", "0.5"]
    origin = ["--origin", repr(low - 0.8)]
    command(*own, *origin, "--png", tmp_path / "expected", "--pixel", "0.1", "--antialias", "1")
    layers = graded.slice(0.5, origin=low - 0.8, pixel=0.1)
    assert layers.heights[0] == low - 0.8 + 0.25 and len(layers[0].contours) == 0
    layers.write(tmp_path / "layers")
    assert images(tmp_path / "layers") == images(tmp_path / "expected")
    subsolid.read(models / "bracket.vtk").boundary().write(tmp_path / "skin.obj")
    surface = subsolid.read_surface(tmp_path / "skin.obj")
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    command("slice", tmp_path / "skin.obj", *own[2:], *origin, "--cli", tmp_path / "a" / "job.cli")
    surface.slice(0.5, origin=low - 0.8).write(tmp_path / "b" / "job.cli")
    assert (tmp_path / "b" / "job.cli").read_bytes() == (tmp_path / "a" / "job.cli").read_bytes()
    # what the program refuses, in the words of either
    drawn = [*own, "--svg", tmp_path / "refused"]
    cases: list[tuple[list[str], dict[str, Any]]] = [
        (["--origin", "99"], {"origin": 99.0}),
        (["--origin", "inf"], {"origin": np.inf}),
        (["--layer-height", "1000"], {"layer_height": 1000.0}),
        (["--layer-height", "0"], {"layer_height": 0.0}),
        (["--png", str(tmp_path / "none"), "--pixel", "1000"], {"pixel": 1000.0}),
        (["--png", str(tmp_path / "none"), "--pixel", "-1"], {"pixel": -1.0}),
        (["--unit", "1e-99"], {"unit": 1e-99}),
    ]
    for arguments, options in cases:
        words = [word for word in drawn if "--layer-height" not in arguments or word not in ("--layer-height", "0.5")]
        with pytest.raises(subprocess.CalledProcessError) as failed:
            command(*words, *arguments)
        with pytest.raises(subsolid.Error) as refused:
            unit = options.pop("unit", None)
            graded.slice(**({"layer_height": 0.5} | options)).write(tmp_path / "refused.svg", unit=unit)
        error = refused.value
        assert error.help
        for text in (error.message, error.help):
            spelled = re.sub(r"\b(origin|pixel|unit)=", r"--\1 ", text).replace("; range ", "; --range ")
            assert flat(spelled) in flat(failed.value.stderr), (spelled, failed.value.stderr)
    assert not any((tmp_path / name).exists() for name in ("refused", "refused.svg", "none"))


def flat(text: str) -> str:
    """Text without the frame and the lines that the program breaks it into."""
    return re.sub(r"[\s│╰─▶×]+", "", text)


def test_folders_of_bitmaps_and_drawings_are_those_of_the_program(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any
) -> None:
    own = ["slice", models / "graded_bracket.vtu", "--layer-height", "0.5"]
    pixels = ["--pixel", "0.1", "--antialias", "1"]
    layers = graded.slice(0.5, pixel=0.1)
    command(*own, *pixels, "--bmp", tmp_path / "bmp", "--zip", tmp_path / "bmp.zip")
    layers.write(tmp_path / "own", format="bmp")
    layers.write(tmp_path / "own.zip", format="bmp")
    assert images(tmp_path / "own") == images(tmp_path / "bmp")
    assert archived(tmp_path / "own.zip") == archived(tmp_path / "bmp.zip")
    command(*own, "--svg", tmp_path / "svg", "--unit", "cm")
    graded.slice(0.5).write(tmp_path / "drawings", format="svg", unit="cm")
    assert images(tmp_path / "drawings") == images(tmp_path / "svg")
    assert len(images(tmp_path / "svg")) == len(layers) + 1


def test_pixels_as_points_are_those_of_the_program(command: Any, tmp_path: Any) -> None:
    points, cells = box(4, 2, 2, np.random.default_rng(2))
    attributes = {"heat": points[:, 0] ** 2, "pair": points[:, :2].copy()}
    plain = subsolid.Solid(points, cells, crease_angle=40.0)
    solid = subsolid.Solid(
        points, cells, crease_angle=40.0, attributes=attributes, cell_data={"part": np.arange(16) % 3}
    )
    plain.write(tmp_path / "plain.vtu")
    solid.write(tmp_path / "box.vtu")
    cases: list[tuple[subsolid.Solid, str, dict[str, Any], list[str]]] = [
        (plain, "plain", {}, []),
        (solid, "box", {}, []),
        (solid, "box", {"attributes": ["pair"]}, ["pair"]),
        (solid, "box", {"attributes": ["part", "heat"]}, ["part", "heat"]),
    ]
    for k, (own, name, options, names) in enumerate(cases):
        folders = [tmp_path / f"expected{k}", tmp_path / f"own{k}"]
        for folder in folders:
            folder.mkdir()
        chosen = [word for name in names for word in ("--attribute", name)]
        command(
            "slice", tmp_path / f"{name}.vtu", "--layer-height", "0.5", "--pixel", "0.125", *chosen,
            "--pvtu", folders[0] / "layers.pvtu",
        )
        own.slice(0.5, pixel=0.125, **options).write(folders[1] / "layers.pvtu", attributes=names)
        assert images(folders[1]) == images(folders[0]), k
        assert len(images(folders[0])) > 2
    # of moved points, where layers have no attributes of their own
    moved = plain.slice(0.5, pixel=0.125, points=2.0 * plain.points)
    expected = plain.with_points(2.0 * plain.points).slice(0.5, pixel=0.125)
    for folder, layers in (("moved", moved), ("expected", expected)):
        (tmp_path / folder).mkdir()
        layers.write(tmp_path / folder / "layers.pvtu")
    assert images(tmp_path / "moved") == images(tmp_path / "expected")
    with pytest.raises(subsolid.Error, match="a .pvtu needs the cells at the pixels"):
        plain.boundary().slice(0.5, pixel=0.125).write(tmp_path / "surface.pvtu")


def test_named_attributes_are_those_of_the_layers(command: Any, tmp_path: Any) -> None:
    points, cells = box(4, 2, 2)
    solid = subsolid.Solid(
        points, cells, crease_angle=40.0, attributes={"heat": points[:, 0], "cold": points[:, 1]},
        cell_data={"part": np.arange(16) % 3, "group:lid": np.arange(16) // 8},
    )
    solid.write(tmp_path / "box.vtu")
    layers = solid.slice(0.5, pixel=0.25, attributes=["heat", "part", "group:lid"])
    assert list(layers[0].attributes) == ["heat", "part", "lid"]
    assert set(np.unique(layers[0].attributes["part"])) <= {0.0, 1.0, 2.0}
    assert list(solid.slice(0.5, pixel=0.25)[0].attributes) == ["heat", "cold"]
    assert list(solid.slice(0.5, pixel=0.25, attributes=False)[0].attributes) == []
    own = ["slice", tmp_path / "box.vtu", "--layer-height", "0.5", "--pixel", "0.25", "--antialias", "1"]
    command(*own, "--attribute", "heat=1:3", "--attribute", "part", "--png", tmp_path / "expected")
    layers.write(tmp_path / "layers", attributes={"heat": (1, 3), "part": None})
    assert images(tmp_path / "layers") == images(tmp_path / "expected")
    mixed = solid.slice(0.5, pixel=0.25, attributes=["cold"], materials="part")
    assert list(mixed[0].attributes) == ["cold"] and mixed[0].materials is not None
    for attributes, message in (
        (["taste"], 'no attribute "taste"'),
        (["heat", "heat"], "asked for twice"),
        ("heat", "neither a bool nor names"),
    ):
        with pytest.raises(subsolid.Error, match=message):
            solid.slice(0.5, pixel=0.25, attributes=attributes)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    chosen = ["--attribute", "part", "--attribute", "heat", "--vtp", tmp_path / "a" / "job.vtp"]
    command("slice", tmp_path / "box.vtu", "--layer-height", "0.5", *chosen)
    outlines = solid.slice(0.5, attributes=["part", "heat"])
    assert outlines[0].attributes == {}
    outlines.write(tmp_path / "b" / "job.vtp", attributes=["part", "heat"])
    assert (tmp_path / "b" / "job.vtp").read_bytes() == (tmp_path / "a" / "job.vtp").read_bytes()
    with pytest.raises(subsolid.Error, match="asked for twice"):
        layers.write(tmp_path / "more", attributes=["heat", "heat"])


def test_layers_are_written_in_pieces(
    command: Any, models: Any, graded: subsolid.Solid, tmp_path: Any
) -> None:
    own = ["slice", models / "graded_bracket.vtu", "--layer-height", "0.25"]
    pixels = ["--pixel", "0.1", "--antialias", "1"]
    layers = graded.slice(0.25, pixel=0.1)
    heights = layers.heights
    low, high = (float(heights[k]) - 0.01 for k in (3, -2))
    command(*own, *pixels, "--range", f"{low!r}:{high!r}", "--png", tmp_path / "expected")
    layers.write(tmp_path / "range", range=(low, high))
    assert images(tmp_path / "range") == images(tmp_path / "expected")
    assert len(images(tmp_path / "range")) == len(heights) - 4
    # one part by the program, and more parts than layers
    for parts in (3, 40):
        folder = tmp_path / f"merged{parts}"
        for i in range(1, parts + 1):
            if i == 2:
                arguments = ["--range", f"{low!r}:{high!r}", "--pieces", f"{i}/{parts}"]
                command(*own, *pixels, *arguments, "--png", folder)
            else:
                layers.write(folder, range=(low, high), pieces=(i, parts))
        merged = subsolid.merge(folder)
        assert merged == {"jobs": parts, "layers": len(heights) - 5}
        assert images(folder) == images(tmp_path / "expected")
    # layers that are there stay
    folder = tmp_path / "resumed"
    layers.write(folder, range=(None, high))
    kept = {path: path.stat().st_mtime_ns for path in folder.rglob("*.png")}
    layers.write(folder, resume=True)
    assert all(path.stat().st_mtime_ns == time for path, time in kept.items())
    layers.write(tmp_path / "whole")
    assert images(folder) == images(tmp_path / "whole")
    for options, message in (
        ({"pieces": (0, 3)}, "part 0 of 3"),
        ({"pieces": (4, 3)}, "part 4 of 3"),
        ({"pieces": (-1, 3)}, "no such part"),
        ({"range": (90.0, 91.0)}, "no layer has its middle"),
    ):
        with pytest.raises(subsolid.Error, match=message):
            layers.write(tmp_path / "refused", **options)  # type: ignore[arg-type]
    for options, message in (({"pieces": (1, 2)}, "pieces is for folders"), ({"resume": True}, "resume is for")):
        with pytest.raises(subsolid.Error, match=message):
            layers.write(tmp_path / "a.zip", **options)  # type: ignore[arg-type]
    with pytest.raises(subsolid.Error, match="no layers of jobs beside it"):
        subsolid.merge(tmp_path / "nothing")


def test_layers_of_refined_solids_are_of_the_model_that_was_refined(command: Any, tmp_path: Any) -> None:
    model = tmp_path / "fan.vtu"
    command("shape", "fan", "-o", model)
    fan = subsolid.read(model)
    own = ["--layer-height", "0.25", "--pixel", "0.2", "--antialias", "1", "--levels", "1"]
    command("slice", model, *own, "--png", tmp_path / "expected")
    refined = fan.refine()
    refined.slice(0.25, pixel=0.2, attributes=False).write(tmp_path / "own")
    assert images(tmp_path / "own") == images(tmp_path / "expected")
    fan.slice(0.25, pixel=0.2).write(tmp_path / "coarse")
    restored = pickle.loads(pickle.dumps(refined))
    # no word, since warnings are errors
    for solid in (fan, refined, restored):
        for folder in ("own", "expected", "coarse"):
            solid.page(slices=tmp_path / folder, interior=False)
    restored.slice(0.25, pixel=0.2, attributes=False).write(tmp_path / "restored")
    assert images(tmp_path / "restored") == images(tmp_path / "expected")
    others = [
        refined.with_points(1.5 * refined.points),
        fan.refine(vertex_rule="joy-maccracken"),
        refined.with_attributes({"depth": refined.points[:, 2].copy()}),
    ]
    for other in others:
        with pytest.warns(UserWarning, match="own: the layers are of another model"):
            other.page(slices=tmp_path / "own", interior=False)


def test_options_of_files_without_effect_are_refused(graded: subsolid.Solid, tmp_path: Any) -> None:
    outlines, layers = graded.slice(1.0), graded.slice(1.0, pixel=0.2)
    rough = graded.slice(1.0, pixel=0.2, planes=4, antialias=False)
    cases: list[tuple[Any, str, dict[str, Any], str]] = [
        (outlines, "a.tif", {}, "unknown output format"),
        (outlines, "folder", {}, "images without pixels"),
        (outlines, "a.svg", {"binary": True}, "binary is for .cli"),
        (outlines, "a.cli", {"bits": 8}, "bits is for images"),
        (outlines, "a.cli", {"attributes": ["hardness"]}, "attributes is for images"),
        (outlines, "a.vtp", {"unit": "cm"}, "keep the model's length unit"),
        (outlines, "a.pvtu", {}, "a .pvtu without pixels"),
        (layers, "a.pvtu", {"unit": "cm"}, "keep the model's length unit"),
        (outlines, "a.vtp", {"format": "png"}, "format is for folders and .zip"),
        (layers, "a.zip", {"format": "svg"}, 'format="svg" is for folders'),
        (layers, "folder", {"format": "tif"}, 'format="tif"'),
        (layers, "a.vtp", {"attributes": {"hardness": (0, 1)}}, "a range of attributes is for images"),
        (layers, "folder", {"bits": 4}, "bits=4"),
        (layers, "folder", {"dither": True, "bits": 8}, "dither with bits"),
        (layers, "folder", {"separate": True}, "separate is for slices with materials"),
        (layers, "folder", {"exposure": 6.0}, "exposure is for .sl1"),
        (layers, "folder", {"unit": "km"}, 'unit="km"'),
        (layers, "folder", {"unit": 0.0}, "unit=0 is out of range"),
        (layers, "folder", {"flip": "up"}, 'flip="up"'),
        (layers, "folder", {"attributes": ["taste"]}, 'no attribute "taste"'),
        (layers, "a.sl1", {}, "needs an exposure time"),
        (layers, "a.sl1", {"exposure": "long"}, "exposure='long'"),
        (layers, "a.sl1", {"exposure": 6.0, "dither": True}, "not for .sl1"),
        (rough, "folder", {}, "4 planes without antialiasing"),
    ]
    for own, name, options, message in cases:
        with pytest.raises(subsolid.Error) as refused:
            own.write(tmp_path / name, **options)
        assert message in refused.value.message and refused.value.help, message
    assert not list(tmp_path.iterdir())
    with pytest.raises(subsolid.Error, match="resolution without pixels"):
        graded.slice(1.0, resolution=(10, 10))
    with pytest.raises(subsolid.Error, match=r"resolution=\(0, 10\)"):
        graded.slice(1.0, pixel=0.2, resolution=(0, 10))
    for resolution in ((-1, 10), (10, 2**70)):
        with pytest.raises(subsolid.Error, match="give columns and rows"):
            graded.slice(1.0, pixel=0.2, resolution=resolution)
    with pytest.raises(subsolid.Error, match=r"bits=-8"):
        layers.write(tmp_path / "folder", bits=-8)  # type: ignore[arg-type]
    with pytest.raises(subsolid.Error, match="10 × 10 pixels from .* do not hold the model") as refused:
        graded.slice(1.0, pixel=0.2, resolution=(10, 10))
    assert "crop=True" in refused.value.help
    assert graded.slice(1.0, pixel=0.2, resolution=(10, 10), crop=True).pixels[2] == (10, 10)
    with pytest.raises(subsolid.Error, match="pixel_origin without pixels"):
        graded.slice(1.0, pixel_origin=(0, 0))


def test_facets_are_sliced_as_they_are(tmp_path: Any) -> None:
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)]) * [4.0, 4.0, 1.0]
    faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    two = subsolid.Surface(
        np.concatenate([corners, corners + [2.0, 2.0, 0.0]]),
        faces + [[8 + v for v in face] for face in faces],
    )
    with pytest.warns(UserWarning, match="12 are cut into triangles"):
        two.write(tmp_path / "two.stl")
    facets = subsolid.read_surface(tmp_path / "two.stl")
    # of overlapping bodies the union, without points on straight lines
    layer = facets.slice(0.5, pixel=0.5, pixel_origin=(-1.0, 0.0), resolution=(14, 12))[1]
    assert layer.area == pytest.approx(28.0, abs=1e-9)
    assert [len(contour) for contour in layer.contours] == [8]
    assert layer.coverage.shape == (12, 14) and (layer.coverage[:, :2] == 0).all()
    assert pickle.loads(pickle.dumps(facets)).slice(0.5)[1].area == layer.area
    with pytest.warns(UserWarning, match="limit by Catmull-Clark"):
        assert subsolid.Surface(facets.points, facets.faces).slice(0.5)[1].area < 20
    assert facets.slice(0.5, scheme="catmull-clark")[1].area < 20
    assert facets.page(title="a") == facets.page(title="a", linear=True)
    with pytest.raises(subsolid.Error, match="levels has no effect"):
        facets.page(levels=2)
    wall = subsolid.Surface(corners * [0.005, 1.0, 1.0] + [0.02, 0, 0], faces)
    with pytest.warns(UserWarning, match="walls between the centers of pixels"):
        wall.slice(0.5, scheme="linear", pixel=0.1, pixel_origin=(0, 0), antialias=False)


def page_head(path: Any) -> Any:
    """What a page says of its data, tables among it."""
    packed = re.search(r'octet-stream" id="shell">(.*?)</script>', path.read_text(encoding="utf-8"))
    assert packed
    data = zlib.decompress(base64.b64decode(packed[1]))
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


def test_processors_are_compared_as_the_program_does(command: Any, models: Any, tmp_path: Any) -> None:
    model = models / "bracket.vtk"
    own = ["--samples", "3", "--backend", "cpu", "--precision", "f32", "--strategy", "all"]
    files = ["-o", tmp_path / "expected.vtu", "--compress", "--report", tmp_path / "expected.html"]
    expected = json.loads(command("compare", model, *own, *files, "--json"))
    found = subsolid.read(model).compare(
        3,
        backend="cpu",
        precision="f32",
        output=tmp_path / "own.vtu",
        report=tmp_path / "own.html",
        compress=True,
    )
    assert found["runs"] == expected["runs"] and found["reference"] == expected["reference"]
    assert (tmp_path / "own.vtu").read_bytes() == (tmp_path / "expected.vtu").read_bytes()
    tables = page_head(tmp_path / "own.html")["tables"]
    assert tables == page_head(tmp_path / "expected.html")["tables"]
    assert "99 %" in tables[0]["header"]
    solid = subsolid.shape("box", 2, 2, 2)
    with pytest.warns(UserWarning, match="strategy applies to GPUs only"):
        solid.compare(2, backend="cpu", strategy="warp")
    for options, message in [
        ({"strategy": "x"}, 'strategy="x"'),
        ({"samples": 65}, "samples=65 is out of range"),
        ({"samples": 1, "output": "a.vtu"}, "cannot form hexahedra"),
        ({"output": "a.stl"}, "point arrays"),
        ({"report": "a.txt"}, "a report is a page"),
    ]:
        with pytest.raises(subsolid.Error, match=message):
            solid.compare(**{"backend": "cpu", **options})


def test_operators_are_written_as_the_program_does(command: Any, models: Any, tmp_path: Any) -> None:
    model = models / "bracket.vtk"
    solid = subsolid.read(model)
    for name, arguments, options in [
        ("a.bext", ["--rings", "1"], {"rings": 1}),
        ("a.npz", ["--refined-points", "--compress"], {"refined_points": True, "compress": True}),
    ]:
        command("extract", model, *arguments, "-o", tmp_path / f"expected_{name}")
        report = solid.write_extraction(tmp_path / name, **options)
        assert (tmp_path / name).read_bytes() == (tmp_path / f"expected_{name}").read_bytes()
        assert report["output"] == str(tmp_path / name) and report["pieces"] > 0
    for name, options, message in [
        ("own.txt", {}, "unknown output format"),
        ("own.bext", {"rings": 9}, "9 rings"),
        ("own.bext", {"refined_points": True}, "no rows for refined_points"),
        ("own.npz", {"max_size": 1e-6}, "more than max_size=0.000001"),
    ]:
        with pytest.raises(subsolid.Error, match=message):
            solid.write_extraction(tmp_path / name, **options)
