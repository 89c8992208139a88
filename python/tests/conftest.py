"""Models that the tests share."""

from __future__ import annotations

import pathlib
import subprocess
import sys
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
    """Runs the program that the package contains."""

    def run(*arguments: Any) -> str:
        program = [sys.executable, "-m", "subsolid"]
        done = subprocess.run(
            [*program, *map(str, arguments)], capture_output=True, text=True, check=True
        )
        return done.stdout

    return run
