"""What files and results leave out is named."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from boxes import box

import subsolid


@pytest.fixture(scope="module")
def marked() -> subsolid.Solid:
    points, cells = box(2, 2, 3)
    return subsolid.Solid(
        points,
        cells,
        creases=([[0, 1], [1, 2]], np.inf),
        cell_data={"material": np.arange(12), "group:core": np.arange(12) % 2, "class": np.zeros(12)},
        face_groups={"inlet": [[0, 1, 4, 3]], "floor": [[1, 2, 5, 4]]},
    )


def losses(work: Any) -> list[str]:
    """The words of all warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    assert all(warning.category is UserWarning for warning in caught)
    return [str(warning.message) for warning in caught]


FACES = "left out the groups of faces inlet, floor"
CELLS = ["left out the groups of cells core", "left out the arrays of cells material, class"]


def test_files_say_what_they_leave_out(marked: subsolid.Solid, tmp_path: Any) -> None:
    for name in ("a.vtu", "a.pvtu", "a.vtk"):
        assert losses(lambda: marked.write(tmp_path / name)) == []
    empty = marked.with_face_groups({"none": np.zeros((0, 4), int)})
    for name in ("a.vtu", "a.pvtu", "a.vtk", "a.npz"):
        expected = f"{tmp_path / name}: left out the empty groups of faces none"
        assert losses(lambda: empty.write(tmp_path / name)) == [expected]
    table = tmp_path / "a.csv"
    expected = ["left out 12 cells, 2 creases", FACES, *CELLS]
    assert losses(lambda: marked.write(table)) == [f"{table}: {loss}" for loss in expected]
    limit = tmp_path / "limit.vtu"
    taken = "cell arrays class are left out: the output's own arrays have these names; rename them"
    assert losses(lambda: marked.write_limit(limit, 2)) == [f"{limit}: {FACES}", taken]
    core = np.array([0, 1, 2, 3, -1, 0, 7, 2, 0, 0, 0, 0])
    changed = "left out the values other than 0 and 1 of the groups of cells core"
    assert losses(lambda: marked.with_cell_data({"group:core": core}).write(tmp_path / "c.vtu")) == [
        f"{tmp_path / 'c.vtu'}: {changed}"
    ]
    text = tmp_path / "a.bext"
    assert losses(lambda: marked.write_extraction(text)) == [f"{text}: {loss}" for loss in [FACES, *CELLS]]


def test_results_say_what_they_leave_out(marked: subsolid.Solid) -> None:
    assert losses(marked.boundary) == [FACES, *CELLS]
    assert losses(marked.extract) == [FACES, *CELLS]
    plain = subsolid.Solid(*box(2, 2, 2))
    assert losses(plain.boundary) == losses(plain.extract) == []


def test_files_for_finite_elements_have_the_groups(marked: subsolid.Solid, tmp_path: Any) -> None:
    lost = "2 creases"
    assert losses(lambda: marked.write(tmp_path / "a.msh")) == [f"{tmp_path}/a.msh: left out {lost}"]
    with pytest.warns(UserWarning, match="ElementData"):
        back = subsolid.read(tmp_path / "a.msh")
    assert {name: len(faces) for name, faces in back.face_groups.items()} == {"inlet": 1, "floor": 1}
    said = losses(lambda: marked.write(tmp_path / "a.mesh", format="medit"))
    assert any("core (1)" in words for words in said) and any("inlet (" in words for words in said)
    with pytest.raises(subsolid.Error, match="MFEM and MEDIT both"):
        marked.write(tmp_path / "b.mesh")
    with pytest.raises(subsolid.Error, match="format"):
        marked.write(tmp_path / "b.mesh", format="nastran")


def test_curved_cells_and_boundaries_for_finite_elements(tmp_path: Any) -> None:
    solid = subsolid.shape("box", 2, 2, 2)
    report = solid.write_limit(tmp_path / "a.inp", order=2)
    assert report and report["cells"] == 8 and report["distance"] > 0
    assert (tmp_path / "a.inp").read_text().count("TYPE=C3D20") == 1
    report = solid.write_limit(tmp_path / "a.mesh", order=4, format="mfem")
    assert report and "H1@U_3D_P4" in (tmp_path / "a.mesh").read_text()
    with pytest.raises(subsolid.Error, match="orders 1 and 2"):
        solid.write_limit(tmp_path / "a.exo", order=3)
    assert solid.write_boundary(tmp_path / "skin.msh")["faces"] == 24
    assert subsolid.read_surface(tmp_path / "skin.msh").n_faces == 24
