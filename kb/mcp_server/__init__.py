"""The MCP face: tools, resources, completions and prompts over the same `Library`."""
