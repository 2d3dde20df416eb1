# cmake -DSTATUS=... -DPATTERN=... -DPROGRAM=... -DARGUMENTS=... -P expect.cmake

execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL STATUS)
  message(FATAL_ERROR "exit status ${status}, expected ${STATUS}\n${output}${errors}")
endif()
if(NOT "${output}${errors}" MATCHES "${PATTERN}")
  message(FATAL_ERROR "no match for ${PATTERN} in\n${output}${errors}")
endif()
