"""Every option of a job is one of the program and a keyword of Python, and does the same there."""

from __future__ import annotations

import inspect
import json
import pathlib
import re
from typing import Any, Callable

import numpy as np
import pytest

import subsolid

ROOT = pathlib.Path(__file__).parents[2]

#: Files of jobs by subcommands, and methods that take their options.
JOBS: dict[str, tuple[str, list[Callable[..., Any]]]] = {
    "extract": ("extract.rs", [subsolid.Solid.write_extraction]),
    "compare": ("compare.rs", [subsolid.Solid.compare]),
    "assemble": ("assemble/mod.rs", [subsolid.Solid.assemble]),
    "solve": ("solve/request.rs", [subsolid.Solid.solve, subsolid.Solid.write_limit]),
    "evaluate": ("evaluate/request.rs", [subsolid.Solid.write_limit]),
    "quadrature": ("quadrature/request.rs", [subsolid.Solid.integrate]),
}
#: Fields that options have other names for.
OPTIONS = {"strategies": "strategy", "precisions": "precision"}
PARTS = {
    "scheme": ["gauss", "rings"],
    "places": ["samples", "gauss", "at"],
    "quantities": ["derivatives", "attribute_derivatives", "gradients", "jacobian"],
    "processor": ["precision", "backend", "strategy"],
    "glb": ["unit", "up"],
}
KEYWORDS = {**OPTIONS, ("quadrature", "output"): "path", ("evaluate", "output"): "path"}
KEYWORDS[("solve", "output")] = "path"


def fields(file: str) -> list[str]:
    """The fields of the request in a file, the last one there: those before are parts of it."""
    text = (ROOT / "src" / "jobs" / file).read_text()
    requests = re.findall(r"pub struct \w+Request \{\n(.*?)\n\}", text, flags=re.S)
    names = re.findall(r"^    pub (\w+):", requests[-1], flags=re.M)
    return [own for name in names for own in PARTS.get(name, [name])]


@pytest.mark.parametrize("job", JOBS)
def test_every_option_has_both_doors(command: Any, job: str) -> None:
    file, methods = JOBS[job]
    offered = set(re.findall(r"^ .*?--([\w-]+)", command(job, "--help"), flags=re.M))
    keywords = {name for method in methods for name in inspect.signature(method).parameters}
    names = fields(file)
    assert len(names) > 3
    for name in names:
        assert OPTIONS.get(name, name).replace("_", "-") in offered, f"{job}: no option for {name}"
        keyword = KEYWORDS.get((job, name), KEYWORDS.get(name, name))
        assert keyword in keywords, f"{job}: no keyword for {name}"


ASSEMBLIES: list[tuple[list[str], dict[str, Any]]] = [
    (
        ["--mass=7.8", "--stiffness", "--gauss", "3", "--rings", "1", "--format", "mtx"],
        {"mass": 7.8, "stiffness": 1.0, "gauss": 3, "rings": 1, "format": "mtx"},
    ),
    (
        ["--elasticity", "210,0.3", "--load", "0=0,0,-1", "--load", "side:2=1,0,0", "--body", "0,0,-2"]
        + ["--compress", "--backend", "cpu"],
        {"elasticity": (210, 0.3), "load": {0: (0, 0, -1), "side:2": [1, 0, 0]}, "body": [0, 0, -2]}
        | {"compress": True, "backend": "cpu"},
    ),
]


@pytest.mark.parametrize("arguments, options", ASSEMBLIES)
def test_matrices_are_written_as_the_program_does(
    command: Any, models: Any, tmp_path: Any, arguments: Any, options: Any
) -> None:
    model, expected, own = models / "bracket.vtk", tmp_path / "expected", tmp_path / "own"
    creased = ["--crease-angle", "40"]
    report = json.loads(command("assemble", model, *creased, *arguments, "-o", expected, "--json"))
    solid = subsolid.read(model).with_creases(crease_angle=40)
    pytest.importorskip("scipy")
    found = solid.assemble(own, **options)["report"]
    for key in ("volume", "samples", "sides", "matrices", "force", "vertices"):
        assert found[key] == report[key]
    names = sorted(path.name for path in expected.iterdir())
    assert names == sorted(path.name for path in own.iterdir())
    for name in names:
        assert (own / name).read_bytes() == (expected / name).read_bytes()


def test_matrices_and_loads_of_one_call_are_those_of_a_quadrature() -> None:
    pytest.importorskip("scipy")
    solid = subsolid.shape("fan", 5, 2, 1).with_creases(crease_angle=40)
    found = solid.assemble(gauss=3, rings=2, mass=2.0, load={0: (1, 2, 3)}, body=(0, 0, -1))
    assert list(found) == ["mass", "load", "report"] and found["report"]["output"] == ""
    quadrature = solid.quadrature(3, rings=2)
    assert abs(found["mass"] - quadrature.mass(2.0)).max() == 0
    load = solid.quadrature(3, rings=2, boundary=[0]).load([1.0, 2.0, 3.0])
    load += quadrature.load([0.0, 0.0, -1.0])
    assert np.abs(found["load"] - load).max() < 1e-14
    for options, message in [
        ({}, "nothing to assemble"),
        ({"load": {99: (0, 0, 1)}}, "no side 99"),
        ({"load": {"x": (0, 0, 1)}}, "no group x"),
        ({"load": {0: 1}}, "load is wrong"),
        ({"mass": -1.0}, "density"),
    ]:
        with pytest.raises(subsolid.Error, match=message):
            solid.assemble(**options)


QUADRATURES: list[tuple[str, list[str], dict[str, Any]]] = [
    ("a.npz", ["--gauss", "3", "--store", "all", "--second"], {"gauss": 3, "store": "all", "second": True}),
    (
        "a.npz",
        ["--rings", "1", "--physical-gradients", "--compress", "--gauss", "2"],
        {"rings": 1, "physical_gradients": True, "compress": True, "gauss": 2},
    ),
    ("a.vtu", ["--gauss", "2", "--force"], {"gauss": 2, "force": True}),
    ("a.vtu", ["--gauss", "2", "--boundary=0,2"], {"gauss": 2, "boundary": [0, 2]}),
    ("a.npz", ["--gauss", "2", "--boundary"], {"gauss": 2, "boundary": True}),
    ("a.pvtu", ["--gauss", "2", "--piece-points", "999"], {"gauss": 2, "piece_points": 999}),
    (
        "a.pvtu",
        ["--gauss", "2", "--pieces", "1/1", "--backend", "cpu", "--max-size", "2"],
        {"gauss": 2, "pieces": (1, 1), "backend": "cpu", "max_size": 2.0},
    ),
]


def files(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name, arguments, options", QUADRATURES)
def test_quadratures_are_written_as_the_program_does(
    command: Any, models: Any, tmp_path: Any, name: str, arguments: Any, options: Any
) -> None:
    model, folders = models / "bracket.vtk", [tmp_path / "expected", tmp_path / "own"]
    for folder in folders:
        folder.mkdir()
    arguments = [*arguments, "--crease-angle", "40", "-o", folders[0] / name, "--json"]
    report = json.loads(command("quadrature", model, *arguments))
    solid = subsolid.read(model).with_creases(crease_angle=40)
    found = solid.integrate(folders[1] / name, **options)
    for key in set(report) - {"schema", "program", "output", "seconds"}:
        assert found[key] == report[key], key
    expected, own = map(files, folders)
    assert expected.keys() == own.keys() and len(expected) > 0
    assert expected == own


def test_quadratures_without_a_file_are_reports(tmp_path: Any) -> None:
    solid = subsolid.shape("fan", 5, 2, 1).with_creases(crease_angle=40)
    assert solid.integrate()["volume"] > 0
    assert len(solid.integrate(boundary=True)["sides"]) == 7
    part = {"pieces": (1, 2), "gauss": 2}
    assert solid.integrate(tmp_path / "a.pvtu", **part)["samples"] > 0
    assert solid.integrate(tmp_path / "a.pvtu", **part) is None
    for path, options, message in [
        (None, {"store": "all"}, "options of a file without a file"),
        ("a.vtu", {"store": "all"}, "written to .npz only"),
        ("a.npz", {"pieces": (1, 2)}, "pieces is for a .pvtu"),
        ("a.pvtu", {"pieces": (1, 2), "boundary": True}, "pieces is not for boundary"),
        ("a.npz", {"store": "geometry", "second": True}, "second applies to basis functions"),
        ("a.npz", {"max_size": 1e-9}, "more than max_size"),
        ("a.stl", {}, "holds no quadrature"),
        (None, {"boundary": True, "backend": "cuda"}, "on the CPU only"),
    ]:
        with pytest.raises(subsolid.Error, match=message):
            solid.integrate(path and tmp_path / path, **options)
    with pytest.warns(UserWarning):
        folded = solid.with_points(solid.points + 2.0 * np.sin(9 * solid.points))
    with pytest.raises(subsolid.Error, match="not positive"):
        folded.integrate(tmp_path / "a.vtu")


EVALUATIONS: list[tuple[Any, list[str], dict[str, Any]]] = [
    (
        "a.vtu",
        ["--samples", "3", "--derivatives", "1", "--attribute-derivatives", "--jacobian", "--quality"],
        {"samples": 3, "derivatives": 1, "attribute_derivatives": True, "jacobian": True, "quality": True},
    ),
    ("a.csv", ["--gauss", "2", "--gradients"], {"gauss": 2, "gradients": True}),
    ("a.csv", ["--at", "at.csv", "--derivatives", "2"], {"at": "at.csv", "derivatives": 2}),
    ("a.vtu", ["--cells", "bezier", "--rings", "1"], {"cells": "bezier", "rings": 1}),
    (
        "a.npz",
        ["--samples", "2", "--cells", "points", "--precision", "f32", "--backend", "cpu", "--compress"],
        {"samples": 2, "cells": "points", "precision": "f32", "backend": "cpu", "compress": True},
    ),
    (
        "a.pvtu",
        ["--samples", "3", "--pieces", "1/1", "--piece-points", "99", "--separate-points"],
        {"samples": 3, "pieces": (1, 1), "piece_points": 99, "separate_points": True},
    ),
    ("a.vtk", ["--samples", "3", "--write-memory", "1"], {"samples": 3, "write_memory": 1.0}),
    (
        "a.glb",
        ["--samples", "3", "--color", "hardness", "--color-map", "turbo", "--unit", "mm", "--up", "y"],
        {"samples": 3, "color": "hardness", "color_map": "turbo", "unit": "mm", "up": "y"},
    ),
    (None, ["--cells", "lagrange", "--quality"], {"cells": "lagrange", "quality": True}),
    (
        None,
        ["--samples", "4", "--explain", "--strategy", "warp"],
        {"samples": 4, "explain": True, "strategy": "warp"},
    ),
]


# derivatives that do not exist, strategies on the CPU
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name, arguments, options", EVALUATIONS)
def test_evaluations_are_written_as_the_program_does(
    command: Any,
    models: Any,
    graded: subsolid.Solid,
    tmp_path: Any,
    monkeypatch: Any,
    name: Any,
    arguments: Any,
    options: Any,
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("at.csv").write_text("cell,u,v,w\n0,0.5,0.5,0.5\n2,0,1,0.25\n")
    expected, own = pathlib.Path("expected"), pathlib.Path("own")
    for folder in (expected, own):
        folder.mkdir()
    output = ["-o", expected / name] if name else []
    report = json.loads(command("evaluate", models / "graded_bracket.vtu", *arguments, *output, "--json"))
    found = graded.write_limit(name and own / name, **options)
    assert found is not None
    for key in set(report) - {"schema", "program", "output", "seconds"}:
        assert found[key] == report[key], key
    assert files(own) == files(expected) and bool(files(own)) == bool(name)


def test_parts_of_evaluations_are_done_once(tmp_path: Any) -> None:
    solid = subsolid.shape("fan", 5, 2, 1)
    for part in (1, 2):
        found = solid.write_limit(tmp_path / "a.pvtu", 3, pieces=(part, 2))
        assert found is not None and found["points"] > 0
    assert solid.write_limit(tmp_path / "a.pvtu", 3, pieces=(2, 2)) is None
    assert subsolid.merge(tmp_path / "a.pvtu")["jobs"] == 2
