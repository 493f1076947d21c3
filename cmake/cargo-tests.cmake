# cmake -DCARGO=... -DPACKAGE_DIR=... "-DSELECTION=..." [-DONLY=REGEX] [-DBUT=REGEX] -P cargo-tests.cmake
#
# Compiles the tests of all packages that SELECTION names and runs those of one; of these, the programs whose name matches
# ONLY and not BUT. `cargo test -p PACKAGE` would unite
# features over that package alone, and so compile quiche, the controllers and much else once more for every package.
cmake_minimum_required(VERSION 3.25)

separate_arguments(SELECTION)
execute_process(COMMAND "${CARGO}" test --locked ${SELECTION} --no-run --message-format=json-render-diagnostics
                OUTPUT_VARIABLE messages COMMAND_ERROR_IS_FATAL ANY)
# `test` of the profile, which is that of a program with tests; the one before it, of the target, that it may have some.
set(test_of_package "\"manifest_path\":\"${PACKAGE_DIR}/Cargo.toml\"[^\n]*\"overflow_checks\":[a-z]+,\"test\":true}[^\n]*\"executable\":\"[^\"\n]+\"")
string(REGEX MATCHALL "${test_of_package}" built "${messages}")
if(NOT built)
  message(FATAL_ERROR "cargo built no test in ${PACKAGE_DIR}")
endif()

set(failed "")
set(ran FALSE)
foreach(artifact IN LISTS built)
  string(REGEX REPLACE ".*\"executable\":\"([^\"]+)\"" "\\1" program "${artifact}")
  cmake_path(GET program FILENAME name)
  string(REGEX REPLACE "-[0-9a-f]+$" "" name "${name}")
  if((ONLY AND NOT name MATCHES "^(${ONLY})$") OR (BUT AND name MATCHES "^(${BUT})$"))
    continue()
  endif()
  set(ran TRUE)
  # As cargo does: in the package's folder.
  message("     Running ${program}")
  execute_process(COMMAND "${program}" WORKING_DIRECTORY "${PACKAGE_DIR}" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(APPEND failed "${program}: ${status}")
  endif()
endforeach()
if(NOT ran)
  message(FATAL_ERROR "no test program in ${PACKAGE_DIR} is called ${ONLY} and not ${BUT}")
endif()
if(failed)
  list(JOIN failed "\n  " failed)
  message(FATAL_ERROR "Failed:\n  ${failed}")
endif()
