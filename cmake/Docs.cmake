# The site, build/site, with the Rust API in rust/ and the Python API in python/. No BoringSSL is built for it.
add_custom_target(docs
  COMMAND "${QUICHE_CC_VENV_PYTHON}" "${CMAKE_SOURCE_DIR}/docs/site/build.py" --build-dir "${CMAKE_BINARY_DIR}" --cargo "${QUICHE_CC_CARGO}"
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Site"
  USES_TERMINAL VERBATIM)
add_dependencies(docs quiche-source python-environment)

# Every command in the documents: that what it names exists, and that what is quick and harmless works. The latter wants
# the programs; those that speak to each other take the ports that the documents name.
quiche_cc_test(commands TIER quick LABEL docs TIMEOUT 300 COST 10 COMMAND ${pytest} tests/docs/test_commands.py)
quiche_cc_test(commands-run TIER test LABEL docs TIMEOUT 900 COST 100 COMMAND ${pytest} tests/docs/test_programs.py
               tests/docs/test_read_a_trace.py)

quiche_cc_test(site TIER test LABEL docs TIMEOUT 300 COST 20 COMMAND ${pytest} tests/docs/test_site.py)
