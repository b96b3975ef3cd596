"""Types that several threads meet for the first time."""

import subprocess
import sys

import pytest

_TOGETHER = """
import sys, threading
from gatepost.operations.catalog import OPERATIONS
from gatepost.wire import json_input
from tests.operations.calls import ASKED, GOOD

sys.setswitchinterval(1e-6)
THREADS = 6
together = threading.Barrier(THREADS)

def meet():
    for operation in OPERATIONS:
        given = {"workspace": "acme/repo", **GOOD.get(operation.name, {}), **ASKED.get(operation.name, {})}
        together.wait()
        json_input.command(operation.command, given, operation.clearable)

threads = [threading.Thread(target=meet) for _ in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done")
"""


@pytest.mark.parametrize("trial", range(3))
def test_threads_that_send_the_first_call_of_each_operation_together_do_not_crash(trial: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _TOGETHER], capture_output=True, text=True, check=False, timeout=120
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", ""), trial
