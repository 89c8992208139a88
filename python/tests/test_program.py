"""The program that the package contains, as `python -m subsolid`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import subsolid

MODULE = [sys.executable, "-m", "subsolid"]


def run(arguments: str, where: Path, program: list[str] = MODULE) -> subprocess.CompletedProcess[str]:
    command = [*program, *arguments.split()]
    return subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=120)


def done(arguments: str, where: Path) -> str:
    found = run(arguments, where)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_it_is_the_version_of_the_package(tmp_path: Path) -> None:
    assert done("-V", tmp_path) == f"subsolid {subsolid.__version__}\n"
    lines = done("--version", tmp_path).splitlines()
    assert lines[0] == f"subsolid {subsolid.__version__}"
    assert "cli" in lines[1] and "cpu" in lines[2]


def test_it_says_its_name_in_usage_and_errors(tmp_path: Path) -> None:
    assert "Usage: subsolid [OPTIONS] <COMMAND>" in done("--help", tmp_path)
    found = run("evaluate none.vtu --samples 2 -o a.vtu", tmp_path)
    assert found.returncode == 2 and found.stderr.startswith("error: none.vtu")
    found = run("evaluate --sample 2", tmp_path)
    assert found.returncode == 2 and "Usage: subsolid evaluate" in found.stderr


def test_it_writes_what_python_computes(tmp_path: Path) -> None:
    done("shape fan 5 2 2 -o fan.vtu", tmp_path)
    (tmp_path / "at.csv").write_text("cell,u,v,w\n0,0.5,0.5,0.5\n3,0,1,0.25\n")
    done("evaluate fan.vtu --at at.csv -o values.csv", tmp_path)
    values = np.loadtxt(tmp_path / "values.csv", delimiter=",", skiprows=1, ndmin=2)
    solid = subsolid.read(tmp_path / "fan.vtu")
    uvw = np.array([[0.5, 0.5, 0.5], [0.0, 1.0, 0.25]])
    limit = solid.evaluate(cells=np.array([0, 3]), uvw=uvw)
    columns = (tmp_path / "values.csv").read_text().splitlines()[0].split(",")
    place = [columns.index(name) for name in "xyz"]
    np.testing.assert_array_equal(values[:, place], limit.points)


def test_folded_samples_are_exit_code_1(tmp_path: Path) -> None:
    solid = subsolid.shape("box", 2, 2, 2)
    points = solid.points.copy()
    points[:, 0] *= -1
    points[13] += 3.0
    with pytest.warns(UserWarning):
        solid.with_points(points).write(tmp_path / "folded.vtu")
    found = run("evaluate folded.vtu --gauss 2 --quality", tmp_path)
    assert found.returncode == 1, found.stderr


def test_the_installed_command_is_the_module(tmp_path: Path) -> None:
    command = shutil.which("subsolid", path=os.path.dirname(sys.executable))
    if command is None:
        pytest.skip("not installed beside Python")
    assert run("info --help", tmp_path, [command]).stdout == done("info --help", tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
def test_an_interruption_ends_it_and_leaves_nothing(tmp_path: Path) -> None:
    done("shape box 40 40 40 -o box.vtu", tmp_path)
    command = [*MODULE, "evaluate", "box.vtu", "--samples", "12", "-o", "limit.vtu"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as program:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob(".limit.vtu.*")):
            assert program.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        program.send_signal(signal.SIGINT)
        assert program.wait(60) == -signal.SIGINT
    assert sorted(path.name for path in tmp_path.iterdir()) == ["box.vtu"]
