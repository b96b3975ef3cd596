"""Taskdoc packages on disk: files that mirror the log."""
