"""Where commands come from: each module reads one kind of file."""
