# cargo decides what is stale, so these targets always call it.
#
# Everything that contains quiche is built with the one profile `release`: BoringSSL takes minutes and
# cargo would build it once per profile.
set(QUICHE_CC_PROGRAMS cc-server cc-client cc-link cc-lab cc-encoder)

set(copy_programs "")
foreach(program IN LISTS QUICHE_CC_PROGRAMS)
  list(APPEND copy_programs COMMAND ${CMAKE_COMMAND} -E copy_if_different
       "${CMAKE_BINARY_DIR}/target/release/${program}" "${CMAKE_BINARY_DIR}/bin/${program}")
endforeach()

add_custom_target(programs ALL
  COMMAND ${QUICHE_CC_CARGO} build --release --locked
  COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_BINARY_DIR}/bin"
  ${copy_programs}
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Programs (the first build takes minutes: it contains BoringSSL)"
  USES_TERMINAL VERBATIM)
add_dependencies(programs quiche-source)
