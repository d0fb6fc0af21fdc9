"""`python -m rxviz` is the `rxviz` command."""

from rxviz.cli.main import main

if __name__ == "__main__":
    main()
