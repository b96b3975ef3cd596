"""What crosses a boundary: JSON input and output, schemas, and the check for credentials."""
