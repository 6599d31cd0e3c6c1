"""A simulated GPU cluster behind a real Prometheus: exporters' own names and labels, faults injected by name."""
