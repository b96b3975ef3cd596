"""A story: customers were charged twice. The template for bugs leads; one step is forced, and made good later."""

from typing import Final

from gatepost.surfaces.demo.script import (
    BUILDER,
    PLANNER,
    REVIEWER,
    TESTER,
    Beat,
    Story,
    blocks,
    closes,
    confirms,
    does,
    heeds,
    leaves,
    lists,
    minds,
    notes,
    shows_diff,
    shows_output,
    shows_page,
    too_early,
    unblocks,
)

_GOALS = """\
- Nobody is charged twice for one order, whatever the payment gateway does.
- Everybody who was charged twice has their money back, and a word from us.
"""
_CONSTRAINTS = """\
- MUST NOT retry a charge without the idempotency key of the first try.
- MUST NOT touch orders that were charged once.
- MUST keep card data out of logs, tickets and tests.
- MUST have a failing test before the fix.
"""
_PROGRESS_1 = """\
Cause: on a timeout the retry makes a new idempotency key, so the gateway sees a new charge. Since 4.12.0 (May 6).
The fix makes the key from the order, once. Hotfix 4.14.3 is out; the docs checkpoint was passed over for it.
Remains: change notes, and refunds for 37 orders.
"""
_PROGRESS_2 = """\
Fixed in 4.14.3, told in the change notes. 37 refunds for 2,914.60 EUR, each checked against the gateway's report.
Sibling found and fixed: vouchers were redeemed twice by the same mistake.
Remains: nothing.
"""
_TEST = """\
+def test_a_timeout_and_its_retry_charge_once(gateway: FakeGateway) -> None:
+    gateway.times_out_after_charging(once=True)
+    checkout(order="A-1001", cents=4200)
+    assert gateway.charges == [("A-1001", 4200)]
"""
_FIX = """\
 def charge(order: Order) -> Receipt:
-    for attempt in range(3):
-        key = uuid4().hex
+    key = idempotency_key(order)
+    for attempt in range(3):
         try:
             return gateway.charge(order.cents, key=key)
"""

_REPORTED: Final[tuple[Beat, ...]] = (
    lists(PLANNER, "Read the three reports", "Make a plan", "Who gets refunds?"),
    does(
        PLANNER,
        "tasks_create",
        names="plan",
        kind="plan",
        title="@title",
        description="Three reports since Tuesday: one order, two charges on the card.",
        priority="CRITICAL",
        domain="payments",
        tags=["bug", "customers"],
        contract="No fix without a test that failed before it. Data that the bug has damaged is part of the bug.",
    ),
    does(PLANNER, "taskdoc_create", name="@taskdoc"),
    does(PLANNER, "taskdoc_bind", taskdoc="@taskdoc", plan="@plan"),
    minds(PLANNER, "goals", _GOALS),
    minds(PLANNER, "constraints", _CONSTRAINTS),
    does(
        PLANNER,
        "tasks_scaffold",
        names="fix",
        template="bugfix",
        plan="@plan",
        title="Charged twice when the gateway times out",
        values={"symptom": "two charges for one order", "suite": "pytest -q"},
    ),
    does(
        PLANNER,
        "tasks_create",
        names="refunds",
        kind="task",
        plan="@plan",
        title="Refund who was charged twice",
        depends_on=["@fix"],
        steps=[
            {
                "title": "Find every order that was charged twice",
                "criteria": ["Our orders and the gateway's report agree on the list"],
                "tests": ["The query, and the count on both sides"],
            },
            {
                "title": "Refund them, once",
                "criteria": ["Each of them has exactly one refund"],
                "tests": ["The gateway's report of the day after"],
                "required": ["security"],
            },
        ],
    ),
    does(PLANNER, "tasks_focus_set", task="@fix"),
    leaves(PLANNER),
)

_FIXED: Final[tuple[Beat, ...]] = (
    lists(TESTER, "Make it fail on demand", "Write the failing test"),
    shows_output(
        TESTER,
        "fix s:0",
        "python -m checkout --order A-1001 --gateway flaky:timeout-after-charge",
        "charge 1: timeout after 10.0 s\ncharge 2: ok\ngateway has 2 charges for A-1001\n",
        "criteria",
        "tests",
        title="Two charges, on demand",
    ),
    closes(
        TESTER,
        "fix s:0",
        criteria="Version 4.14.2; needs a gateway that charges and then does not answer.",
        tests="Recorded, with its command.",
    ),
    lists(TESTER, "Write the failing test"),
    shows_diff(TESTER, "fix s:1", "tests/test_checkout.py", _TEST, "criteria"),
    shows_output(
        TESTER,
        "fix s:1",
        "pytest tests/test_checkout.py -q",
        "FAILED test_a_timeout_and_its_retry_charge_once: 2 charges\n1 failed, 24 passed\n",
        "tests",
        exit_code=1,
    ),
    closes(
        TESTER, "fix s:1", criteria="Fails with two charges, the reported reason.", tests="1 failed, 24 passed."
    ),
    lists(BUILDER, "Find the cause", "Fix it there", "Look for siblings"),
    notes(BUILDER, "fix s:2", "Suspect: the retry. It works on every other error, because those charge nothing."),
    too_early(BUILDER, "fix s:2"),
    heeds(BUILDER),
    shows_output(
        BUILDER,
        "fix s:2",
        "git log -S'uuid4().hex' --oneline -- checkout/charge.py",
        "8c1f02e Make charging resilient (4.12.0)\n",
        "criteria",
    ),
    closes(
        BUILDER,
        "fix s:2",
        criteria="Since 4.12.0 every try has a key of its own; before, the gateway knew the second one.",
        tests="With a fixed key the test passes; with a new one it fails.",
    ),
    lists(BUILDER, "Fix it there", "Look for siblings"),
    shows_diff(BUILDER, "fix s:3", "checkout/charge.py", _FIX, "criteria"),
    shows_output(TESTER, "fix s:3", "pytest -q", "1204 passed in 58.31s\n", "tests"),
    closes(
        BUILDER,
        "fix s:3",
        refused="CHECKPOINTS_NOT_CONFIRMED",
        criteria="The key comes from the order, once.",
        tests="1204 passed.",
    ),
    lists(REVIEWER, "Can the key be guessed?", "Words for the change notes"),
    confirms(REVIEWER, "fix s:3", security="HMAC of the order's id: it cannot be guessed, and holds no card data."),
    closes(BUILDER, "fix s:3", criteria="The key comes from the order, once.", tests="1204 passed."),
    does(
        BUILDER,
        "tasks_batch",
        operations=[
            {
                "tool": "tasks_note",
                "arguments": {"task": "@fix", "path": "s:4", "note": "Vouchers are redeemed by the same loop."},
            },
            {
                "tool": "tasks_decompose",
                "arguments": {
                    "task": "@fix",
                    "path": "s:4",
                    "steps": [
                        {
                            "title": "Redeem vouchers with the order's key too",
                            "criteria": ["A voucher is used once, whatever times out"],
                            "tests": ["tests/test_vouchers.py"],
                        }
                    ],
                },
            },
        ],
    ),
    shows_output(TESTER, "fix s:4.s:0", "pytest tests/test_vouchers.py -q", "9 passed in 0.81s\n", "tests"),
    closes(TESTER, "fix s:4.s:0", criteria="One voucher, one use.", tests="9 passed."),
    closes(
        BUILDER,
        "fix s:4",
        criteria="Five loops retry; vouchers had the mistake, the other three send nothing twice.",
        tests="rg 'for attempt in', with what became of each of 5 hits.",
    ),
    confirms(TESTER, "fix s:5", criteria="The change notes are drafted.", tests="All three reports are answered."),
    does(
        PLANNER,
        "tasks_progress",
        task="@fix",
        path="s:5",
        completed=True,
        force=True,
        reason="4.14.3 goes out now; the change notes follow within the hour",
    ),
    does(PLANNER, "tasks_complete", refused="CHECKPOINTS_NOT_CONFIRMED", task="@fix"),
    heeds(PLANNER),
    shows_page(REVIEWER, "fix s:5", "Change notes of 4.14.3", "https://example.com/changes/4.14.3", "docs"),
    confirms(REVIEWER, "fix s:5", docs="They say what was wrong and since when, as a customer would."),
    does(PLANNER, "tasks_complete", task="@fix"),
    minds(BUILDER, "progress", _PROGRESS_1),
    does(BUILDER, "tasks_handoff", plan="@plan"),
    leaves(REVIEWER),
    leaves(BUILDER),
)

_REFUNDED: Final[tuple[Beat, ...]] = (
    does(PLANNER, "tasks_focus_set", task="@refunds"),
    lists(TESTER, "Compare our orders with the gateway's report", "Check the refunds the day after"),
    shows_output(
        TESTER,
        "refunds s:0",
        "psql -f double_charges.sql",
        " orders | charges\n--------+---------\n     37 |      74\n",
        "tests",
    ),
    closes(TESTER, "refunds s:0", criteria="37 orders on both sides.", tests="37 here, 37 in the report."),
    blocks(BUILDER, "refunds s:1", "Finance wants to see the list before money moves"),
    too_early(BUILDER, "refunds s:1", "STEP_BLOCKED"),
    notes(BUILDER, "refunds s:1", "List sent to finance: 37 orders, 2,914.60 EUR."),
    unblocks(PLANNER, "refunds s:1"),
    lists(BUILDER, "Refund 37 orders"),
    shows_output(
        BUILDER,
        "refunds s:1",
        "python -m refunds double_charges.csv --apply",
        "37 refunds, 2,914.60 EUR, 0 skipped\nagain: 0 refunds, 37 already refunded\n",
        "criteria",
    ),
    does(TESTER, "tasks_delete", task="@refunds", path="s:0"),
    does(TESTER, "tasks_undo", task="@refunds"),
    notes(TESTER, "refunds", "Deleted the wrong row and took it back; the list and its proof are here again."),
    closes(
        TESTER,
        "refunds s:1",
        criteria="37 orders, 37 refunds.",
        tests="The gateway's report of the day after has the same 37.",
        security="The list had no card data; it was deleted from the jump host.",
    ),
    does(PLANNER, "tasks_close_task", task="@refunds"),
    does(PLANNER, "tasks_close_task", task="@refunds", apply=True),
    minds(PLANNER, "progress", _PROGRESS_2),
    leaves(BUILDER),
    leaves(TESTER),
    does(PLANNER, "tasks_complete", task="@plan"),
    does(PLANNER, "clear_mind", reminder_content="Double charges are fixed, told and refunded. Nothing is open."),
    does(PLANNER, "tasks_focus_clear"),
)

STORY: Final = Story("double-charges", "Nobody is charged twice", _REPORTED + _FIXED + _REFUNDED)
