"""Bytes to headers and back: checked views, builders, checksums. No I/O."""
