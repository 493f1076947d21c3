# The demonstration: real sockets on loopback, a table on the terminal, a report under build/demo.
add_custom_target(demo
  COMMAND "${QUICHE_CC_VENV_PYTHON}" "${CMAKE_SOURCE_DIR}/interop/demo/run.py"
          --build-dir "${CMAKE_BINARY_DIR}" --out "${CMAKE_BINARY_DIR}/demo"
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Demonstration"
  USES_TERMINAL VERBATIM)
# What `cmake --install` needs is made as well: the README installs after the demonstration.
add_dependencies(demo programs python-environment library server)
