"""The NICs that the drivers are for: how each finds a buffer, fills it, and gives its descriptor back."""
