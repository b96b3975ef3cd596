"""What is shown: pure pictures of state, within a budget."""
