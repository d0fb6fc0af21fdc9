"""The Textual app: actions in one registry, themes, widgets that show cells, screens.

Thin: drawings are in rxviz.view."""
