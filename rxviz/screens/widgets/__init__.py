"""Widgets that show cells."""
