# cmake -DFROM=... -DTO=... -DVERSION=... -DOBJCOPY=... -P stage-library.cmake
#
# libquiche under its own names, without line tables. Does nothing when it is newer than what cargo built.
cmake_minimum_required(VERSION 3.25)

function(stage source name)
  if(EXISTS "${TO}/${name}" AND NOT "${FROM}/${source}" IS_NEWER_THAN "${TO}/${name}")
    return()
  endif()
  if(OBJCOPY)
    # Under another name first: an interrupted run leaves nothing that looks finished.
    execute_process(COMMAND "${OBJCOPY}" --strip-debug "${FROM}/${source}" "${TO}/${name}.new" COMMAND_ERROR_IS_FATAL ANY)
    file(RENAME "${TO}/${name}.new" "${TO}/${name}")
  else()
    file(COPY_FILE "${FROM}/${source}" "${TO}/${name}")
  endif()
endfunction()

file(MAKE_DIRECTORY "${TO}")
stage(libquiche_cc_capi.so libquiche.so.${VERSION})
stage(libquiche_cc_capi.a libquiche.a)
# By the library's soname, and for the linker.
file(CREATE_LINK libquiche.so.${VERSION} "${TO}/libquiche.so.0" SYMBOLIC)
file(CREATE_LINK libquiche.so.0 "${TO}/libquiche.so" SYMBOLIC)
