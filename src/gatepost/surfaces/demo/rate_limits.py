"""A story: an API gets rate limits. An outage cannot be rehearsed at once, and the gate asks for security."""

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
    finishes,
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
- No customer can slow the API down for another, by accident or on purpose.
- Whoever comes near a limit sees it coming; whoever hits it knows when to come back.
"""
_CONSTRAINTS = """\
- MUST NOT add more than 2 ms to a request at the 99th percentile.
- MUST fail open: when Redis is away, requests are served and the outage is counted.
- MUST NOT write API keys to logs or counters; hash them first.
- MUST be switched on for one customer at a time.
"""
_PROGRESS_1 = """\
Decided: token bucket, 600 a minute with a burst of 120, kept in Redis by one Lua script.
Done: the limiter, behind the flag `rate_limits`. An outage of Redis was rehearsed: nobody noticed.
Remains: headers and docs for customers; then load.
"""
_PROGRESS_2 = """\
Done: limiter, headers, docs, load test. p99 grew by 0.9 ms; the constraint is 2 ms.
Switched on for all 214 customers. Three of them were refused on the first day, all by retry loops.
Remains: nothing here. Watch `rate_limit_refused_total` for a week.
"""
_LUA = """\
+local tokens = math.min(burst, stored + (now - at) * rate)
+if tokens < 1 then
+  return {0, math.ceil((1 - tokens) / rate)}
+end
+redis.call("HSET", KEYS[1], "tokens", tokens - 1, "at", now)
+redis.call("PEXPIRE", KEYS[1], ttl)
+return {1, 0}
"""
_REFUSAL = """\
 async def limited(request: Request, call_next: Next) -> Response:
-    return await call_next(request)
+    verdict = await limiter.take(fingerprint(request.api_key))
+    if verdict.refused:
+        return too_many(retry_after=verdict.seconds)
+    return await call_next(request)
"""
_HEADERS = """\
+    response.headers["RateLimit-Limit"] = str(verdict.limit)
+    response.headers["RateLimit-Remaining"] = str(verdict.remaining)
+    response.headers["RateLimit-Reset"] = str(verdict.seconds)
"""
_LOAD = """\
scenario      rate      p50      p99   refused
baseline     800/s   11.2 ms  38.4 ms       0
limiter on   800/s   11.5 ms  39.3 ms       0
one abuser  5000/s   11.6 ms  39.8 ms  4391/s   (others: 0)
"""

_PLANNING: Final[tuple[Beat, ...]] = (
    lists(PLANNER, "Plan the limiter", "Goals and constraints", "Plan the rest", "Hand over to the builder"),
    does(
        PLANNER,
        "tasks_create",
        names="plan",
        kind="plan",
        title="@title",
        description="One customer's retry loop slowed everyone down twice in March.",
        priority="HIGH",
        domain="api",
        tags=["reliability"],
        contract="A refused request costs less than a served one. Limits are told before they bite.",
        contract_data={"per_minute": 600, "burst": 120, "p99_budget_ms": 2},
    ),
    does(
        PLANNER,
        "tasks_create",
        names="limiter",
        kind="task",
        plan="@plan",
        title="A token bucket in front of every route",
        priority="HIGH",
        steps=[
            {
                "title": "Choose the algorithm",
                "criteria": ["Two algorithms are compared on bursts, memory and clock skew"],
                "tests": ["The traces of both March incidents replayed against each"],
            },
            {
                "title": "Keep the counters in Redis",
                "criteria": ["Eight API servers share one count per customer"],
                "tests": ["tests/limiter is green against a real Redis"],
            },
            {
                "title": "Refuse with 429 and Retry-After",
                "criteria": ["The refusal is sent before the body is read"],
                "tests": ["A refused upload of 50 MB takes less than 10 ms"],
                "required": ["security"],
            },
        ],
    ),
    does(PLANNER, "taskdoc_create", name="@taskdoc"),
    does(PLANNER, "taskdoc_bind", taskdoc="@taskdoc", plan="@plan"),
    minds(PLANNER, "goals", _GOALS),
    minds(PLANNER, "constraints", _CONSTRAINTS),
    lists(PLANNER, "Plan the rest", "Hand over to the builder"),
    does(
        PLANNER,
        "tasks_create",
        names="headers",
        kind="task",
        plan="@plan",
        title="Limits that customers can see",
        steps=[
            {
                "title": "Send RateLimit headers with every answer",
                "criteria": ["Limit, remaining and reset are in every answer, errors included"],
                "tests": ["tests/test_headers.py"],
            },
            {
                "title": "Explain limits in the developer docs",
                "criteria": ["A reader can write a client that never gets refused"],
                "tests": ["The example client ran for an hour without a 429"],
                "required": ["docs"],
            },
        ],
    ),
    does(
        PLANNER,
        "tasks_create",
        names="load",
        kind="task",
        plan="@plan",
        title="Prove it under load",
        depends_on=["@limiter"],
        steps=[
            {
                "title": "Run the load test with and without the limiter",
                "criteria": ["p99 grows by no more than 2 ms"],
                "tests": ["k6 run load/limits.js, three scenarios"],
                "required": ["perf"],
            }
        ],
    ),
    does(
        PLANNER,
        "tasks_plan",
        plan="@plan",
        steps=["Merged behind a flag", "Customers told", "Switched on for everyone"],
    ),
    does(PLANNER, "tasks_focus_set", task="@limiter"),
    leaves(PLANNER),
)

_LIMITER: Final[tuple[Beat, ...]] = (
    lists(BUILDER, "Compare token bucket and sliding window", "Redis script", "429 middleware"),
    notes(BUILDER, "limiter s:0", "A sliding window stores every request: 40 MB for our ten busiest customers."),
    shows_output(
        BUILDER,
        "limiter s:0",
        "python -m replay incidents/ --algorithm bucket,window",
        "bucket: stopped both incidents after 1.1 s and 0.8 s\nwindow: 1.0 s and 0.9 s; 212 times the memory\n",
        "tests",
    ),
    too_early(BUILDER, "limiter s:0"),
    heeds(BUILDER),
    closes(
        BUILDER,
        "limiter s:0",
        criteria="Token bucket: two numbers a customer, and bursts are what people actually do.",
        tests="Both incidents would have been over in about a second.",
    ),
    lists(BUILDER, "Redis script", "429 middleware"),
    does(
        BUILDER,
        "tasks_decompose",
        task="@limiter",
        path="s:1",
        steps=[
            {
                "title": "Take a token atomically",
                "criteria": ["One round trip; two servers never hand out the same token"],
                "tests": ["64 clients, 10,000 takes, none too many"],
            },
            {
                "title": "Survive an outage of Redis",
                "criteria": ["Requests are served, and counted as unlimited"],
                "tests": ["Redis is stopped in staging under load"],
            },
        ],
    ),
    shows_diff(BUILDER, "limiter s:1.s:0", "limiter/take.lua", _LUA, "criteria"),
    lists(TESTER, "Hammer the Redis script", "Rehearse the outage in staging", "Load test"),
    shows_output(TESTER, "limiter s:1.s:0", "pytest tests/limiter -q", "38 passed in 6.02s\n", "tests"),
    closes(
        TESTER,
        "limiter s:1.s:0",
        criteria="Read the script with the builder: one EVALSHA, no second look.",
        tests="38 passed; 640,000 takes, none too many.",
    ),
    blocks(BUILDER, "limiter s:1.s:1", "Nobody may stop Redis in staging before OPS-412 is granted"),
    closes(
        BUILDER,
        "limiter s:1",
        refused="CHILDREN_OPEN",
        criteria="The count is shared.",
        tests="tests/limiter is green.",
    ),
    heeds(BUILDER),
    notes(BUILDER, "limiter s:1", "Waits for the outage rehearsal. Going on with the refusal meanwhile."),
    shows_diff(BUILDER, "limiter s:2", "api/middleware.py", _REFUSAL, "criteria"),
    confirms(BUILDER, "limiter s:2", criteria="The verdict comes before the body is read."),
    shows_output(
        TESTER,
        "limiter s:2",
        "pytest tests/test_refusal.py -q",
        "11 passed in 1.94s\nslowest refusal of 50 MB: 3.1 ms\n",
        "tests",
    ),
    confirms(TESTER, "limiter s:2", tests="11 passed; 3.1 ms for the 50 MB upload."),
    too_early(BUILDER, "limiter s:2"),
    lists(REVIEWER, "Security of the refusal", "Read the docs as a stranger"),
    shows_output(
        REVIEWER,
        "limiter s:2",
        "redis-cli --scan --pattern 'rl:*' | head -3",
        "rl:9f2c41d07be3\nrl:07aa1c95d2f8\nrl:e41b6603c97a\n",
        "security",
        title="Keys in Redis are hashes",
    ),
    confirms(
        REVIEWER, "limiter s:2", security="Neither Redis nor the log holds an API key; a 429 tells of no one else."
    ),
    finishes(BUILDER, "limiter s:2"),
    unblocks(TESTER, "limiter s:1.s:1"),
    shows_output(
        TESTER,
        "limiter s:1.s:1",
        "make rehearse-outage ENV=staging",
        "redis stopped 14:02:10, started 14:04:31\n112,840 requests, 0 failed, 112,840 counted as unlimited\n",
        "criteria",
        "tests",
    ),
    closes(
        TESTER,
        "limiter s:1.s:1",
        criteria="112,840 requests served while Redis was down.",
        tests="Rehearsed in staging for 141 s under load.",
    ),
    closes(
        BUILDER, "limiter s:1", criteria="One count for all eight servers.", tests="38 passed, outage rehearsed."
    ),
    does(BUILDER, "tasks_complete", task="@limiter"),
    does(PLANNER, "tasks_plan", plan="@plan", advance=True),
    minds(BUILDER, "progress", _PROGRESS_1),
    does(BUILDER, "tasks_handoff", plan="@plan"),
    leaves(BUILDER),
)

_CUSTOMERS: Final[tuple[Beat, ...]] = (
    does(PLANNER, "tasks_focus_set", task="@headers"),
    does(REVIEWER, "tasks_edit", task="@headers", priority="LOW"),
    does(PLANNER, "tasks_undo", task="@headers"),
    notes(PLANNER, "headers", "Not LOW: no limit is switched on for anybody before they can see it."),
    lists(BUILDER, "RateLimit headers", "Docs page with an example client"),
    shows_diff(BUILDER, "headers s:0", "api/middleware.py", _HEADERS, "criteria"),
    shows_output(TESTER, "headers s:0", "pytest tests/test_headers.py -q", "17 passed in 2.20s\n", "tests"),
    closes(TESTER, "headers s:0", criteria="Also on 404 and 500.", tests="17 passed, one for each kind of answer."),
    lists(BUILDER, "Docs page with an example client"),
    shows_page(BUILDER, "headers s:1", "Rate limits", "https://developers.example.com/rate-limits", "docs"),
    lists(REVIEWER, "Read the docs as a stranger"),
    does(
        REVIEWER,
        "tasks_define",
        task="@headers",
        path="s:1",
        criteria=["A reader can write a client that never gets refused", "The page says what to do after a 429"],
    ),
    notes(BUILDER, "headers s:1", "Added a section on waiting: Retry-After, then half of it again, at random."),
    confirms(TESTER, "headers s:1", tests="The example client ran for 61 minutes: 36,600 requests, no 429."),
    closes(
        REVIEWER,
        "headers s:1",
        criteria="I wrote a client from the page alone. It waits when told to.",
        docs="Linked from the start page and from every 429.",
    ),
    does(BUILDER, "tasks_complete", task="@headers"),
    does(PLANNER, "tasks_plan", plan="@plan", advance=True),
    leaves(BUILDER),
    leaves(REVIEWER),
)

_LOADED: Final[tuple[Beat, ...]] = (
    does(PLANNER, "tasks_focus_set", task="@load"),
    lists(TESTER, "Baseline", "Limiter on", "One abuser among 213 others"),
    notes(TESTER, "load s:0", "Baseline on the staging cluster: p99 is 38.4 ms at 800 requests a second."),
    lists(TESTER, "Limiter on", "One abuser among 213 others"),
    shows_output(TESTER, "load s:0", "k6 run load/limits.js", _LOAD, "tests", "perf"),
    closes(
        TESTER,
        "load s:0",
        refused="CHECKPOINTS_NOT_CONFIRMED",
        criteria="0.9 ms more at p99.",
        tests="Three scenarios.",
    ),
    heeds(TESTER),
    closes(
        TESTER,
        "load s:0",
        criteria="0.9 ms more at p99.",
        tests="Three scenarios, ten minutes each.",
        perf="39.3 ms against 38.4 ms. With an abuser, the others see 39.8 ms and no refusal.",
    ),
    does(TESTER, "tasks_complete", task="@load"),
    leaves(TESTER),
    does(PLANNER, "tasks_complete", refused="CHECKLIST_OPEN", task="@plan"),
    heeds(PLANNER),
    does(PLANNER, "tasks_plan", plan="@plan", advance=True),
    minds(PLANNER, "progress", _PROGRESS_2),
    does(PLANNER, "tasks_complete", task="@plan"),
    does(
        PLANNER, "clear_mind", reminder_content="Rate limits are on for everyone. Look at the refusals on Monday."
    ),
    does(PLANNER, "tasks_focus_clear"),
)

STORY: Final = Story("rate-limits", "Rate limits for the public API", _PLANNING + _LIMITER + _CUSTOMERS + _LOADED)
