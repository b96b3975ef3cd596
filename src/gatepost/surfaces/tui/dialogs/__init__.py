"""Dialogs: each asks one thing before something is written."""
