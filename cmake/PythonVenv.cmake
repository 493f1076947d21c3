# The Python packages that the demonstration, the tests and the site use, pinned, in build/venv, and the launcher
# of qlog-analysis, which runs from the source tree, with its compiled reader.
set(QUICHE_CC_VENV "${CMAKE_BINARY_DIR}/venv")
set(QUICHE_CC_VENV_PYTHON "${QUICHE_CC_VENV}/bin/python")
set(qlog_analysis "${CMAKE_SOURCE_DIR}/qlog-analysis")
# In a folder of its own, so that cargo's lock holds up no program.
set(reader "${CMAKE_BINARY_DIR}/reader")

add_custom_target(python-environment ALL
  COMMAND ${CMAKE_COMMAND}
          "-DPYTHON=${QUICHE_CC_PYTHON}" "-DVENV=${QUICHE_CC_VENV}"
          "-DREQUIREMENTS=${qlog_analysis}/requirements.txt;${qlog_analysis}/requirements-dev.txt;${CMAKE_SOURCE_DIR}/tests/search/requirements.txt;${CMAKE_SOURCE_DIR}/tests/lemmas/requirements.txt;${CMAKE_SOURCE_DIR}/tests/hunt/requirements.txt;${CMAKE_SOURCE_DIR}/docs/site/requirements.txt"
          "-DSOURCES=${qlog_analysis}/src;${reader}/python"
          "-DLAUNCHER=${CMAKE_BINARY_DIR}/bin/qlog-analysis"
          -P "${CMAKE_SOURCE_DIR}/cmake/make-venv.cmake"
  COMMAND "${QUICHE_CC_CARGO}" build --release --locked --manifest-path "${qlog_analysis}/reader/Cargo.toml"
          --target-dir "${reader}"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${reader}/python"
  COMMAND ${CMAKE_COMMAND} -E copy_if_different "${reader}/release/libqlog_analysis_reader.so"
          "${reader}/python/qlog_analysis_reader.abi3.so"
  COMMENT "Python environment"
  USES_TERMINAL VERBATIM)
