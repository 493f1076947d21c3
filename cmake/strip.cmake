# strip(FROM TO): a copy without line tables, which make programs and libraries ten times as large; with them if there is no
# OBJCOPY.
function(strip from to)
  # Under another name first: an interrupted run leaves nothing that looks finished.
  if(OBJCOPY)
    execute_process(COMMAND "${OBJCOPY}" --strip-debug "${from}" "${to}.new" COMMAND_ERROR_IS_FATAL ANY)
  else()
    file(COPY_FILE "${from}" "${to}.new")
  endif()
  file(RENAME "${to}.new" "${to}")
endfunction()
