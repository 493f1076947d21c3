# The report of hybrid's default profile (docs/results): build/report/index.html. The baselines' results are the
# published ones; an interrupted report goes on where it stopped.
add_custom_target(report
  COMMAND "${QUICHE_CC_VENV_PYTHON}" "${CMAKE_SOURCE_DIR}/tests/report/run.py" --build-dir "${CMAKE_BINARY_DIR}"
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Report"
  USES_TERMINAL VERBATIM)
add_dependencies(report programs python-environment)

quiche_cc_test(report LABEL lab TIMEOUT 300 COMMAND ${pytest} tests/report)
quiche_cc_test(mypy-tests-report LABEL lint TIMEOUT 300
               COMMAND "${QUICHE_CC_VENV_PYTHON}" -m mypy --config-file mypy.ini tests/report)
