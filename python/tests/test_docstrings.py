"""Docstrings: every public method says what it takes, returns and refuses, and its example runs."""

from __future__ import annotations

import doctest
import inspect
import re
import warnings
from typing import Any, Iterator

import numpy as np
import pytest

import subsolid

#: Functions that return what they are for.
NOTHING = {"set_threads", "write", "view"}


def public() -> Iterator[tuple[str, Any]]:
    """Functions and methods of the package, by name."""
    for name in subsolid.__all__:
        value = getattr(subsolid, name)
        if not isinstance(value, type):
            if callable(value):
                yield name, value
            continue
        if issubclass(value, (BaseException, tuple)) or value.__module__ == "subsolid._types":
            continue
        for member, method in vars(value).items():
            if not member.startswith("_") and inspect.isroutine(method):
                yield f"{name}.{member}", method


CALLS = dict(public())


def parameters(call: Any) -> list[str]:
    names = list(inspect.signature(call).parameters)
    return [name for name in names if name != "self"]


@pytest.mark.parametrize("name", CALLS)
def test_a_docstring_is_complete(name: str) -> None:
    text = inspect.getdoc(CALLS[name]) or ""
    sections = re.findall(r"^(Args|Returns|Raises|Example):$", text, flags=re.M)
    wanted = {"Raises", "Example"}
    if name.rpartition(".")[2] not in NOTHING:
        wanted.add("Returns")
    own = parameters(CALLS[name])
    if own:
        wanted.add("Args")
        described = re.findall(r"^    (\w+(?:, \w+)*):", text, flags=re.M)
        assert set(own) <= {one for names in described for one in names.split(", ")}, name
    if name in ("devices", "Solid.info", "Solid.sides"):
        wanted.discard("Raises")
    assert wanted <= set(sections), (name, wanted - set(sections))


#: "As in plan", "see Solid.slice", "options are those of plan".
DEFERS = re.compile(
    r"\b(?:as|see|those of)(?: in| for| of)? (?:Solid|Surface|Plan|Slices|Quadrature|Locator)?\.?"
    rf"(?:{'|'.join(sorted({name.rpartition('.')[2] for name in CALLS}))})\b(?! --)",
    flags=re.I,
)


def sections(text: str) -> dict[str, str]:
    """The text of each section of a docstring by its title; what is before them by ''."""
    parts = re.split(r"^(Args|Returns|Raises|Example):\n", text, flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


@pytest.mark.parametrize("name", CALLS)
def test_parameters_are_said_where_they_are_taken(name: str) -> None:
    found = sections(inspect.getdoc(CALLS[name]) or "")
    assert "options are those" not in found[""].lower()
    for title in ("Args", "Returns", "Raises"):
        # what follows the indented lines is of the call as a whole
        own = "".join(re.findall(r"^ .*\n?", found.get(title, ""), flags=re.M))
        deferred = DEFERS.search(own)
        assert deferred is None, (title, deferred and deferred[0])


def test_deferred_parameters_are_found() -> None:
    for text in ("As in plan.", "as in Solid.slice", "those of Solid.fit", "see Solid.locate"):
        assert DEFERS.search(text), text
    for text in ("those of the solid", "as `subsolid slice --png` does", "as infinite"):
        assert not DEFERS.search(text), text


@pytest.mark.parametrize("name", CALLS)
def test_an_example_runs(name: str, tmp_path: Any, monkeypatch: Any) -> None:
    text = inspect.getdoc(CALLS[name]) or ""
    example = text[text.index("Example:\n") :]
    for needed in ("pyvista", "meshio"):
        if needed in name or needed in example:
            pytest.importorskip(needed)
    if name == "Solid.plot":
        pytest.importorskip("pyvista")
    if name.startswith("Device") and not subsolid.devices():
        pytest.skip("no GPU")
    monkeypatch.chdir(tmp_path)
    known = {"subsolid": subsolid, "np": np}
    test = doctest.DocTestParser().get_doctest(example, known, name, None, None)
    assert test.examples
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
    said: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)
