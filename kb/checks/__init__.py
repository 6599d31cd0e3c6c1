"""Live, read-only checks, each proven by replays before it is believed."""
