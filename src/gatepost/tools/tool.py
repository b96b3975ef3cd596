"""Tools: functions that a model can call, with a schema and strict decoding of arguments."""

import inspect
import re
import typing
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, Generic, TypeVar

import msgspec

from gatepost.runtime import Dispatcher, Session, awaitables
from gatepost.runtime.transactions import Restorable
from gatepost.tools.parameters import needs_pydantic, parameters
from gatepost.tools.schemas import Parameters, Schema

T = TypeVar("T")

_name = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DONE: Final = "done"


@dataclass(frozen=True, slots=True)
class ToolResult(Generic[T]):
    """The result of a call: a message for the model, a value, or both. Without success it is shown as an error."""

    message: str = ""
    value: T | None = None
    success: bool = True

    def render(self) -> str:
        """The text for the model: the message, or else the value as text or JSON."""
        if self.message:
            return self.message
        if self.value is None:
            return _DONE
        return self.value if isinstance(self.value, str) else _encode(self.value).decode()


def _plain(value: Any) -> Any:
    """Encode a value that msgspec does not know, such as a Pydantic model."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    raise TypeError(
        f"{type(value).__name__} cannot be shown to a model as JSON: give a text, plain data or a model."
    )


_encode: Final = msgspec.json.Encoder(enc_hook=_plain).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInvoked:
    """Telemetry: a tool was called at a time (UTC) and returned `result`, or failed with `error`.

    `arguments` are a copy of what was sent. `result` is the object that the caller got: log its `render()`.
    """

    tool: str
    arguments: Mapping[str, Any]
    result: ToolResult[Any] | None
    error: BaseException | None
    session_id: str | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A handler with a name, a description and typed parameters.

    `params` is a dataclass, a msgspec.Struct or a Pydantic model, which the handler is given; without, the handler
    takes nothing.
    What the handler answers becomes a `ToolResult`, unless it is one. `Tool.of` makes a tool from a function.
    """

    name: str
    description: str
    handler: Callable[..., Any]
    params: type | Parameters | None = None
    dispatcher: Dispatcher | None = None
    session_id: str | None = None

    def __post_init__(self) -> None:
        if _name.fullmatch(self.name) is None:
            raise ValueError(
                f"{self.name!r} is not a valid tool name: use 1 to 64 letters, digits, dashes, underscores."
            )
        if not self.description.strip():
            raise ValueError(f"{self.name} has no description: say in a sentence what it does and when to use it.")
        parameters(self.params)

    @classmethod
    def of(cls, function: Callable[..., Any]) -> "Tool":
        """A function as a tool: its name, its docstring as the description, its typed parameters as the schema.

        `Annotated[int, msgspec.Meta(ge=1, description="…")]` bounds and describes a parameter. Beside Pydantic
        models, `pydantic.Field` does.
        """
        params = _params_of(function)
        names = tuple(inspect.signature(function).parameters)
        spread = _aspread if _is_async(function) else _spread
        return cls(
            name=function.__name__,
            description=inspect.getdoc(function) or "",
            params=params,
            handler=partial(spread, function, names),
        )

    @property
    def is_async(self) -> bool:
        """Whether the handler is an async function. On an event loop, call such a tool with `acall`."""
        return _is_async(self.handler)

    @property
    def schema(self) -> Schema:
        """The parameters as JSON Schema for model APIs. A copy that the caller may change."""
        return deepcopy(parameters(self.params).schema)

    def bound(self, session: Session, dispatcher: Dispatcher | None = None) -> "Tool":
        """The same tool, with calls announced in the session's name, by default on the session's dispatcher."""
        return replace(self, dispatcher=dispatcher or session.dispatcher, session_id=session.id)

    def in_transaction(self, session: Session, *others: Restorable) -> "Tool":
        """The same tool, with failed calls rolled back in the session and in `others` (filesystems).

        A call fails if its handler raises, or returns a `ToolResult` without success.
        """
        handler = self.handler

        def run(*given: Any) -> Any:
            reply: Any = None
            with suppress(_Unsuccessful), session.transaction(*others):
                reply = handler(*given)
                self._check_done(reply)
                _check_success(reply)
            return reply

        async def arun(*given: Any) -> Any:
            reply: Any = None
            with suppress(_Unsuccessful):
                async with session.transaction(*others):
                    reply = await handler(*given)
                    _check_success(reply)
            return reply

        return replace(self, handler=arun if self.is_async else run)

    def call(self, arguments: Mapping[str, Any] | None = None) -> ToolResult[Any]:
        """Run the tool. Bad arguments raise `ToolValidationError` before the handler is called.

        The handler's exceptions are raised unchanged. Either way the call is announced once, as `ToolInvoked`.
        An async handler runs to completion on a new event loop. If a loop is already running, use `acall`.
        """
        call = _Invocation(self, arguments)
        try:
            reply = call.begin()
            result = _result(self._finished(reply) if inspect.isawaitable(reply) else reply)
        except BaseException as error:
            call.announce(error=error)
            raise
        call.announce(result)
        return result

    async def acall(self, arguments: Mapping[str, Any] | None = None) -> ToolResult[Any]:
        """Run the tool on the running event loop. Async handlers and subscribers are awaited.

        A handler that is not async runs as in `call` and blocks the loop.
        """
        call = _Invocation(self, arguments)
        try:
            reply = call.begin()
            result = _result(await reply if inspect.isawaitable(reply) else reply)
        except Exception as error:
            await call.aannounce(error=error)
            raise
        except BaseException as interrupt:
            call.announce(error=interrupt)
            raise
        await call.aannounce(result)
        return result

    def _check_done(self, reply: object) -> None:
        if inspect.isawaitable(reply):
            awaitables.discard(reply)
            raise TypeError(
                f"{self.name} returns an awaitable, but its handler is not an async function: a transaction would "
                "end too early. Define the handler with `async def`."
            )

    def _finished(self, reply: Awaitable[Any]) -> Any:
        if awaitables.running_loop() is None:
            return awaitables.run(reply)
        awaitables.discard(reply)
        raise RuntimeError(
            f"{self.name} is async, and an event loop runs in this thread. Nothing was done: use "
            "`await tool.acall(…)` here."
        )


class _Invocation:
    """One call of a tool: the handler's parameters and the announced event."""

    __slots__ = ("_given", "_shown", "_tool")

    def __init__(self, tool: Tool, arguments: Mapping[str, Any] | None) -> None:
        self._tool = tool
        self._given = {} if arguments is None else arguments
        self._shown = {} if tool.dispatcher is None else _shown(self._given)

    def begin(self) -> Any:
        """Call the handler. Returns its result or an awaitable."""
        tool = self._tool
        params = parameters(tool.params).read(self._given)
        return tool.handler() if tool.params is None else tool.handler(params)

    def announce(self, result: ToolResult[Any] | None = None, error: BaseException | None = None) -> None:
        """Announce on the tool's dispatcher that the call returned or failed."""
        if self._tool.dispatcher is not None:
            self._tool.dispatcher.dispatch(self._event(result, error))

    async def aannounce(self, result: ToolResult[Any] | None = None, error: BaseException | None = None) -> None:
        """The same, and await async subscribers."""
        if self._tool.dispatcher is not None:
            await self._tool.dispatcher.adispatch(self._event(result, error))

    def _event(self, result: ToolResult[Any] | None, error: BaseException | None) -> ToolInvoked:
        return ToolInvoked(
            tool=self._tool.name,
            arguments=self._shown,
            result=result,
            error=error,
            session_id=self._tool.session_id,
            at=datetime.now(UTC),
        )


def _result(reply: Any) -> ToolResult[Any]:
    return reply if isinstance(reply, ToolResult) else ToolResult(value=reply)


class _Unsuccessful(Exception):
    """A handler returned a result without success."""


def _check_success(reply: object) -> None:
    if isinstance(reply, ToolResult) and not reply.success:
        raise _Unsuccessful


def _is_async(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(type(function), "__call__", None)  # noqa: B004 - an object whose call is async
    )


def _spread(function: Callable[..., Any], names: tuple[str, ...], given: object) -> Any:
    return function(**{name: getattr(given, name) for name in names})


async def _aspread(function: Callable[..., Any], names: tuple[str, ...], given: object) -> Any:
    return await function(**{name: getattr(given, name) for name in names})


def _shown(arguments: object) -> Mapping[str, Any]:
    """A copy of the arguments for an event, whatever they are."""
    if not isinstance(arguments, Mapping):
        return {}
    try:
        shown: dict[str, Any] = msgspec.to_builtins(dict(arguments), str_keys=True, enc_hook=repr)
    except (RecursionError, TypeError, ValueError):
        return {str(name): "…" for name in arguments}
    return shown


def _params_of(function: Callable[..., Any]) -> type:
    """A type with a field for each parameter of a function."""
    hints = typing.get_type_hints(function, include_extras=True)
    members: dict[str, tuple[Any, ...]] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(
                f"{function.__name__} takes {parameter}: a tool's parameters must have names of their own."
            )
        if name not in hints:
            raise TypeError(f"{function.__name__} does not say what `{name}` is: annotate it with a type.")
        default = () if parameter.default is parameter.empty else (parameter.default,)
        members[name] = (hints[name], *default)
    if any(needs_pydantic(kind) for kind, *_ in members.values()):
        from gatepost.tools import pydantic_models

        return pydantic_models.model(function.__name__, members)
    fields = [(name, *member) for name, member in members.items()]
    return msgspec.defstruct(function.__name__, fields, kw_only=True, frozen=True, forbid_unknown_fields=True)
