"""`python -m host_tools` is `kegli`."""

from host_tools.cli import main

if __name__ == "__main__":
    main()
