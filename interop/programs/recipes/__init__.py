"""How each program is built and run: `build` and `runs`."""
