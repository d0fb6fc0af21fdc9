"""Scenarios, the engine that plays them, time travel, and the trace."""
