# The report of hybrid's default profile (docs/results): build/report/index.html. The baselines' results are the
# published ones; an interrupted report goes on where it stopped.
add_custom_target(report
  COMMAND "${QUICHE_CC_VENV_PYTHON}" "${CMAKE_SOURCE_DIR}/tests/report/run.py" --build-dir "${CMAKE_BINARY_DIR}"
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Report"
  USES_TERMINAL VERBATIM)
add_dependencies(report programs python-environment)

quiche_cc_test(report TIER test LABEL lab TIMEOUT 300 COST 10 COMMAND ${pytest} tests/report)
