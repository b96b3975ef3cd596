"""The task state of AI agents: what is to be done, what is done, what proves it, and who changed it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.client.asynchronous import AsyncGatepost as AsyncGatepost
    from gatepost.client.asynchronous import connect_async as connect_async
    from gatepost.client.connect import Gatepost as Gatepost
    from gatepost.client.connect import connect as connect
    from gatepost.domain.refusals import Refusal as Refusal

__version__ = "0.1.0"
__all__ = ["AsyncGatepost", "Gatepost", "Refusal", "__version__", "connect", "connect_async"]


def __getattr__(name: str) -> object:
    """Load on first use: `gatepost mcp` and hooks must not pay for what they do not touch."""
    if name in ("Gatepost", "connect"):
        from gatepost.client import connect

        return getattr(connect, name)
    if name in ("AsyncGatepost", "connect_async"):
        from gatepost.client import asynchronous

        return getattr(asynchronous, name)
    if name == "Refusal":
        from gatepost.domain.refusals import Refusal

        return Refusal
    raise AttributeError(f"module 'gatepost' has no attribute {name!r}")
