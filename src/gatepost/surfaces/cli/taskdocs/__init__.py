"""What `gatepost taskdoc` does, verb by verb."""
