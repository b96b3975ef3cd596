"""What type checkers know of a reply: `make types` runs mypy over this file, which checks every `assert_type`."""

from typing import assert_type

import gatepost
from gatepost import commands


def test_a_command_says_what_its_reply_is() -> None:
    with gatepost.connect("memory:", workspace="acme/repo") as gp:
        steps = (commands.NewStep(title="Dig"),)
        made = gp.do(commands.Create(workspace="acme/repo", kind="task", title="A wall", steps=steps))
        assert_type(made, commands.Created)
        assert_type(made.events, tuple[commands.BriefEvent, ...])

        radar = gp.do(commands.Radar(workspace="acme/repo"))
        assert_type(radar, commands.RadarReply)
        assert_type(radar.now, commands.CurrentStep | None)
        assert_type(radar.next, commands.SuggestedCall | None)

        noted = gp.workspace("acme/repo").tasks.note(task=made.id, note="Hard ground.")
        assert_type(noted.now, commands.NextStep | None)

    assert radar.now is not None
    assert radar.next is not None
    assert (radar.now.title, radar.next.tool, made.events[0].type) == ("Dig", "tasks_close_step", "task_created")
