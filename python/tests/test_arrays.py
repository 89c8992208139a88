"""Arrays that NumPy would convert without a word: masks, wide integers, booleans, strings."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import subsolid
from boxes import box

POINTS, CELLS = box(2, 1, 1)
SOLID = subsolid.Solid(POINTS, CELLS, attributes={"t": POINTS[:, 0]})
PLAN = SOLID.plan(samples=2)
SKIN = SOLID.boundary()

#: What takes numbers, the shape that it takes, and an element of its rows if they have one.
NUMBERS: dict[str, tuple[Any, tuple[int, ...], str]] = {
    "points": (lambda x: subsolid.Solid(x, CELLS), POINTS.shape, "vertex "),
    "points of a plan": (PLAN.evaluate, POINTS.shape, "vertex "),
    "points of a surface": (lambda x: subsolid.Surface(x, SKIN.faces), (12, 3), "vertex "),
    "attributes": (lambda x: SOLID.with_attributes({"a": x}), (12,), "vertex "),
    "attributes of a plan": (lambda x: PLAN.evaluate(attributes={"t": x}), (12,), "vertex "),
    "cell data": (lambda x: subsolid.Solid(POINTS, CELLS, cell_data={"m": x}), (2,), "cell "),
    "parameters": (lambda x: SOLID.evaluate(cells=[0, 1], uvw=x), (2, 3), "sample "),
    "places": (SOLID.locate, (2, 3), "sample "),
    "samples": (lambda x: SOLID.evaluate(samples=x), (2,), ""),
    "sharpness": (lambda x: subsolid.Solid(POINTS, CELLS, corners=([0, 1], x)), (2,), ""),
    "a gradient": (PLAN.adjoint, (16, 3), ""),
    "a point": (lambda x: SOLID.distance(point=x), (3,), ""),
    "a force": (lambda x: SOLID.quadrature(2).load(x), (3,), ""),
}

#: What takes ids, and ids that it takes.
IDS: dict[str, tuple[Any, list[Any]]] = {
    "cells": (lambda x: subsolid.Solid(POINTS, x), CELLS.tolist()),
    "faces": (lambda x: subsolid.Surface(POINTS, x), [[0, 1, 2], [2, 1, 3]]),
    "creases": (lambda x: subsolid.Solid(POINTS, CELLS, creases=(x, 1.0)), [[0, 1]]),
    "corners": (lambda x: subsolid.Solid(POINTS, CELLS, corners=(x, 1.0)), [0, 1]),
    "places": (lambda x: SOLID.evaluate(cells=x, uvw=np.zeros((2, 3))), [0, 1]),
    "vertices": (lambda x: SOLID.distance(vertices=x), [0, 1]),
    "patches": (lambda x: SOLID.distance(patches=x), [0, 1]),
    "holes": (lambda x: subsolid.Surface(SKIN.points, SKIN.faces, holes=x), [0, 1]),
}


def masked(values: Any, at: Any) -> Any:
    mask = np.zeros(np.shape(values), dtype=bool)
    mask[at] = True
    return np.ma.MaskedArray(values, mask=mask)


def filled(shape: tuple[int, ...]) -> Any:
    return np.linspace(0, 1, int(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_what_they_are(name: str) -> None:
    call, shape, element = NUMBERS[name]
    values = filled(shape)
    row = shape[0] - 1
    last = (row, *[0] * (len(shape) - 1))
    with pytest.raises(subsolid.Error, match=rf"masked at {element or re.escape('[')}{row}") as caught:
        call(masked(values, last))
    assert "numpy.ma.filled" in str(caught.value)
    if element:
        assert caught.value.elements == [(element.strip(), row)]
    with pytest.raises(subsolid.Error, match=r"masked at .*, and \d+ more"):
        call(masked(values, np.s_[row - 1 :]))
    lists = values.tolist()
    if len(shape) == 1:
        lists[row] = np.ma.masked
    else:
        lists[row] = masked(lists[row], 0)
    with pytest.raises(subsolid.Error, match="masked at"):
        call(lists)
    wrongs = [values + 1j, values.astype(str), values.astype(object), values > 0.5]
    if np.dtype(np.longdouble).itemsize > 8:
        wrongs.append(values.astype(np.longdouble))
    for wrong in wrongs:
        with pytest.raises(subsolid.Error, match="has the type"):
            call(wrong)
    lists = values.tolist()
    lists[0] = True if len(shape) == 1 else [True, *lists[0][1:]]
    with pytest.raises(subsolid.Error, match=r"has the type bool at \[0"):
        call(lists)
    for dtype in (np.int64, np.uint64, ">i8"):
        wide = np.zeros(shape, dtype=dtype)
        wide[last] = 2**53 + 1
        with pytest.raises(subsolid.Error, match=f"holds {2**53 + 1} at {element or re.escape('[')}{row}"):
            call(wide)


@pytest.mark.filterwarnings("ignore::subsolid.CopyWarning")
def test_whole_masked_and_exact_arrays_are_taken() -> None:
    whole = np.ma.MaskedArray(POINTS)
    assert np.array_equal(subsolid.Solid(whole, CELLS).points, POINTS)
    assert np.array_equal(PLAN.evaluate(whole).points, PLAN.evaluate(POINTS).points)
    assert np.array_equal(subsolid.Solid(POINTS, np.ma.MaskedArray(CELLS)).cells, CELLS)
    for number in (2**53 - 1, 2**53, 2**60, -(2**63)):
        solid = subsolid.Solid(POINTS, CELLS, cell_data={"m": np.array([0, number])})
        assert solid.cell_data["m"].tolist() == [0, number]
    with pytest.raises(subsolid.Error, match=f"holds {2**63 - 1} at cell 1, column"):
        subsolid.Solid(POINTS, CELLS, cell_data={"m": np.array([[0, 0], [0, 2**63 - 1]])})


@pytest.mark.parametrize("name", IDS)
def test_ids_are_whole_numbers(name: str) -> None:
    call, ids = IDS[name]
    array = np.array(ids)
    call(ids)
    call(array.astype(np.uint8))
    first = (0,) * array.ndim
    for wrong in (array.astype(float), array + 0.5, array + 0j, array.astype(str), array > 0):
        with pytest.raises(subsolid.Error, match="has the type"):
            call(wrong)
    with pytest.raises(subsolid.Error, match="masked at"):
        call(masked(array, first))
    with pytest.raises(subsolid.Error, match="masked at"):
        call([masked(array[0], 0) if array.ndim > 1 else np.ma.masked, *ids[1:]])
    for dtype, number in ((np.int64, -1), (np.int64, 2**40), (np.uint64, 2**64 - 1)):
        wide = array.astype(dtype)
        wide[first] = number
        with pytest.raises(subsolid.Error, match=f"names {number} at place 0"):
            call(wide)
    lists = array.tolist()
    lists[0] = True if array.ndim == 1 else [True, *lists[0][1:]]
    with pytest.raises(subsolid.Error, match="has the type bool at"):
        call(lists)


def test_corners_that_are_none_do_not_wrap() -> None:
    wide = np.array([2**64 - 1, 2**64 - 1], dtype=np.uint64)
    with pytest.raises(subsolid.Error, match=f"corners names {2**64 - 1}"):
        SOLID.evaluate(cells=[0, 1], uvw=np.zeros((2, 3)), corners=wide)


def test_results_are_not_written_under_masks() -> None:
    out = np.zeros((16, 3))
    PLAN.evaluate(out=np.ma.MaskedArray(out))
    assert np.array_equal(out, PLAN.evaluate().points)
    with pytest.raises(subsolid.Error, match="out: masked at"):
        PLAN.evaluate(out=masked(out, (3, 1)))


def test_masks_of_meshio_are_seen() -> None:
    meshio = pytest.importorskip("meshio")

    def mesh(**data: Any) -> Any:
        return meshio.Mesh(POINTS, [("hexahedron", CELLS)], **data)

    hidden = mesh(point_data={"t": np.zeros(12)}, cell_data={"m": [np.zeros(2)]})
    subsolid.from_meshio(hidden)
    hidden.point_data["t"] = masked(np.zeros(12), 3)
    with pytest.raises(subsolid.Error, match="point array 't'.*masked at"):
        subsolid.from_meshio(hidden)
    hidden.point_data = {}
    hidden.cell_data["m"] = [masked(np.zeros(2), 1)]
    with pytest.raises(subsolid.Error, match="cell array 'm'.*masked at"):
        subsolid.from_meshio(hidden)


def test_interrupts_in_arrays_are_not_errors_of_arrays(bracket: subsolid.Solid) -> None:
    class Array:
        def __init__(self, error: BaseException) -> None:
            self.error = error

        def __array__(self, *_: Any, **__: Any) -> Any:
            raise self.error

    for error in (KeyboardInterrupt(), MemoryError()):
        with pytest.raises(type(error)):
            bracket.with_points(Array(error))
    with pytest.raises(subsolid.Error, match="not an array of numbers") as caught:
        bracket.with_points(Array(ValueError("why")))
    assert isinstance(caught.value.__cause__, ValueError)


def test_copies_are_warned_of_where_they_are_made(bracket: subsolid.Solid) -> None:
    plan = bracket.plan(samples=2)
    with pytest.warns(subsolid.CopyWarning) as caught:
        plan.evaluate(bracket.points.tolist())
    assert caught[0].filename == __file__
