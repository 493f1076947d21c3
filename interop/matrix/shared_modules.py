"""Makes the modules importable that the matrix shares with the demonstration and the tests."""

import sys

from model import REPOSITORY

sys.path.append(str(REPOSITORY / "interop" / "testbed"))
