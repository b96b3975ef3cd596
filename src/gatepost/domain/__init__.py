"""What is true: values and rules, pure."""
