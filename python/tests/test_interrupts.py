"""Signals and other threads during calls that take long."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import Any

import pytest

import subsolid

# the first array of a program is made when the signal has come
FIRST_CALL = """
import signal, scipy.sparse, subsolid
signal.signal(signal.SIGALRM, signal.default_int_handler)
quadrature = subsolid.shape("fan", 5, 6, 6).quadrature(gauss=6)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    while True:
        quadrature.mass()
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_signal_during_the_first_call_interrupts_it() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_CALL], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


def test_other_threads_run_during_a_report_of_quality() -> None:
    done, times = threading.Event(), []

    def count() -> None:
        while not done.wait(1e-3):
            times.append(time.monotonic())

    thread = threading.Thread(target=count)
    thread.start()
    try:
        for cells in (8, 16, 32):
            solid = subsolid.shape("box", 8, 8, cells)
            start = time.monotonic()
            solid.quality(samples=20)
            end = time.monotonic()
            if end - start > 0.1:
                break
        else:
            pytest.skip("no report takes a tenth of a second")
    finally:
        done.set()
        thread.join()
    assert len([t for t in times if start < t < end]) > 10


#: Seconds of the processor from the beginning of a call to the signal, and most from there to the
#: end, by one thread: whatever else the machine does.
AFTER, MOST = 0.3, 1.0

# with SciPy, whose import would be what the signal ends
SETUP = """
import signal, time, numpy as np, scipy.sparse, subsolid
signal.signal(signal.SIGPROF, signal.default_int_handler)
subsolid.set_threads(1)
solid = subsolid.shape("fan", 5, 20, 20)
solid = solid.with_attributes({"heat": solid.points[:, 2]})
faces = solid.boundary()
folded = solid.with_points(solid.points + 0.02 * np.sin(99 * solid.points))
"""

CALLS = [
    "faces.refine(5)",
    "faces.refine(3).info()",
    "faces.stencils(4)",
    "faces.evaluate(32)",
    "faces.refine(4).limit()",
    "faces.page(levels=5, scheme='bilinear')",
    "solid.refine(2)",
    "solid.page()",
    "solid.view('page.html')",
    "solid.untangle()",
    "folded.untangle(boundary='slide')",
    "solid.evaluate(8)",
    "solid.plan(6).adjoint(np.ones((40000 * 6**3, 3)))",
    "solid.quality(16)",
    "solid.locate(np.random.default_rng(1).random((10**6, 3)) * 2 - 1)",
    "solid.locate(np.random.default_rng(1).random((10**5, 3)) * 9, nearest=True)",
    "solid.quadrature(6).elasticity()",
    "solid.distance('boundary')",
    "solid.smooth_attribute('heat', 10**6)",
    "solid.query('CC', rings=None)",
    "solid.slice(0.002, pixel=0.002).write('layers')",
    "list(solid.slice(0.002))",
    "solid.write_limit('limit.vtu', 6)",
    "solid.write_limit('limit.pvtu', 6)",
    "solid.extract(2)",
    "solid.compare(16)",
    "solid.weld(1e-3)",
    "solid.info()",
]


@pytest.mark.parametrize("call", CALLS)
def test_a_signal_ends_a_call_soon(call: str, tmp_path: Any) -> None:
    program = f"""{SETUP}
start = time.process_time()
signal.setitimer(signal.ITIMER_PROF, {AFTER})
try:
    try:
        {call}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    print("done")
except KeyboardInterrupt:
    print("late by", time.process_time() - start - {AFTER})
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    words = done.stdout.split()
    # a call that is done by then has nothing to end
    assert words[0] == "done" or float(words[-1]) < MOST, done.stdout
    # neither parts of files nor files that end too early
    left = [p.name for p in tmp_path.iterdir() if p.suffix == ".part" or p.name.startswith("limit")]
    assert words[0] == "done" or not left
