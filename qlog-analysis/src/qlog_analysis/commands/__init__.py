"""What the commands do: modules that are imported when one of their commands runs, because the libraries of others take
longer to load than it takes to print a help."""
