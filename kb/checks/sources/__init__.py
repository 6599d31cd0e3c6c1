"""The places a check can look: one module each, read-only by construction."""
