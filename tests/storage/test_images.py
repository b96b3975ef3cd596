"""What operations changed, in every store: found by operation and by place."""

from pathlib import Path
from typing import Any

import pytest

from gatepost.engine.port import Store
from gatepost.engine.rows import Changes, Head, ImageRow
from tests.givens import STORES, new_store

PLENTY = 1_000


def write(store: Store, workspace: str, **changes: Any) -> None:
    with store.writing(workspace) as transaction:
        transaction.apply(Changes(**changes))
        transaction.commit()


@pytest.mark.parametrize("kind", STORES)
def test_what_operations_changed_is_found_by_operation_and_by_place(kind: str, tmp_path: Path) -> None:
    store = new_store(kind, tmp_path)
    first = [ImageRow("ta1", 1, None, "a"), ImageRow("ta1.sa0", 1, None, "b"), ImageRow("tb10", 1, None, "c")]
    second, third = ImageRow("ta1", 3, "a", "aa"), ImageRow("ta1", 5, "aa", None)
    write(store, "w", head=Head(5), images=[*first, second, third])
    write(store, "other", head=Head(1), images=[ImageRow("ta1", 1, None, "x")])

    with store.reading("w") as snapshot:
        assert snapshot.images(1) == first
        assert snapshot.images(1, "ta1", "ta1/") == first[:2]
        assert snapshot.images(1, "ta1.") == first[1:]
        assert snapshot.images(1, limit=2) == first[:2]
        assert snapshot.images_of_place("ta1", 6, PLENTY) == [third, second, first[0]]
        assert snapshot.images_of_place("ta1", 5, 1) == [second]
        assert snapshot.images_after(["ta1", "tb10", "tc100"], 0) == {"ta1": first[0], "tb10": first[2]}
        assert snapshot.images_after(["ta1", "tb10"], 1) == {"ta1": second}
        assert snapshot.images_after(["ta1"], 5) == snapshot.images_after([], 0) == {}
    store.close()
