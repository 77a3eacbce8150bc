"""`python -m crfclean` -> the command line."""

from crfclean.cli.main import main

if __name__ == "__main__":
    main()
