"""Long random runs of every driver, kernel and path: `python -m tests.soak --frames 10_000_000`."""
