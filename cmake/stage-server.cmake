# cmake -DFROM=... -DTO=... -DOBJCOPY=... -DUNIT=... -P stage-server.cmake
#
# What the package of the server holds. Does nothing for a program when it is newer than what was built.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/strip.cmake")

function(stage program)
  set(staged "${TO}/${program}")
  if(EXISTS "${staged}" AND NOT "${FROM}/${program}" IS_NEWER_THAN "${staged}")
    return()
  endif()
  execute_process(COMMAND "${FROM}/${program}" --man OUTPUT_FILE "${staged}.1" COMMAND_ERROR_IS_FATAL ANY)
  foreach(shell IN ITEMS bash fish zsh)
    execute_process(COMMAND "${FROM}/${program}" --completions ${shell} OUTPUT_FILE "${staged}.${shell}"
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  # Last: an interrupted run leaves nothing that looks finished.
  strip("${FROM}/${program}" "${staged}")
endfunction()

file(MAKE_DIRECTORY "${TO}")
stage(cc-server)
stage(cc-client)

# Where the program lies is known once it is installed (Server.cmake).
file(READ "${UNIT}" unit)
string(REGEX REPLACE "# Copy this file[^\n]*\n#\n" "" unit "${unit}")
file(CONFIGURE OUTPUT "${TO}/cc-server.service" CONTENT "${unit}" @ONLY)
