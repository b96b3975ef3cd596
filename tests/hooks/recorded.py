"""What harnesses send after a tool call."""

from typing import Any

NESTED = ("hookSpecificOutput", "additionalContext")
RECORDED: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "claude-code/0b9d": (
        {
            "session_id": "0b9d-aa",
            "transcript_path": "/home/x/.claude/projects/x/0b9d.jsonl",
            "permission_mode": "default",
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "echo mine > x", "description": "Write"},
            "tool_response": {"stdout": "", "stderr": "", "interrupted": False, "isImage": False},
            "tool_use_id": "toolu_01",
        },
        ("reason",),
    ),
    "claude-code": (
        {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {}, "error": "exit 1"},
        NESTED,
    ),
    "codex/0199": (
        {
            "session_id": "0199",
            "turn_id": "7",
            "transcript_path": None,
            "hook_event_name": "PostToolUse",
            "model": "gpt",
            "permission_mode": "default",
            "tool_name": "Bash",
            "tool_input": {"command": "echo mine > x"},
            "tool_response": "",
            "tool_use_id": "call_1",
        },
        NESTED,
    ),
    "gemini-cli/9c1e": (
        {
            "session_id": "9c1e",
            "transcript_path": "/x",
            "hook_event_name": "AfterTool",
            "timestamp": "2026-11-16T05:00:00Z",
            "tool_name": "run_shell_command",
            "tool_input": {"command": "echo mine > x"},
            "tool_response": {"llmContent": "", "returnDisplay": ""},
        },
        NESTED,
    ),
    "cursor/668c": (
        {
            "conversation_id": "668c",
            "generation_id": "g",
            "hook_event_name": "postToolUse",
            "tool_name": "Shell",
            "tool_input": {"command": "echo mine > x"},
            "tool_output": "{}",
            "duration": 3,
        },
        ("additional_context",),
    ),
    "cursor/1111": (
        {
            "conversation_id": "1111",
            "hook_event_name": "afterShellExecution",
            "command": "echo mine > x",
            "output": "",
            "duration": 3,
        },
        ("additional_context",),
    ),
    "cursor": (
        {"hook_event_name": "afterFileEdit", "file_path": "/x", "edits": [{"old_string": "a", "new_string": "b"}]},
        ("additional_context",),
    ),
    "copilot": (
        {
            "timestamp": 1704614600000,
            "toolName": "bash",
            "toolArgs": '{"command": "echo mine > x"}',
            "toolResult": {"resultType": "success", "textResultForLlm": ""},
        },
        ("additionalContext",),
    ),
}
"""What each harness sends after a call, by the agent that it is to us, and where it reads what it is told."""
