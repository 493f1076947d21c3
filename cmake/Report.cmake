# The report of hybrid's default profile (docs/results): build/report/index.html. The baselines' results are the
# published ones; an interrupted report goes on where it stopped.
add_custom_target(report
  COMMAND "${QUICHE_CC_VENV_PYTHON}" "${CMAKE_SOURCE_DIR}/tests/report/run.py" --build-dir "${CMAKE_BINARY_DIR}"
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Report"
  USES_TERMINAL VERBATIM)
add_dependencies(report programs python-environment)

# Every published number (docs/guides/publish.md). What needs programs of others or recordings is made by name.
set(published "${CMAKE_COMMAND}" -E env "PYTHONPATH=${CMAKE_SOURCE_DIR}/tests" "QUICHE_CC_BUILD_DIR=${CMAKE_BINARY_DIR}"
                                        "${QUICHE_CC_VENV_PYTHON}" -m published)
set(QUICHE_CC_RECORDINGS "" CACHE PATH "Folder of recorded cellular links, for the target `published`")
add_custom_target(published
  COMMAND ${published} run --no-build "$<$<BOOL:${QUICHE_CC_RECORDINGS}>:--recordings;${QUICHE_CC_RECORDINGS}>"
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Published numbers"
  USES_TERMINAL VERBATIM COMMAND_EXPAND_LISTS)
add_dependencies(published programs server python-environment)

quiche_cc_test(published TIER test LABEL lab TIMEOUT 120 COST 5 COMMAND ${pytest} tests/published)
quiche_cc_test(report TIER test LABEL lab TIMEOUT 300 COST 10 COMMAND ${pytest} tests/report)
