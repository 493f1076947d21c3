# How a test is declared: what it is about (LABEL), when it runs (TIER) and how long it may take (TIMEOUT).
#
#   quick      a contributor's loop: nothing that contains quiche, so no BoringSSL
#   test       what guards a release, `quick` included
#   nightly    what takes hours, or tools that have to be installed; only where it is configured
#
# A preset runs a tier. CONTRIBUTING.md has the tiers and every label; tests/structure checks both.
set(QUICHE_CC_TIERS quick test nightly)
option(QUICHE_CC_NIGHTLY "Declare the tests of the tier `nightly`, and install their tools under build/tools" OFF)
# What `cargo install` put there (cmake/Nightly.cmake).
set(QUICHE_CC_TOOLS "${CMAKE_BINARY_DIR}/tools")

# quiche_cc_test(NAME LABEL label TIER tier... TIMEOUT seconds COMMAND ...
#                [TIMED]             it measures real time: nothing runs beside it
#                [COST seconds]      the longest start first; of another order than these, not exact
#                [PROCESSORS cores]  that it keeps busy
#                [LOCKS name...]     what it can share with no other test
#                [OVER folder])      where the command runs; the repository's root if not given
function(quiche_cc_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "TIMED" "LABEL;TIMEOUT;COST;PROCESSORS;OVER" "TIER;LOCKS;COMMAND")
  foreach(needed IN ITEMS LABEL TIER TIMEOUT COMMAND)
    if(NOT test_${needed})
      message(FATAL_ERROR "The test ${name} has no ${needed} (cmake/Tiers.cmake)")
    endif()
  endforeach()
  foreach(tier IN LISTS test_TIER)
    if(NOT tier IN_LIST QUICHE_CC_TIERS)
      message(FATAL_ERROR "The test ${name} has the tier ${tier}; there are: ${QUICHE_CC_TIERS}")
    endif()
  endforeach()
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "The test ${name}: what is ${test_UNPARSED_ARGUMENTS}?")
  endif()
  if(NOT test_OVER)
    set(test_OVER "${CMAKE_SOURCE_DIR}")
  endif()
  add_test(NAME ${name} COMMAND ${test_COMMAND} WORKING_DIRECTORY "${test_OVER}")
  set_tests_properties(${name} PROPERTIES
    LABELS "${test_LABEL};${test_TIER}" TIMEOUT ${test_TIMEOUT} SKIP_RETURN_CODE 77
    # Tests start hundreds of Python processes, which do not have to compile what they import each time.
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=;QUICHE_CC_BUILD_DIR=${CMAKE_BINARY_DIR};QUICHE_CC_BIN_DIR=${CMAKE_BINARY_DIR}/bin")
  if(test_TIMED)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
  if(test_LOCKS)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK "${test_LOCKS}")
  endif()
  foreach(property IN ITEMS COST PROCESSORS)
    if(test_${property})
      set_tests_properties(${name} PROPERTIES ${property} ${test_${property}})
    endif()
  endforeach()
endfunction()

# A shell's script for a pytest whose tests skip where a program or a right is missing: the reasons are shown, and the
# test counts as skipped. Its arguments: a file for what pytest says, and the command.
set(skipped_aloud "\"$@\" -rs | tee \"$0\"; ! grep -q '^SKIPPED' \"$0\" || exit 77; grep -q ' passed' \"$0\"")

# quiche_cc_cargo_test(NAME TIER tier SELECTION words... [OF folder [ONLY regex] [BUT regex]] and what quiche_cc_test takes
# but COMMAND): `cargo test` with SELECTION, or of what that compiles, the tests of the package in the folder, in programs
# whose name matches ONLY and not BUT. Compiled in the tier's build step,
# where progress is seen and no timeout runs, once for all tests with the same selection.
function(quiche_cc_cargo_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TIER;OF;ONLY;BUT" "SELECTION")
  set(command ${QUICHE_CC_CARGO} test --locked ${test_SELECTION})
  list(JOIN test_SELECTION " " selection)
  get_property(compiled GLOBAL PROPERTY quiche_cc_compiled_${test_TIER})
  if(NOT selection IN_LIST compiled)
    set_property(GLOBAL APPEND PROPERTY quiche_cc_compiled_${test_TIER} "${selection}")
    set_property(GLOBAL APPEND PROPERTY quiche_cc_compile_${test_TIER} COMMAND ${command} --no-run)
  endif()
  if(test_OF)
    set(command ${CMAKE_COMMAND} "-DCARGO=${QUICHE_CC_CARGO}" "-DPACKAGE_DIR=${CMAKE_SOURCE_DIR}/${test_OF}"
                "-DSELECTION=${selection}" "-DONLY=${test_ONLY}" "-DBUT=${test_BUT}"
                -P "${CMAKE_SOURCE_DIR}/cmake/cargo-tests.cmake")
  endif()
  quiche_cc_test(${name} TIER ${test_TIER} ${test_UNPARSED_ARGUMENTS} COMMAND ${command})
endfunction()

# A second ctest in the same folder would run over the files of the first. CTest reads this file when it starts.
configure_file("${CMAKE_SOURCE_DIR}/cmake/one-ctest.cmake" "${CMAKE_BINARY_DIR}/one-ctest.cmake" COPYONLY)
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${CMAKE_BINARY_DIR}/one-ctest.cmake")
