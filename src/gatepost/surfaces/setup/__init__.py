"""The files of a project that connect its agents, and how they are edited and restored."""
