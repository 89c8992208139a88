"""Location, layers, surfaces, queries, extraction, pictures."""

from __future__ import annotations

import base64
import json
import re
import signal
import warnings
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid


def test_places_lead_back(bracket: subsolid.Solid) -> None:
    rng = np.random.default_rng(6)
    cells = rng.integers(0, bracket.n_cells, 300)
    uvw = rng.uniform(0.05, 0.95, (300, 3))
    x = np.array(bracket.evaluate(cells=cells, uvw=uvw).points)
    locator = bracket.locator()
    places = locator.locate(x)
    assert np.array_equal(places.cells, cells)
    assert np.abs(places.uvw - uvw).max() < 1e-6
    assert places.distances.max() < 1e-9
    far = locator.locate(np.array([[1e3, 0.0, 0.0], [np.nan, 0, 0]]))
    assert far.cells.tolist() == [-1, -1] and np.isnan(far.uvw).all()
    near = bracket.locate(np.array([[1e3, 0.0, 0.0]]), nearest=True)
    assert near.cells[0] >= 0 and 900 < near.distances[0] < 1100


def test_layers_of_a_box_are_rectangles() -> None:
    points, cells = box(3, 2, 2)
    solid = subsolid.Solid(points, cells, crease_angle=40.0, attributes={"x": points[:, 0]})
    layers = solid.slice(0.5, pixel=0.25, planes=2)
    assert len(layers) == 4
    assert np.allclose(layers.heights, [0.25, 0.75, 1.25, 1.75])
    seen = 0
    for layer in layers:
        assert layer.index == seen and abs(layer.area - 6.0) < 1e-12
        assert len(layer.contours) == 1 and layer.depths == [0]
        assert layer.coverage is not None and layer.coverage.shape == (8, 12)
        assert (layer.coverage == 65535).all()
        expected = np.broadcast_to(0.125 + 0.25 * np.arange(12), (8, 12))
        assert np.abs(layer.attributes["x"] - expected).max() < 1e-9
        seen += 1
    assert seen == 4
    assert layers[-1].index == 3
    with pytest.raises(IndexError):
        layers[4]




def test_every_pixel_has_one_material_or_none() -> None:
    points, cells = box(4, 2, 2)
    middles = points[cells].mean(axis=1)
    ids = np.where(middles[:, 0] < 1, 7, 3)
    copper = points[:, 0] / 4
    solid = subsolid.Solid(
        points,
        cells,
        crease_angle=40.0,
        attributes={"copper": copper, "steel": 1 - copper},
        cell_data={"part": ids},
    )
    layers = solid.slice(0.5, pixel=0.125, materials="part", attributes=False)
    assert layers.materials == ["part_3", "part_7"]
    for layer in layers:
        expected = np.where(np.arange(32) < 8, 2, 1)
        assert layer.materials is not None and layer.materials.dtype == np.uint8
        assert (layer.materials == expected).all() and layer.attributes == {}
    mixed = solid.slice(0.25, pixel=0.0625, materials=["steel", "copper"])
    assert mixed.materials == ["steel", "copper"]
    counts = np.zeros((3, 64))
    for layer in mixed:
        assert layer.materials is not None and sorted(layer.attributes) == ["copper", "steel"]
        counts += [(layer.materials == number).sum(axis=0) for number in range(3)]
    assert counts[0].sum() == 0
    # over 8 columns, 32 rows and 8 layers the fractions are kept
    share = counts[2].reshape(8, 8).sum(axis=1) / counts.sum(axis=0).reshape(8, 8).sum(axis=1)
    assert np.abs(share - (np.arange(8) + 0.5) / 8).max() < 0.01
    with pytest.raises(subsolid.Error, match="no attribute \"gold\""):
        solid.slice(0.5, pixel=0.125, materials=["gold"])
    with pytest.raises(subsolid.Error, match="is not a cell array"):
        solid.slice(0.5, pixel=0.125, materials="copper")
    with pytest.raises(subsolid.Error, match="without pixels"):
        solid.slice(0.5, materials="part")
    with pytest.raises(subsolid.Error, match="sum to"):
        twice = subsolid.Solid(points, cells, attributes={"a": copper + 0.9, "b": 1 - copper})
        list(twice.slice(0.5, pixel=0.125, materials=["a", "b"]))


def test_closed_surfaces_have_layers(bracket: subsolid.Solid) -> None:
    boundary = bracket.boundary()
    for own, expected in zip(boundary.slice(0.3, pixel=0.05), bracket.slice(0.3, pixel=0.05)):
        assert abs(own.area / expected.area - 1) < 1e-8
        assert own.coverage is not None and expected.coverage is not None
        assert np.abs(own.coverage.astype(int) - expected.coverage).max() < 10
        assert own.attributes == {}
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    layers = subsolid.Surface(points, faces).slice(0.25, scheme="bilinear")
    assert np.allclose([layer.area for layer in layers], 0.5 * (1 - layers.heights) ** 2)
    with pytest.warns(UserWarning, match="turned outward"):
        turned = subsolid.Surface(points, faces[:, ::-1]).slice(0.25, scheme="bilinear")
    assert abs(turned[0].area - layers[0].area) < 1e-12
    with pytest.raises(subsolid.Error, match="not closed: edge 0 1 has one face"):
        subsolid.Surface(points, faces[1:]).slice(0.25, scheme="bilinear")
    with pytest.raises(subsolid.Error, match="axis"):
        bracket.boundary().slice(0.25, axis="w")  # type: ignore[arg-type]


def test_the_boundary_is_that_of_the_solid(bracket: subsolid.Solid) -> None:
    surface = bracket.boundary()
    positions, normals = surface.limit()
    assert positions.shape == normals.shape == (surface.n_points, 3)
    lengths = np.linalg.norm(normals, axis=1)
    assert np.abs(lengths[np.isfinite(lengths)] - 1).max() < 1e-12
    near = bracket.locate(positions[:50], nearest=True)
    assert near.distances.max() < 1e-8
    grid, _ = surface.evaluate(3)
    assert grid.shape == (surface.n_faces, 9, 3)


def test_surfaces_are_written_and_read(bracket: subsolid.Solid, tmp_path: Any) -> None:
    surface = bracket.boundary()
    surface.write(tmp_path / "skin.obj")
    again = subsolid.read_surface(tmp_path / "skin.obj")
    assert np.array_equal(again.faces, surface.faces)
    mixed = subsolid.Surface(np.eye(4, 3), [[0, 1, 2], [0, 2, 3]])
    assert mixed.n_faces == 2 and mixed.refine(1, scheme="loop").n_faces == 8
    with pytest.raises(subsolid.Error, match="scheme"):
        mixed.refine(1, scheme="butterfly")  # type: ignore[arg-type]
    with pytest.raises(subsolid.Error, match="face 0 names vertex 9"):
        subsolid.Surface(np.eye(4, 3), [[0, 1, 9]])


def test_neighbors() -> None:
    points, cells = box(2, 2, 2)
    solid = subsolid.Solid(points, cells)
    offsets, ids = solid.query("VC")
    assert offsets[-1] == len(ids) == 64
    assert ids[offsets[13] : offsets[14]].tolist() == list(range(8))  # the middle vertex
    offsets, ids = solid.query("CC")
    assert np.diff(offsets).tolist() == [3] * 8
    offsets, ids = solid.boundary().query("VF")
    assert np.diff(offsets).sum() == 24 * 4
    with pytest.raises(subsolid.Error, match="no query"):
        solid.query("XY")


def test_counts_of_neighbors_are_those_of_the_program(command: Any, models: Any) -> None:
    solid = subsolid.read(models / "bracket.vtk")
    report = json.loads(command("query", models / "bracket.vtk", "--json"))
    assert solid.query().items() <= report.items()
    surface = solid.boundary().query()
    assert surface["cells"] == 0 and [count["op"] for count in surface["counts"]][0] == "VV"
    with pytest.raises(subsolid.Error, match="but no query"):
        solid.query(rings=2)  # type: ignore[call-overload]


def test_tables_of_points_are_located(bracket: subsolid.Solid, tmp_path: Any) -> None:
    points, places = tmp_path / "points.csv", tmp_path / "places.csv"
    x = np.vstack([bracket.evaluate(samples=2).points.reshape(-1, 3)[:40], [[99.0, 9.0, 9.0]]])
    np.savetxt(points, np.hstack([x, x[:, :1]]), delimiter=",", header="x,y,z,more", comments="")
    with pytest.warns(UserWarning, match="the columns more are not read"):
        report = bracket.locate_table(points, places)
    assert (report["points"], report["inside"], report["outside"]) == (41, 40, 1)
    rows = np.genfromtxt(places, delimiter=",", names=True, dtype=None, encoding="utf-8")
    found = bracket.locate(x, nearest=True)
    assert rows["cell"].tolist() == found.cells.tolist()
    assert np.array_equal(rows["distance"], found.distances)
    with pytest.raises(subsolid.Error, match="locate writes a table"):
        bracket.locate_table(points, tmp_path / "places.vtu")
    with pytest.raises(subsolid.Error, match="a tolerance of"):
        bracket.locate_table(points, tolerance=1.0)


def test_methods_of_surfaces_agree(bracket: subsolid.Solid) -> None:
    skin = bracket.boundary()
    points = skin.refine(2).points
    for method in ("auto", "single", "edge-friend"):
        other = skin.refine(2, method=method).points  # type: ignore[arg-type]
        assert np.abs(np.sort(other, axis=0) - np.sort(points, axis=0)).max() < 1e-12
    limits = [skin.refine(2, limit=True, method=m).points for m in (None, "adaptive")]  # type: ignore[arg-type]
    assert np.abs(limits[0] - limits[1]).max() < 1e-9
    with pytest.raises(subsolid.Error, match='method="adaptive" evaluates the limit only'):
        skin.refine(2, method="adaptive")
    with pytest.raises(subsolid.Error, match='method="fast"'):
        skin.refine(2, method="fast")  # type: ignore[arg-type]


def test_operators_give_the_limit(bracket: subsolid.Solid) -> None:
    arrays = bracket.extract(rings=1)
    piece = int(np.flatnonzero(arrays["exact"])[0])
    o, n = arrays["operator"][piece], arrays["net"][piece]
    controls = arrays["controls"][slice(*arrays["net_offsets"][n : n + 2])]
    operator = arrays["operators"][slice(*arrays["operator_offsets"][o : o + 2])]
    bezier = operator.reshape(64, -1) @ bracket.points[controls]
    corner = arrays["origin"][piece]
    expected = bracket.evaluate(cells=[arrays["cell"][piece]], uvw=[corner]).points
    assert np.abs(bezier[0] - expected).max() < 1e-12


def test_cells_for_viewers(graded: subsolid.Solid, tmp_path: Any) -> None:
    pytest.importorskip("pyvista")
    lagrange = graded.to_pyvista()
    assert lagrange.n_cells == graded.n_cells and set(lagrange.celltypes) == {72}
    bezier = graded.to_pyvista("bezier", rings=1)
    assert set(bezier.celltypes) == {79} and bezier.n_cells >= graded.n_cells
    plain = graded.to_pyvista(3)
    assert plain.n_cells == 8 * graded.n_cells
    assert set(graded.attributes) <= set(plain.point_data.keys())
    volume = abs(plain.compute_cell_sizes()["Volume"].sum())
    exact = sum(b.weights.sum() for b in graded.quadrature(gauss=3, rings=1).batches())
    assert abs(volume - exact) < 0.02 * exact
    with pytest.raises(subsolid.Error, match="cells="):
        graded.to_pyvista("cubes")  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:.*belong to no cell")
def test_grids_say_where_points_are_not_joined() -> None:
    pytest.importorskip("pyvista")
    points, cells = box(2, 1, 1)
    a, b, c, d, e, f, g, h = cells[1]
    wedges = np.array([[a, b, c, e, f, g], [a, c, d, e, g, h]])
    both = subsolid.Solid(points, {"hexahedron": cells[:1], "wedge": wedges})
    for shape in ("lagrange", 3):
        with pytest.warns(UserWarning, match="1 hexahedral cell shares a face"):
            both.to_pyvista(shape)
    alone = [subsolid.Solid(points, own) for own in (cells, wedges)]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*not joined")
        for solid, other in [(both, "bezier"), (both, "control"), (both.refine(), 3), *((s, 3) for s in alone)]:
            solid.to_pyvista(other)


def test_pictures(graded: subsolid.Solid, tmp_path: Any) -> None:
    pytest.importorskip("pyvista")
    picture = tmp_path / "bracket.png"
    graded.plot("class", clip="x", samples=2, screenshot=picture)
    assert picture.stat().st_size > 5000
    # a legend of the classes that there are, and no bar
    plotter = graded.plot("class", samples=3, show=False)
    assert not plotter.scalar_bars
    names = {0: "regular", 1: "layered", 2: "irregular", 3: "refined"}
    entries = [plotter.legend.GetEntryString(i) for i in range(plotter.legend.GetNumberOfEntries())]
    assert entries == [names[n] for n in np.unique(graded.classes)]
    # twelve edges of every cell, in two segments each
    mappers = (getattr(actor, "mapper", None) for actor in plotter.actors.values())
    sets = (getattr(mapper, "dataset", None) for mapper in mappers)
    lines = next(found for found in sets if getattr(found, "n_lines", 0))
    assert lines.n_lines == 24 * graded.n_cells
    ends = lines.points[lines.lines.reshape(-1, 3)[:, 1:]]
    vertices = {tuple(p) for p in np.round(graded.evaluate(samples=2).points, 5)}
    touching = [sum(tuple(p) in vertices for p in np.round(pair, 5)) for pair in ends]
    assert set(touching) == {1}
    plotter.close()
    unseen = picture.with_name("unseen.png")
    plotter = graded.plot("hardness", clip="x", samples=3, show=False, screenshot=unseen)
    assert unseen.stat().st_size > 1000
    assert list(plotter.scalar_bars.keys()) == ["hardness"]
    plotter.close()
    graded.plot("quality", samples=2, screenshot=picture)
    with pytest.raises(subsolid.Error, match="color="):
        graded.plot("taste", samples=2, screenshot=picture)


def test_tables_for_notebooks(graded: subsolid.Solid) -> None:
    html = graded._repr_html_()
    assert html.startswith("<table>") and "layered" in html
    assert html.count("<iframe") == 1 and "<script" not in html
    # a picture first, the page packed and folded
    before, folded = html.split("<details>")
    faces = graded.boundary().n_faces
    assert before.count("<path ") == faces and len(before) < 150 * faces and "nan" not in before
    packed = re.search(r"atob\(&quot;([^&]*)&quot;\)", folded)
    assert packed and zlib.decompress(base64.b64decode(packed[1])).decode() == graded.page()
    assert 'loading="lazy"' in folded and len(html) < 0.9 * len(graded.page())


def test_pages(graded: subsolid.Solid, tmp_path: Any, monkeypatch: Any) -> None:
    path = tmp_path / "bracket.html"
    graded.view(path, color="hardness", title="<bracket>")
    html = path.read_text(encoding="utf-8")
    assert html == graded.page(color="hardness", title="<bracket>")
    assert "<title>&lt;bracket&gt;</title>" in html and "default-src 'none'" in html
    assert len(graded.page(interior=False)) < len(html)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    graded.view()
    assert opened[0].startswith("file:") and opened[0].endswith(".html")
    with pytest.raises(subsolid.Error, match="no array `taste`"):
        graded.page(color="taste")


def interrupted(work: Callable[[], Any], signals: int = 2) -> None:
    """Ends work by the last of some signals that it hears."""
    heard = 0

    def stop(*_: Any) -> None:
        nonlocal heard
        heard += 1
        if heard == signals:
            raise KeyboardInterrupt

    # many signals that come while nobody looks are heard as one
    signal.signal(signal.SIGALRM, stop)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-3)
            work()
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        # the last one may still be on its way to another thread
        signal.signal(signal.SIGALRM, lambda *_: None)


def test_signals_are_heard_between_pieces(bracket: subsolid.Solid) -> None:
    plan = bracket.refine(1).plan(samples=4)

    def pieces() -> None:
        while True:
            for _ in plan.pieces(results=2000):
                pass

    interrupted(pieces)


def test_signals_are_heard_during_an_evaluation() -> None:
    points, cells = box(3, 3, 3)
    plan = subsolid.Solid(points, cells).refine(3).plan(10, derivatives=1)
    whole = plan.evaluate()
    # bit by bit what one piece after the other is
    pieces = list(plan.pieces(results=10**6))
    for d in "uvw":
        own = np.concatenate([piece.derivatives[d] for piece in pieces])
        assert np.array_equal(whole.derivatives[d], own)
    assert np.array_equal(whole.points, np.concatenate([piece.points for piece in pieces]))
    del whole, pieces
    interrupted(plan.evaluate)
    assert len(plan.evaluate()) == len(plan)


def test_signals_are_heard_where_results_have_a_place() -> None:
    points, cells = box(3, 3, 3)
    plan = subsolid.Solid(points, cells).refine(3).plan(10)
    expected = np.array(plan.evaluate().points)
    limit, array = plan.evaluate(points=0 * plan.solid.points), np.empty_like(expected)
    places: list[tuple[Any, Any]] = [(limit, limit.points), (array, array)]
    for out, found in places:
        array.fill(np.nan)
        # it may take too little time for two
        interrupted(partial(plan.evaluate, out=out), signals=1)
        # it ended before all was there
        assert out is limit or np.isnan(array).any()
        assert plan.evaluate(out=out) is out
        assert np.array_equal(found, expected)


def test_signals_are_heard_between_levels_rounds_and_steps() -> None:
    points, cells = box(10, 10, 10)
    points[np.argmin(np.abs(points - 5).sum(axis=1))] += 1.7
    with pytest.warns(UserWarning, match="folded"):
        folded = subsolid.Solid(points, cells, crease_angle=40, attributes={"x": points[:, 0]})
    interrupted(folded.untangle)
    interrupted(lambda: folded.smooth_attribute("x", 10**6))
    interrupted(lambda: folded.quality(samples=20))
    small = subsolid.Solid(*box(3, 3, 3))
    interrupted(lambda: small.refine(4))
    assert small.refine(2).n_cells == 27 * 64


def test_a_bench_has_the_numbers_of_the_program(command: Any, tmp_path: Any) -> None:
    model = tmp_path / "box.vtu"
    subsolid.shape("box", 2, 2, 2).write(model)
    own = ["--backend", "cpu", "--samples", "3,2", "--levels", "0", "--repeats", "2", "-o", tmp_path / "b.json"]
    command("bench", model, *own)
    expected = json.loads((tmp_path / "b.json").read_text())
    report = tmp_path / "b.html"
    found = subsolid.bench([model], samples=[3, 2], levels=[0], backend="cpu", repeats=2, report=report)
    assert found["models"] == expected["models"] and found["accuracy"] == expected["accuracy"]
    assert len(found["timings"]) == len(expected["timings"]) and "Figure 13" in report.read_text(encoding="utf-8")
    for options, message in [
        ({"samples": [1]}, "samples=1 is out of range"),
        ({"levels": [9]}, "levels=9 is out of range"),
        ({"levels": [-1]}, "levels=-1"),
        ({"repeats": 0}, "repeats=0 is out of range"),
        ({"report": "a.txt"}, "a report is a page"),
        ({"models": []}, "nothing to measure"),
    ]:
        with pytest.raises(subsolid.Error, match=message):
            subsolid.bench(**{"models": [model], **options})  # type: ignore[arg-type]
