"""Models that the tests share."""

from __future__ import annotations

import os
import pathlib
import subprocess
from typing import Any

import pytest

import subsolid

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="session")
def models() -> pathlib.Path:
    return ROOT / "models"


@pytest.fixture(scope="session")
def bracket(models: pathlib.Path) -> subsolid.Solid:
    return subsolid.read(models / "bracket.vtk")


@pytest.fixture(scope="session")
def graded(models: pathlib.Path) -> subsolid.Solid:
    return subsolid.read(models / "graded_bracket.vtu")


@pytest.fixture(scope="session")
def command() -> Any:
    """Runs the program, in SUBSOLID_PROGRAM or built at its usual place."""
    names = [os.environ.get("SUBSOLID_PROGRAM", "")]
    names += [str(ROOT / "target" / kind / "subsolid") for kind in ("release", "debug")]
    program = next((name for name in names if name and pathlib.Path(name).exists()), None)
    if program is None:
        pytest.skip("the program is not built; SUBSOLID_PROGRAM names it")

    def run(*arguments: Any) -> str:
        done = subprocess.run(
            [program, *map(str, arguments)], capture_output=True, text=True, check=True
        )
        return done.stdout

    return run
