"""The demo: simulated agents that work through the ordinary operations, for newcomers to watch."""
