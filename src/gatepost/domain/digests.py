"""The workspace digest: a description that saves others the exploration."""

from gatepost.domain.value import Value


class Digest(Value, frozen=True, kw_only=True, tag="digest", tag_field="kind"):
    """A summary and a body, written by `actor` at `at`."""

    summary: str
    body: str
    at: str
    actor: str
