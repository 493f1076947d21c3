"""What is wrong, for the user."""


class ClusterError(Exception):
    pass
