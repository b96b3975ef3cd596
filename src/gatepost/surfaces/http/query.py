"""The parameters of streams and of the session directory, in the query and in `Last-Event-ID`."""

import re
from collections.abc import Sequence
from typing import Final

from starlette.requests import Request

from gatepost.surfaces.http.problems import Problem, invalid

_FLAGS: Final = {"0": False, "false": False, "1": True, "true": True}
_number = re.compile(r"[0-9]{1,18}\Z")


class Query:
    """The query parameters of a request: each known, and given once. A refusal shows an example."""

    def __init__(self, request: Request, known: Sequence[str], example: str) -> None:
        self._example = example
        self._resumes_after = request.headers.get("last-event-id")
        self.values = dict(request.query_params)
        names = [name for name, _ in request.query_params.multi_items()]
        for name in names:
            if name not in known:
                listed = ", ".join(f"`{one}`" for one in known)
                raise self.refusal(f"Unknown parameter `{name[:80]}`; the parameters are {listed}.")
            if names.count(name) > 1:
                raise self.refusal(f"`{name}` is given more than once.")

    def workspace(self) -> str:
        """The requested workspace."""
        if "workspace" not in self.values:
            raise self.refusal("`workspace` is missing.")
        return self.values["workspace"]

    def number(self, name: str, default: int) -> int:
        """A number that is not negative."""
        return self._number(self.values.get(name, str(default)), name)

    def flag(self, name: str) -> bool:
        """Whether a flag is set."""
        flag = _FLAGS.get(self.values.get(name, "0").lower())
        if flag is None:
            raise self.refusal(f"`{name}` must be 1 or 0.")
        return flag

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """One of several values; by default the first."""
        chosen = self.values.get(name, choices[0])
        if chosen not in choices:
            raise self.refusal(f"`{name}` must be one of {', '.join(choices)}.")
        return chosen

    def last_event_id(self) -> int | None:
        """The position of a browser that reconnects."""
        return self._number(self._resumes_after, "Last-Event-ID") if self._resumes_after else None

    def refusal(self, message: str) -> Problem:
        """A refusal of these parameters."""
        return invalid(message, f"Example: {self._example}")

    def _number(self, text: str, name: str) -> int:
        if _number.match(text) is None:
            raise self.refusal(f"`{name}` must be a number, such as the `seq` of an event.")
        return int(text)
