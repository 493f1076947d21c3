# cmake -DFROM=... -DTO=... -DVERSION=... -DOBJCOPY=... -P stage-library.cmake
#
# libquiche under its own names, without line tables. Does nothing when it is newer than what cargo built.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/strip.cmake")

function(stage source name)
  if(EXISTS "${TO}/${name}" AND NOT "${FROM}/${source}" IS_NEWER_THAN "${TO}/${name}")
    return()
  endif()
  strip("${FROM}/${source}" "${TO}/${name}")
endfunction()

file(MAKE_DIRECTORY "${TO}")
stage(libquiche_cc_capi.so libquiche.so.${VERSION})
stage(libquiche_cc_capi.a libquiche.a)
# By the library's soname, and for the linker.
file(CREATE_LINK libquiche.so.${VERSION} "${TO}/libquiche.so.0" SYMBOLIC)
file(CREATE_LINK libquiche.so.0 "${TO}/libquiche.so" SYMBOLIC)
