"""What a section is: a piece of a prompt and the tools that go with it, on one session."""

from typing import Protocol

from gatepost.runtime import Dispatcher, Session
from gatepost.tools.tool import Tool


class Section(Protocol):
    """A piece of a prompt, with tools. Any class that has these members is one:

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

    State is the session's, changed through its reducers alone, so that a clone shares none of it.
    """

    @property
    def key(self) -> str:
        """What the section is found by, among others of a prompt."""

    @property
    def session(self) -> Session:
        """Where its state lives."""

    @property
    def dispatcher(self) -> Dispatcher:
        """Who is told of its tools' calls."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What a model may call, bound to the session and the dispatcher."""

    def render(self) -> str:
        """The text for the prompt."""

    def clone(self, *, session: Session, dispatcher: Dispatcher | None = None) -> "Section":
        """The same section on another session: reducers registered there, telemetry to the new dispatcher.

        Without a dispatcher, the new session's. Neither side notices the other afterwards.
        """
