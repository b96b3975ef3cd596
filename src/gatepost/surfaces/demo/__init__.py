"""The demo: a scripted crew of agents that works through the ordinary operations, for newcomers to watch."""
