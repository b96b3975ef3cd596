"""The choice of a client: for a store in this process, or for a server elsewhere."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.client.protocol import Client
    from gatepost.engine.caller import Caller
    from gatepost.settings import Settings


def client_of(
    settings: Settings,
    *,
    actor: str,
    workspace: str | None = None,
    token: str | None = None,
    lasting: bool = False,
) -> Client:
    """The client for the store that the settings name. `actor` is used where the settings name none.

    A `lasting` client makes many calls: it holds what it claims as itself, and not as its actor.
    """
    holder = _random_name() if lasting else None
    who = settings.actor or actor
    if settings.is_server:
        from gatepost.client.remote import RemoteClient

        return RemoteClient(settings.store, actor=who, workspace=workspace, token=token, holder=holder)
    from gatepost import wiring
    from gatepost.client.local import LocalClient
    from gatepost.operations.answer import caller

    engine = wiring.engine(
        settings.store,
        settings.synchronous,
        settings.home,
        faced=settings.faced,
        secrets=settings.secrets,
        tracked=settings.tracked,
        policy=settings.policy,
        notify=settings.notify,
        workspace=settings.own_workspace,
    )
    asker = caller(who, workspace)
    return LocalClient(engine, asker if holder is None else _holding(asker, holder), settings.place)


def _holding(asker: Caller, holder: str) -> Caller:
    """A caller that holds what it claims under a name of its own, until this process ends."""
    from msgspec.structs import replace

    from gatepost.domain.claims import Holder
    from gatepost.engine import processes

    return replace(asker, connection=Holder(holder, processes.this()))


def _random_name() -> str:
    import os

    return os.urandom(8).hex()
