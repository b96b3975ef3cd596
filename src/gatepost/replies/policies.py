"""What is answered about policies and approvals."""

from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.policies import Ageing, Approver, ProofLevel, Signer
from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import Part, WriteReply


class PolicyFields(Part, frozen=True, kw_only=True):
    """The fields of a policy that are set, or that hold."""

    proof: ProofLevel | None = None
    signoff: dict[Checkpoint, Signer] | None = None
    approval: Approver | None = None
    stale: Ageing | None = None


class PolicyReply(WriteReply, frozen=True, kw_only=True):
    """The policy of the workspace, a plan or a task: what is `set` there, and what `holds` there."""

    task: str | None = None
    plan: str | None = None
    set: PolicyFields
    holds: PolicyFields
    revision: int
    events: tuple[BriefEvent, ...]


class Approved(WriteReply, frozen=True, kw_only=True):
    """The plan that was approved. Its tasks can be worked on."""

    plan: str
    revision: int
    events: tuple[BriefEvent, ...]
