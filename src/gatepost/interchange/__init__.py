"""Work moves between Gatepost and other tools: their files become operations, and plans and tasks become documents.

Each source is a pure reader of its files, in `sources/`. All of them give the same plain values (`items.py`), and
one writer (`item_writer.py`) turns those into ordinary calls through a client, so it works on a store and on a server.
"""
