# The packages of a release in build/release, tried where nothing else is installed (docs/guides/release.md), and the
# image of the quic-interop-runner's endpoint.
set(release ${CMAKE_COMMAND} -E env "CARGO=${QUICHE_CC_CARGO}" "${QUICHE_CC_VENV_PYTHON}"
            "${CMAKE_SOURCE_DIR}/tests/release/run.py" --build-dir "${CMAKE_BINARY_DIR}")

add_custom_target(release
  COMMAND ${release} all
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Release"
  USES_TERMINAL VERBATIM)
add_dependencies(release programs library server python-environment)

add_custom_target(release-image
  COMMAND ${release} image
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Image of the quic-interop-runner's endpoint"
  USES_TERMINAL VERBATIM)
add_dependencies(release-image python-environment)

# Versions agree wherever they are stated; every crate is published, or it is said why not.
quiche_cc_test(release-parts TIER quick LABEL release TIMEOUT 120 COMMAND ${pytest} tests/release)
if(NOT QUICHE_CC_NIGHTLY)
  return()
endif()
# All but the image, whose build takes minutes. Skipped without mmdebstrap, or for another user than root.
quiche_cc_test(release-rehearsal TIER nightly LABEL release TIMEOUT 2400 PROCESSORS 2 LOCKS cargo
               COMMAND ${release} all --rehearse --skip --out "${CMAKE_BINARY_DIR}/nightly/release")
