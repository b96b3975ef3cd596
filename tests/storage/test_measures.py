"""What a store says about itself for a bug report."""

import re
from pathlib import Path

import pytest

from tests.givens import STORES, World, new_store


@pytest.mark.parametrize("kind", STORES)
def test_a_store_tells_its_databases_version_its_schema_and_its_size(kind: str, tmp_path: Path) -> None:
    store = new_store(kind, tmp_path)
    World(store).task()

    with store.inspecting() as inspection:
        measures = inspection.measures()

    assert re.match("PostgreSQL [0-9]+" if kind == "postgresql" else r"SQLite 3\.", measures.engine)
    assert measures.schema is not None
    assert measures.schema > 0
    assert (measures.size == 0) == (kind == "memory")
    store.close()
