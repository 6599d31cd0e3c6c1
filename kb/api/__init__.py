"""The REST face: parse with `ask`, one `Library` call, render."""
