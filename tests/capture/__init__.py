"""Tests of the capture readers."""
