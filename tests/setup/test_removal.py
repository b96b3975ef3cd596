"""What init takes out and what it leaves: comments, texts that mention markers, files that cannot be edited now."""

from pathlib import Path

import pytest

from gatepost.surfaces.setup.json_edits import remove_member, set_member
from gatepost.surfaces.setup.json_spans import read
from gatepost.surfaces.setup.splices import EditedText
from tests.setup.givens import init


@pytest.mark.parametrize(
    ("entry", "left"),
    [
        ('"b": 2 // B\n', '{\n  "a": 1, // A\n  "b": 2 // B\n}\n'),
        ('"b": 2, // B\n', '{\n  "a": 1, // A\n  "b": 2 // B\n}\n'),
        ('"b": 2 /* B */,\n', '{\n  "a": 1, // A\n  "b": 2 /* B */\n}\n'),
    ],
)
def test_comments_beside_what_is_taken_out_stay(entry: str, left: str) -> None:
    edited = EditedText(f'{{\n  "a": 1, // A\n  {entry}}}\n')

    set_member(edited, ("ours",), {"x": 1})
    edited.replace(0, 0, "// New.\n")
    assert read(edited.text).value["ours"] == {"x": 1}
    assert remove_member(edited, ("ours",), {"x": 1})

    assert edited.text == f"// New.\n{left}"


def test_an_entry_between_two_others_goes_with_one_comma_and_no_comment() -> None:
    edited = EditedText('{"a": 1, /* A */ "ours": 0, "b": 2}')

    assert remove_member(edited, ("ours",), 0)

    assert edited.text == '{"a": 1, /* A */ "b": 2}'


def test_a_text_that_mentions_the_markers_is_no_block(project: Path) -> None:
    own = "The `<!-- gatepost:start -->` block is made.\n\nMy important rule.\n"
    block = "<!-- gatepost:start -->\nOLD TEXT\n<!-- gatepost:end -->\n"
    (project / "CLAUDE.md").write_text(own + block)

    init("--client", "claude")

    text = (project / "CLAUDE.md").read_text()
    assert text.startswith(own)
    assert "OLD TEXT" not in text
    assert text.count("\n<!-- gatepost:start -->\n") == 1


def test_a_file_that_cannot_be_edited_now_is_named_and_taken_care_of_later(project: Path) -> None:
    init("--client", "claude")
    settings = project / ".claude/settings.json"
    text = settings.read_text()
    settings.write_text(text.replace('"deny"', "deny"))

    assert init("--remove") == 4
    settings.write_text(text)
    assert init("--remove") == 0

    assert {path.name for path in project.iterdir()} == {".git"}


def test_clients_that_share_a_file_can_be_removed_one_by_one(project: Path) -> None:
    init("--client", "codex", "--client", "cursor")

    assert init("--remove", "--client", "codex") == 0
    assert (project / "AGENTS.md").exists()
    assert init("--remove", "--client", "cursor") == 0

    assert not (project / "AGENTS.md").exists()
