# cc-server and cc-client as an operator installs them: without line tables, with manual pages, completions and a unit.
set(QUICHE_CC_SERVER "${CMAKE_BINARY_DIR}/package/server")
add_custom_target(server ALL
  COMMAND ${CMAKE_COMMAND}
          "-DFROM=${CMAKE_BINARY_DIR}/bin" "-DTO=${QUICHE_CC_SERVER}" "-DOBJCOPY=${QUICHE_CC_OBJCOPY}"
          "-DUNIT=${CMAKE_SOURCE_DIR}/interop/endpoint/cc-server.service"
          -P "${CMAKE_SOURCE_DIR}/cmake/stage-server.cmake"
  COMMENT "cc-server"
  VERBATIM)
add_dependencies(server programs)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME server)
foreach(program IN ITEMS cc-server cc-client)
  set(staged "${QUICHE_CC_SERVER}/${program}")
  install(PROGRAMS "${staged}" DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(FILES "${staged}.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${staged}.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME "${program}")
  install(FILES "${staged}.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  install(FILES "${staged}.zsh" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" RENAME "_${program}")
endforeach()
# systemd looks for units there, whatever the folder of libraries is called. The unit names the program where it is
# installed; a package, which CPack installs into a folder of its own first, in /usr.
install(CODE "
  set(prefix \"\${CMAKE_INSTALL_PREFIX}\")
  if(prefix MATCHES \"/_CPack_Packages/\")
    set(prefix /usr)
  endif()
  file(READ \"${QUICHE_CC_SERVER}/cc-server.service\" unit)
  string(REPLACE /usr/local/bin/ \"\${prefix}/${CMAKE_INSTALL_BINDIR}/\" unit \"\${unit}\")
  file(WRITE \"${QUICHE_CC_SERVER}/installed/cc-server.service\" \"\${unit}\")
  file(INSTALL \"${QUICHE_CC_SERVER}/installed/cc-server.service\"
       DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system\")
" COMPONENT server)
set(doc "${CMAKE_INSTALL_DATADIR}/doc/quiche-cc-server")
install(FILES "${CMAKE_SOURCE_DIR}/docs/guides/operate-cc-server.md" "${CMAKE_SOURCE_DIR}/docs/cc-server.md"
              "${CMAKE_SOURCE_DIR}/docs/cc-client.md" "${CMAKE_SOURCE_DIR}/SECURITY.md" DESTINATION "${doc}")
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${doc}" RENAME copyright)
install(FILES "${CMAKE_BINARY_DIR}/quiche/COPYING" DESTINATION "${doc}" RENAME copyright.quiche)
