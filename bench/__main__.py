"""`python -m bench`: measure, show, keep. Ratios are what counts; these machines are noisy, so nothing fails."""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bench import (
    bulk,
    crew,
    delivery,
    files,
    flat,
    hook,
    loop,
    page,
    past,
    peer_comparison,
    postgres,
    proofs,
    ready_queue,
    secrets,
    session,
    snapshots,
    start,
    stdio,
    store,
    stream,
    tui,
    words,
    writers,
)
from bench.figures import Section, report, table
from bench.scale import FULL, QUICK, Scale

SECTIONS: Final[dict[str, Callable[[Scale, Path], Section]]] = {
    "store": store.measure,
    "flat": flat.measure,
    "bulk": bulk.measure,
    "words": words.measure,
    "past": past.measure,
    "queue": ready_queue.measure,
    "start": start.measure,
    "stdio": stdio.measure,
    "loop": loop.measure,
    "peers": peer_comparison.measure,
    "writers": writers.measure,
    "crew": crew.measure,
    "postgres": postgres.measure,
    "delivery": delivery.measure,
    "stream": stream.measure,
    "snapshots": snapshots.measure,
    "session": session.measure,
    "secrets": secrets.measure,
    "proofs": proofs.measure,
    "files": files.measure,
    "hook": hook.measure,
    "tui": tui.measure,
    "page": page.measure,
}
RESULTS: Final = Path(__file__).with_name("results")


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for."""
    asked = _parse(arguments)
    scale = QUICK if asked.quick else FULL
    sections = measure(scale, asked.only)
    kept = keep(sections, scale, asked.only, RESULTS)
    if asked.json:
        print(kept.read_text())
    else:
        print(table(sections))
        print(f"Kept in {kept}.")
    return 0


def measure(scale: Scale, names: Sequence[str]) -> list[Section]:
    """The sections by these names, each in a folder that is gone afterwards."""
    sections = []
    for name in names:
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix=f"gatepost-bench-{name}-") as folder:
            sections.append(SECTIONS[name](scale, Path(folder)))
        print(f"{name}: {time.monotonic() - begun:.1f} s in all", file=sys.stderr)
    return sections


def keep(sections: Sequence[Section], scale: Scale, names: Sequence[str], folder: Path) -> Path:
    """Write the results where the next run of the same kind finds them."""
    folder.mkdir(parents=True, exist_ok=True)
    which = "" if set(names) == set(SECTIONS) else "-" + "-".join(names)
    path = folder / f"{scale.name}{which}.json"
    path.write_text(json.dumps(report(sections, scale.name), ensure_ascii=False, indent=2) + "\n")
    return path


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small stores, few rounds: a smoke test")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument(
        "--only",
        type=_names,
        default=list(SECTIONS),
        metavar="NAMES",
        help=f"some of {','.join(SECTIONS)}",
    )
    return parser.parse_args(arguments)


def _names(given: str) -> list[str]:
    names = given.split(",")
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: not among {', '.join(SECTIONS)}")
    return names


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
