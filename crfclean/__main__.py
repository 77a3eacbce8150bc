"""Run the command line with `python -m crfclean`."""

from crfclean.cli.main import main

if __name__ == "__main__":
    main()
