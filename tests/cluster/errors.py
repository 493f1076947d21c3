"""What is wrong, for the user: the error of the loop as well (qlog_analysis.workers)."""

from qlog_analysis.errors import AnalysisError

ClusterError = AnalysisError
