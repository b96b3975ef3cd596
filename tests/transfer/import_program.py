"""Imports from stdin, a few operations at a time. `python import_program.py STORE`"""

import sys

from gatepost.storage.sqlite.store import SqliteStore
from gatepost.transfer import import_workspaces, workspace_writer

if __name__ == "__main__":
    workspace_writer._OPERATIONS = 3  # type: ignore[misc] # many batches
    list(import_workspaces(SqliteStore(sys.argv[1]), sys.stdin.buffer, "stdin", lambda *_: None))
