"""A server that is named on the command line."""

from typing import Final

from gatepost.client.protocol import Client
from gatepost.client.remote import RemoteClient
from gatepost.surfaces.cli.errors import BadUsage

_NAMED: Final = 20


def server(url: str, token_file: str | None, actor: str) -> Client:
    """The client of a server, with the token that a file holds."""
    from gatepost.surfaces.cli.tokens import token_in

    return RemoteClient(url, actor=actor, token=None if token_file is None else token_in(token_file))


def only_workspace(client: Client, command: str) -> str:
    """The only workspace that a server has, for a command that was given none."""
    names = client.workspaces()
    if len(names) == 1:
        return names[0]
    some = ", ".join(names[:_NAMED]) or "none yet"
    raise BadUsage(
        f"which workspace? The server at {client.place} has {some}",
        f"Name one: gatepost {command} --url {client.place} --workspace {next(iter(names), 'acme/repo')}",
    )
