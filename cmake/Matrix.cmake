# The local matrix (docs/matrix.md): peers under build/peers, results and page under build/matrix.
set(matrix "${QUICHE_CC_VENV_PYTHON}" "${CMAKE_SOURCE_DIR}/interop/matrix/run.py" --build-dir "${CMAKE_BINARY_DIR}")

add_custom_target(matrix
  # A peer that cannot be installed is shown as such.
  COMMAND ${matrix} install || true
  COMMAND ${matrix} run
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Interoperability matrix"
  USES_TERMINAL VERBATIM)
add_dependencies(matrix programs python-environment)

quiche_cc_test(matrix-parts TIER quick LABEL python TIMEOUT 300 COMMAND ${pytest} tests/matrix)
# The quick cases with the peer that needs nothing but PyPI.
quiche_cc_test(matrix-peer TIER test LABEL e2e TIMEOUT 600 COMMAND ${matrix} install aioquic)
quiche_cc_test(matrix TIER test LABEL e2e TIMED TIMEOUT 600
               COMMAND ${matrix} run --quick --peers aioquic --out "${CMAKE_BINARY_DIR}/matrix-quick")
set_tests_properties(matrix-peer PROPERTIES FIXTURES_SETUP matrix-peer)
set_tests_properties(matrix PROPERTIES FIXTURES_REQUIRED matrix-peer)
