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
NOTHING = {"set_threads", "write", "write_limit", "view"}


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
    # those of another method are named there
    if own and " as " not in text.partition("\n\n")[0] and "Options are those" not in text:
        wanted.add("Args")
        described = re.findall(r"^    (\w+(?:, \w+)*):", text, flags=re.M)
        assert set(own) <= {one for names in described for one in names.split(", ")}, name
    if name in ("devices", "Solid.info", "Solid.sides"):
        wanted.discard("Raises")
    assert wanted <= set(sections), (name, wanted - set(sections))


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
