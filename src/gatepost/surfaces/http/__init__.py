"""HTTP: the operations, the log as a stream, and MCP, in one process for many clients."""
