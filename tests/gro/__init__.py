"""Tests of GRO, engine and replay."""
