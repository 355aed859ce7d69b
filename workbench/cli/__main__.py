"""`python -m workbench.cli`, the same as `python -m workbench`."""

from workbench.cli import main

if __name__ == "__main__":
    main()
