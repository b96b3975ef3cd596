"""What the screens know and decide, without a terminal."""
