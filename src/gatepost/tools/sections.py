"""Sections: a part of a prompt with its tools, on one session."""

from typing import Protocol

from gatepost.runtime import Dispatcher, Session
from gatepost.tools.tool import Tool


class Section(Protocol):
    """A part of a prompt, with tools. Any class with these members is one:

        class Weather:
            key = "weather"

            def __init__(self, session, dispatcher=None):
                session[Report].register(Report, append)
                self.session, self.dispatcher = session, dispatcher or session.dispatcher
                self.tools = (Tool.of(self.weather_in).bound(session, self.dispatcher),)

            def weather_in(self, city: str) -> str:
                \"\"\"The weather in a city.\"\"\"
                ...

            def render(self):
                return "Ask for the weather before you suggest a walk."

            def clone(self, *, session, dispatcher=None):
                return Weather(session, dispatcher)

    Keep state in the session and change it only through reducers, so that a clone shares none of it.
    """

    @property
    def key(self) -> str:
        """The section's key among the sections of a prompt."""

    @property
    def session(self) -> Session:
        """The session that has its state."""

    @property
    def dispatcher(self) -> Dispatcher:
        """Where calls of its tools are announced."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools for the model, bound to the session and the dispatcher."""

    def render(self) -> str:
        """The text for the prompt."""

    def clone(self, *, session: Session, dispatcher: Dispatcher | None = None) -> "Section":
        """The same section on another session: reducers registered there, telemetry to the new dispatcher.

        Without a dispatcher, the new session's. Neither side notices the other afterwards.
        """
