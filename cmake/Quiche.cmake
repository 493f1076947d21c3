# The patched quiche under build/quiche. The tool compares hashes and does nothing when the series is
# what it was; so it may run before every build.
add_custom_target(quiche-source
  COMMAND ${QUICHE_CC_PYTHON} "${CMAKE_SOURCE_DIR}/patches/series.py" apply --to "${CMAKE_BINARY_DIR}/quiche"
  COMMENT "Patched quiche"
  USES_TERMINAL VERBATIM)
