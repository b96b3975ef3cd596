"""Where commands are declared: one module for each family of files. None of them runs anything."""
