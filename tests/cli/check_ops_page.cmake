# cmake -DLITZ=... -DFORM=markdown -DPAGE=... -DWORK_DIR=... -P check_ops_page.cmake

execute_process(COMMAND "${LITZ}" ops --${FORM} OUTPUT_FILE "${WORK_DIR}/ops.${FORM}"
  COMMAND_ERROR_IS_FATAL ANY)
file(READ "${WORK_DIR}/ops.${FORM}" written)
file(READ "${PAGE}" page)
if(NOT written STREQUAL page)
  message(FATAL_ERROR "${PAGE} must be what `litz ops --${FORM}` prints; write it again")
endif()
