"""The command line, for people and scripts."""
