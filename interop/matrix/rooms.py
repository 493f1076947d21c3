"""Where the modules are that the matrix shares with the demonstration and the tests."""

import sys

from model import REPOSITORY

for room in ("interop/demo", "tests/e2e"):
    sys.path.insert(0, str(REPOSITORY / room))
