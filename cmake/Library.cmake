# libquiche with the controllers inside: build/lib, `cmake --install` and the packages.
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
install(PROGRAMS "${QUICHE_CC_LIB}/libquiche.so.${QUICHE_VERSION}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${QUICHE_CC_LIB}/libquiche.so.0" "${QUICHE_CC_LIB}/libquiche.so" "${QUICHE_CC_LIB}/libquiche.a"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${CMAKE_BINARY_DIR}/quiche/include/quiche.h" "${capi}/include/quiche_cc.h"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${CMAKE_BINARY_DIR}/package/QuicheCCConfig.cmake"
              "${CMAKE_BINARY_DIR}/package/QuicheCCConfigVersion.cmake"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/QuicheCC")
install(FILES "${CMAKE_BINARY_DIR}/package/quiche.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${CMAKE_SOURCE_DIR}/docs/c-api.md" "${capi}/examples/aimd.c" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/quiche-cc")
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/quiche-cc" RENAME copyright)
install(FILES "${CMAKE_BINARY_DIR}/quiche/COPYING" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/quiche-cc" RENAME copyright.quiche)

set(CPACK_GENERATOR TGZ)
if(EXISTS /etc/debian_version)
  list(PREPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_PACKAGE_NAME libquiche-cc)
set(CPACK_PACKAGE_VERSION "${QUICHE_CC_VERSION}")
set(CPACK_PACKAGE_VENDOR "quiche-cc contributors")
set(CPACK_PACKAGE_CONTACT "quiche-cc contributors <quiche-cc@quiche-cc.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "QUIC and HTTP/3 library quiche ${QUICHE_VERSION} with low-delay congestion controllers")
set(CPACK_PACKAGE_DESCRIPTION
"The library libquiche with its C API, as Cloudflare releases it, and more
congestion controllers that programs select by name with
quiche_config_set_cc_algorithm_name(). Headers, shared and static library,
CMake package and pkg-config file.")
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/packages")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
# What else brings a libquiche.so.
set(CPACK_DEBIAN_PACKAGE_CONFLICTS "libquiche0, libquiche-dev")
find_program(QUICHE_CC_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(QUICHE_CC_SHLIBDEPS)
if(QUICHE_CC_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libgcc-s1, libstdc++6")
endif()
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
include(CPack)
