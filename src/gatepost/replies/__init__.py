"""What each operation answers: one struct a reply, every field typed."""
