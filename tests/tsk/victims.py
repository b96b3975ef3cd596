"""A separate process that calls one tool, and may be killed while it writes the package.

    python victims.py <folder> <how> <tool> <arguments as JSON>

`crashed` forks one from a server that has everything loaded, which takes a fraction of a new interpreter's time.

`how` is `whole`, or `<place>:<number>`: die in the package's n-th fsync, rename or open of a new file, before it
happens; `after-<place>:<number>` is right after it. It dies of the call, or of the start if that is `start`.
The reply goes to stdout.
"""

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gatepost
from gatepost.engine.caller import Caller
from gatepost.operations.taskdoc_packages import settle

KEEPER = Caller("victim")
PATIENCE = 120
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.tsk.victims"])


def crashed(folder: Path, how: str, tool: str, arguments: dict[str, Any]) -> int | None:
    """The exit code of a process that makes this call; the number of the signal, negated, if it was killed."""
    process = FORKS.Process(target=main, args=(str(folder), how, tool, arguments))
    process.start()
    process.join(PATIENCE)
    code = process.exitcode
    if code is None:
        process.kill()
        process.join()
    process.close()
    return code


def main(folder: str, how: str, tool: str, arguments: dict[str, Any]) -> None:
    """Call, and perhaps die of it."""
    os.chdir(folder)
    os.environ["GATEPOST_ROOT"] = folder  # the store stands beside it
    gp = gatepost.connect(str(Path(folder).parent / "gatepost.db"), actor="tester", synchronous="NORMAL")
    if how != "whole":
        if tool != "start":
            settle(gp.engine, "acme/repo", KEEPER)  # the start is over: what dies is the call
        die(how)
    if tool == "start":
        settle(gp.engine, "acme/repo", KEEPER)
        return
    print(json.dumps(gp.call(tool, workspace="acme/repo", **arguments)), flush=True)


def die(how: str) -> None:
    place, _, number = how.removeprefix("after-").partition(":")
    left = [int(number)]
    happens: Callable[..., Any] = getattr(os, place)

    def deadly(*given: Any, **named: Any) -> Any:
        if place == "open" and not ("dir_fd" in named and given[1] & os.O_EXCL):  # the store makes files too
            return happens(*given, **named)
        left[0] -= 1
        if left[0] == 0 and not how.startswith("after-"):
            os.kill(os.getpid(), signal.SIGKILL)
        answered = happens(*given, **named)
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return answered

    setattr(os, place, deadly)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4]))
