"""The course: loading and checking lessons, playing them, and keeping progress. The lessons themselves are data."""
