"""A follower of a fleet, in a process of its own: writes down the number of every event of a workspace.

Arguments: the file to write to, the server's address, the workspace.
"""

import sys
from pathlib import Path

import gatepost

if __name__ == "__main__":
    notes, address, workspace = sys.argv[1:]
    with Path(notes).open("a", encoding="utf-8", buffering=1) as file:
        after = 0
        while True:
            try:
                with gatepost.connect(address) as gp:
                    for event in gp.follow(workspace, after=after):
                        after = event["seq"]
                        file.write(f"{after}\n")
            except gatepost.Refusal:
                continue
