# cmake -DPYTHON=... -DVENV=... -DREQUIREMENTS=... -DSOURCES=... -DLAUNCHER=... -P make-venv.cmake
#
# Makes the environment anew when the Python, the pinned requirements or this script have changed, and
# does nothing otherwise. The stamp is written last: an interrupted run starts over.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${PYTHON}" -c "import sys; print(sys.executable, sys.version)"
                OUTPUT_VARIABLE stamp COMMAND_ERROR_IS_FATAL ANY)
foreach(file IN LISTS REQUIREMENTS ITEMS "${CMAKE_CURRENT_LIST_FILE}")
  file(SHA256 "${file}" hash)
  string(APPEND stamp "${hash} ${file}\n")
endforeach()

set(stamp_file "${VENV}/.stamp")
if(EXISTS "${stamp_file}")
  file(READ "${stamp_file}" made_from)
  if(made_from STREQUAL stamp AND EXISTS "${LAUNCHER}")
    return()
  endif()
endif()

message(STATUS "Making ${VENV}")
execute_process(COMMAND "${PYTHON}" -m venv --clear "${VENV}" COMMAND_ERROR_IS_FATAL ANY)
list(TRANSFORM REQUIREMENTS PREPEND "--requirement=" OUTPUT_VARIABLE options)
execute_process(COMMAND "${VENV}/bin/python" -m pip install --disable-pip-version-check ${options}
                COMMAND_ERROR_IS_FATAL ANY)

# The package runs from its sources: edits count at once, and no build backend has to be downloaded.
execute_process(COMMAND "${VENV}/bin/python" -c "import sysconfig; print(sysconfig.get_path('purelib'), end='')"
                OUTPUT_VARIABLE site_packages COMMAND_ERROR_IS_FATAL ANY)
list(JOIN SOURCES "\n" sources)
file(WRITE "${site_packages}/qlog-analysis.pth" "${sources}\n")
file(WRITE "${LAUNCHER}" "#!/bin/sh\nexec '${VENV}/bin/python' -m qlog_analysis \"$@\"\n")
file(CHMOD "${LAUNCHER}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

file(WRITE "${stamp_file}" "${stamp}")
