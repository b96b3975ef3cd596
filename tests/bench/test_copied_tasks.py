"""A large database of the benchmarks is one that calls could have written."""

import json
import math
from contextlib import closing

import psycopg

from bench.copied_tasks import copy_task
from bench.rig import Rig, close, leaf, seed
from bench.timing import Progress
from gatepost.engine import doctor
from tests import postgres


def test_the_doctor_finds_nothing_wrong_with_copied_tasks_and_work_on_them_goes_on() -> None:
    postgres.fresh_store().close()
    with Rig(postgres.server().url(), "NORMAL") as rig:
        seed(rig, tasks=1, steps_each=20, progress=Progress("one task", 20, until=math.inf))
        close(rig.ok, leaf("TASK-001", 0))

        with closing(psycopg.connect(postgres.server().url(), autocommit=True)) as connection:
            before = _indexes(connection)
            copy_task(connection, rig.workspace, 12, Progress("copies", 220, until=math.inf))
            after = _indexes(connection)
        close(rig.ok, leaf("TASK-012", 1))

        report = doctor.examine(rig.engine.store, rig.workspace)
        assert report.findings == []
        assert report.checked["documents"] == 12 * 21
        assert after == before
        assert json.loads(rig.ok("tasks_radar", task="TASK-011"))["now"]["path"] == "s:0.s:1"


def _indexes(connection: psycopg.Connection[tuple[object, ...]]) -> set[tuple[object, ...]]:
    found = connection.execute(
        "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'gatepost'"
    )
    return set(found)
