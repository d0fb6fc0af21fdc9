"""The commands, one a file. A command imports what it needs when it runs."""
