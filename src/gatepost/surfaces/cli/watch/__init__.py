"""The display of `gatepost watch`: a panel rewritten in place, or a line for each change."""
