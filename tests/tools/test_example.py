"""The worked agent loop: it runs, it is the same each time, and it shows what it promises."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples/agent_loop.py"


def play(folder: Path, seed: str) -> str:
    """Run the example somewhere, under a hash seed, and give what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLE)],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_the_agent_loop_runs_and_prints_the_same_transcript_each_time(tmp_path: Path) -> None:
    printed = play(tmp_path, "1")

    assert play(Path.cwd(), "2") == printed
    assert list(tmp_path.iterdir()) == []


def test_the_agent_loop_shows_the_digest_a_refusal_and_its_mending_and_the_end(tmp_path: Path) -> None:
    printed = play(tmp_path, "0")

    expected = [
        "shop: Python project, 3 files. Test: `make test`.",
        "`workspace_digest_get` gives the whole digest",
        "Use `todo_read` before writing",
        "(14 tools)",
        "## Commands",
        "Prices are in cents",
        "model: I plan.",
        "refused: ",
        "`items[2]` must not be blank",
        'ok: {"items":["Read src/cart.py","Answer in cents"]}',
        "def total(prices):\n    return sum(prices)\n",
        "['Read src/cart.py', 'Answer in cents'] -> []",
        "Telemetry: 9 tool calls, 1 refused, all of agent-loop",
        "After the session's end: [] to do, 0 files",
    ]
    places = [printed.find(words) for words in expected]
    assert -1 not in places, [words for words in expected if words not in printed]
    assert places == sorted(places)
