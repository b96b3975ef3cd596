"""Telling people what waits for them: a webhook, a command. Loaded only where `[notify]` is set."""
