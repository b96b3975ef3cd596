"""HTTP: the operations, the log as a stream, and MCP, from one process for many clients."""
