"""`python -m sharnir` is the command line."""

from sharnir.app.cli import main

if __name__ == "__main__":
    main()
