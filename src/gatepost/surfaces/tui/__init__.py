"""The terminal: live lists, the task tree, taskdocs, radar and log, on one screen at a time."""
