"""`<kernel python> -I <this folder>`: speak the engine kernel protocol on the standard streams."""

import sys
from pathlib import Path

# Isolated mode leaves the folder above out of sys.path, and this one in it under names such as `errors`.
HERE = Path(__file__).resolve().parent
sys.path[:] = [str(HERE.parent), *(entry for entry in sys.path if entry != str(HERE))]

from host.serve import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
