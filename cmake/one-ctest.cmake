# Read by ctest itself, beside its list of tests: stops a second one in this build folder, which would write over the
# results, logs and programs of the first. Who only lists tests may pass.
#
# ctest gives up a lock of file() before the first test, so a file holds the number of its process; the lock is for
# two that start at once.
set(here "${CMAKE_CURRENT_LIST_DIR}/Testing")
file(MAKE_DIRECTORY "${here}")

execute_process(COMMAND sh -c "echo $PPID; ps -ww -o args= -p $PPID" OUTPUT_VARIABLE self ERROR_QUIET)
if(self MATCHES "^([0-9]+)\n(.*)" )
  set(number "${CMAKE_MATCH_1}")
  set(arguments "${CMAKE_MATCH_2}")
  if(NOT arguments MATCHES " (-N|--show-only|--print-labels)")
    file(LOCK "${here}/one-ctest.lock" TIMEOUT 10)
    set(other "")
    if(EXISTS "${here}/one-ctest.pid")
      file(READ "${here}/one-ctest.pid" other)
    endif()
    set(running "")
    if(other MATCHES "^[0-9]+$" AND NOT other STREQUAL number)
      # The number may have gone to another program since.
      execute_process(COMMAND ps -o comm= -p ${other} OUTPUT_VARIABLE running ERROR_QUIET)
    endif()
    if(running MATCHES "ctest")
      file(LOCK "${here}/one-ctest.lock" RELEASE)
      message(FATAL_ERROR "Another ctest (process ${other}) runs the tests of ${CMAKE_CURRENT_LIST_DIR}: wait for it, or stop it. "
                          "`ctest -N` may list them meanwhile.")
    endif()
    file(WRITE "${here}/one-ctest.pid" "${number}")
    file(LOCK "${here}/one-ctest.lock" RELEASE)
  endif()
endif()
