# libquiche with the controllers inside: build/lib and `cmake --install`.
#
# The workspace builds it (cc/capi); here it gets the names by which programs find it.
cmake_path(SET capi "${CMAKE_SOURCE_DIR}/cc/capi")
file(STRINGS "${CMAKE_SOURCE_DIR}/patches/quiche/UPSTREAM" version REGEX "^version: ")
string(REPLACE "version: " "" QUICHE_VERSION "${version}")
file(STRINGS "${CMAKE_SOURCE_DIR}/Cargo.toml" version REGEX "^version = ")
string(REGEX REPLACE "^version = \"(.*)\"$" "\\1" QUICHE_CC_VERSION "${version}")
set(QUICHE_CC_LIB "${CMAKE_BINARY_DIR}/lib")

# Names of installed folders; GNUInstallDirs can't know them without a compiler.
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Where libraries are installed")
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Line tables make the libraries ten times as large.
find_program(QUICHE_CC_OBJCOPY objcopy)
mark_as_advanced(QUICHE_CC_OBJCOPY)
add_custom_target(library ALL
  COMMAND ${CMAKE_COMMAND}
          "-DFROM=${CMAKE_BINARY_DIR}/target/release" "-DTO=${QUICHE_CC_LIB}"
          "-DVERSION=${QUICHE_VERSION}" "-DOBJCOPY=${QUICHE_CC_OBJCOPY}"
          -P "${CMAKE_SOURCE_DIR}/cmake/stage-library.cmake"
  COMMENT "libquiche"
  VERBATIM)
add_dependencies(library programs)

configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/QuicheCCConfig.cmake.in"
  "${CMAKE_BINARY_DIR}/package/QuicheCCConfig.cmake"
  INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/QuicheCC"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/package/QuicheCCConfigVersion.cmake"
  VERSION "${QUICHE_CC_VERSION}" COMPATIBILITY SameMinorVersion)
# Relative to the file itself, so that the folder may move.
file(RELATIVE_PATH QUICHE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_SOURCE_DIR}/cmake/quiche.pc.in" "${CMAKE_BINARY_DIR}/package/quiche.pc" @ONLY)

# What is there is installed; the build is the caller's.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME library)
install(PROGRAMS "${QUICHE_CC_LIB}/libquiche.so.${QUICHE_VERSION}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${QUICHE_CC_LIB}/libquiche.so.0" "${QUICHE_CC_LIB}/libquiche.so" "${QUICHE_CC_LIB}/libquiche.a"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${CMAKE_BINARY_DIR}/quiche/include/quiche.h" "${capi}/include/quiche_cc.h"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${CMAKE_BINARY_DIR}/package/QuicheCCConfig.cmake"
              "${CMAKE_BINARY_DIR}/package/QuicheCCConfigVersion.cmake"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/QuicheCC")
install(FILES "${CMAKE_BINARY_DIR}/package/quiche.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${CMAKE_SOURCE_DIR}/docs/c-api.md" "${capi}/examples/aimd.c" "${capi}/examples/encoder.c"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/quiche-cc")
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/quiche-cc" RENAME copyright)
install(FILES "${CMAKE_BINARY_DIR}/quiche/COPYING" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/quiche-cc" RENAME copyright.quiche)
