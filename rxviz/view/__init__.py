"""A moment of a run drawn as cells of text and role. Knows neither Textual nor colours."""
