# Options of CPack that are not for all generators; it reads this once for each.
if(CPACK_GENERATOR STREQUAL "TGZ")
  # An archive unpacks into a folder of its own.
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
