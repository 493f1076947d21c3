# Programs of others that use quiche (docs/results/programs.md): build/programs, and the page anew.
set(programs_trial "${QUICHE_CC_VENV_PYTHON}" "${CMAKE_SOURCE_DIR}/interop/programs/run.py" --build-dir "${CMAKE_BINARY_DIR}")

add_custom_target(try-programs
  # A program that cannot be built or run is shown as such.
  COMMAND ${programs_trial} try || true
  COMMAND ${programs_trial} page
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Programs that use quiche"
  USES_TERMINAL VERBATIM)
add_dependencies(try-programs programs library python-environment)

quiche_cc_test(programs-parts TIER quick LABEL python TIMEOUT 300 COMMAND ${pytest} tests/programs)
# The smallest of them, whose sources came with quiche.
quiche_cc_test(programs-examples TIER test LABEL e2e TIMED TIMEOUT 120 COMMAND ${programs_trial} try quiche_examples)
if(NOT QUICHE_CC_NIGHTLY)
  return()
endif()
# All of them. What is built stays, so that a time limit costs only what was under way.
quiche_cc_test(programs-built TIER nightly LABEL e2e TIMEOUT 7200 PROCESSORS 2 LOCKS cargo COMMAND ${programs_trial} build)
quiche_cc_test(programs-tried TIER nightly LABEL e2e TIMED TIMEOUT 1200 COMMAND ${programs_trial} try)
set_tests_properties(programs-tried PROPERTIES DEPENDS programs-built)
