"""Writes tasks until it is stopped, and notes each one in a file once it is acknowledged.

`python task_writer.py STORE NAME FILE`
"""

import sys
from pathlib import Path

import gatepost

if __name__ == "__main__":
    store, name, file = sys.argv[1:]
    with gatepost.connect(store) as gp, Path(file).open("a", encoding="utf-8", buffering=1) as noted:
        for number in range(100_000):
            gp.call("tasks_create", workspace="acme/repo", kind="task", title=f"{name} {number}")
            noted.write(f"{name} {number}\n")
