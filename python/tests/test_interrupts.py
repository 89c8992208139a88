"""Signals and other threads during calls that take long."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

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
