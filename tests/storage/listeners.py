"""A listener in a process of its own. It says whether its wait ended with news.

    python listeners.py <file> <after> [leave]

With `leave` it ends as soon as it listens, in the midst of its wait and without closing anything.
"""

import sys
import threading
from pathlib import Path

from gatepost.storage.sqlite.store import SqliteStore

WORKSPACE = "acme/repo"
PATIENCE = 60


def main(path: str, after: int, *, leave: bool) -> None:
    """Wait once."""
    store = SqliteStore(path)
    if not leave:
        print(store.wait(WORKSPACE, after, PATIENCE), flush=True)
        store.close()
        return
    threading.Thread(target=store.wait, args=(WORKSPACE, after, PATIENCE), daemon=True).start()
    pause = threading.Event()
    while not list(Path(f"{path}-wake").glob("*")):
        pause.wait(0.01)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), leave=sys.argv[3:] == ["leave"])
