"""Makes the modules importable that this folder shares with the demonstration and the matrix."""

import sys

from table import REPOSITORY

# Behind this folder's own: the matrix has a `model`, too.
sys.path.append(str(REPOSITORY / "interop" / "testbed"))
sys.path.append(str(REPOSITORY / "interop" / "matrix"))
