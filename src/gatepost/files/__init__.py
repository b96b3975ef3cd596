"""Files for agents: one protocol, a home in memory and one on disk, and a guard that both pass."""
