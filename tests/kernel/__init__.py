"""Tests that ask, or compare with, the kernel of this machine."""
