# Packages: libquiche for programs in C, and the server. `cpack --config build/CPackConfig.cmake` makes all of them.
set(CPACK_GENERATOR TGZ)
if(EXISTS /etc/debian_version)
  list(PREPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_PACKAGE_NAME quiche-cc)
set(CPACK_PACKAGE_VERSION "${QUICHE_CC_VERSION}")
set(CPACK_PACKAGE_VENDOR "quiche-cc contributors")
set(CPACK_PACKAGE_CONTACT "quiche-cc contributors <quiche-cc@quiche-cc.example>")
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/packages")
set(CPACK_COMPONENTS_ALL library server)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_SOURCE_DIR}/cmake/cpack-options.cmake")
set(system "${QUICHE_CC_VERSION}-${CMAKE_HOST_SYSTEM_NAME}-${CMAKE_HOST_SYSTEM_PROCESSOR}")
set(CPACK_ARCHIVE_LIBRARY_FILE_NAME "libquiche-cc-${system}")
set(CPACK_ARCHIVE_SERVER_FILE_NAME "quiche-cc-server-${system}")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
find_program(QUICHE_CC_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(QUICHE_CC_SHLIBDEPS)
if(QUICHE_CC_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libgcc-s1, libstdc++6")
endif()

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libquiche-cc)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
# What else brings a libquiche.so.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONFLICTS "libquiche0, libquiche-dev")
# The static library contains BoringSSL, which links with the C++ library.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "g++")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"QUIC and HTTP/3 library quiche ${QUICHE_VERSION} with low-delay congestion controllers
The library libquiche with its C API, as Cloudflare releases it, and more
congestion controllers that programs select by name with
quiche_config_set_cc_algorithm_name(). Headers, shared and static library,
CMake package and pkg-config file.")

set(CPACK_DEBIAN_SERVER_PACKAGE_NAME quiche-cc-server)
set(CPACK_DEBIAN_SERVER_PACKAGE_SECTION web)
# The group of its unit, which may read keys.
set(CPACK_DEBIAN_SERVER_PACKAGE_RECOMMENDS "ssl-cert")
set(CPACK_COMPONENT_SERVER_DESCRIPTION
"HTTP/3 server and client with low-delay congestion control
cc-server and cc-client on quiche ${QUICHE_VERSION}: static files by HTTP/3, the congestion
controller chosen by name and rules, metrics for Prometheus, traces in qlog.
Manual pages, completions and a unit for systemd, which is not enabled.")
include(CPack)
