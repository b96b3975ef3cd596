"""Connections as holders of claims: each is one of its own, whatever its name."""

from pathlib import Path

import gatepost
from gatepost.engine import processes


def test_two_connections_of_one_name_are_two_holders_and_end_with_their_process(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with gatepost.connect(path, workspace="w") as one, gatepost.connect(path, workspace="w") as two:
        one.call("tasks_create", kind="task", title="A task", steps=[{"title": "a"}, {"title": "b"}])

        paths = [gp.call("tasks_claim")["step"]["path"] for gp in (one, two, one)]

        assert paths == ["s:0", "s:1", "s:0"]
        with one.engine.store.reading("w") as snapshot:
            (text,) = snapshot.texts(["ta1.sa0"]).values()
        assert processes.this() in text


def test_the_todo_list_of_a_connection_is_still_the_shared_one(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with gatepost.connect(path, workspace="w") as one, gatepost.connect(path, workspace="w") as two:
        one.call("todo_write", items=["Dig"])

        assert two.call("todo_read")["items"] == ["Dig"]
