"""A process that runs the checks of steps: folder, task and the paths of steps are its arguments."""

import os
import sys

from gatepost import connect

folder, task, *paths = sys.argv[1:]
os.chdir(folder)
with connect(actor=f"agent:{os.getpid()}") as gatepost:
    for path in paths:
        gatepost.call("tasks_check", workspace="acme/repo", task=task, path=path)
