"""Taskdoc packages on disk: the face of what the log holds."""
