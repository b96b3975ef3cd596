"""The tasks of other tools: their files become plans, tasks and steps.

Each source is a pure reader of its files, in `sources/`. All of them give the same plain values (`items.py`), and
one writer (`item_writer.py`) turns those into ordinary calls through a client: to a store, or to a server.
"""
