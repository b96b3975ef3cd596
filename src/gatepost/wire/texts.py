"""The patterns of texts in inputs, each with its error message."""

from typing import Final

from gatepost.domain.names import NODE_ID, REQUEST_ID, SECTION_KEY, SESSION, WORKSPACE
from gatepost.domain.places import PATH, PLAN_ID, ROOT_ID
from gatepost.domain.questions import ADDRESSEE
from gatepost.domain.taskdocs import NAME as TASKDOC_NAME
from gatepost.domain.templates import GAP_NAME, NAME

LINE: Final = r"^(?=[\s\S]*\S)[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]*\Z"
PROSE: Final = r"^(?=[\s\S]*\S)[^\x00\ud800-\udfff]*\Z"
TAG: Final = r"^(?!\s)[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+(?<!\s)\Z"
CURSOR: Final = r"^[A-Za-z0-9_-]{1,400}\Z"
MOMENT: Final = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2}))?\Z"
)

MEANINGS: Final = {
    ROOT_ID: "must be an id such as TASK-001 or PLAN-001",
    PLAN_ID: "must be a plan's id such as PLAN-001",
    PATH: "must be a path such as s:0 or s:0.s:2",
    NODE_ID: "must be a step's id such as STEP-0A1B2C3D",
    WORKSPACE: (
        "must start with a letter or digit, followed by at most 127 letters, digits, dots, dashes,"
        " underscores or slashes, without `..`"
    ),
    SESSION: (
        "must be 1 to 64 letters, digits, dots, dashes, colons or underscores, and not a task's id"
        " or a name that JavaScript reserves"
    ),
    REQUEST_ID: "must be 1 to 128 letters, digits, dots, dashes, colons or underscores",
    SECTION_KEY: "must be 1 to 64 letters, digits, dots, dashes, colons or underscores",
    TASKDOC_NAME: (
        "must be 1 to 64 lower-case letters, digits, dashes or underscores, must not start with a dash,"
        " and must not be a section's name"
    ),
    ADDRESSEE: "must be `human`, or an actor such as agent:codex",
    LINE: "must be one line of text, not blank, without control characters",
    PROSE: "must be text, not blank, without NUL or unpaired surrogates",
    TAG: "must be one line of text without spaces around it or control characters",
    CURSOR: "must be a cursor from an earlier reply",
    MOMENT: "must be a seq (a number), a time such as 2026-11-16T09:30:00Z, or a date such as 2026-11-16",
    NAME: "must start with a lower-case letter, followed by at most 40 lower-case letters, digits or dashes",
    GAP_NAME: (
        "must start with a lower-case letter, followed by at most 40 lower-case letters, digits or underscores"
    ),
}
