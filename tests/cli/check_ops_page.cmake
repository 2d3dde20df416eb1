# cmake -DLITZ=... -DPAGE=... -DWORK_DIR=... -P check_ops_page.cmake

execute_process(COMMAND "${LITZ}" ops --markdown OUTPUT_FILE "${WORK_DIR}/ops.md"
  COMMAND_ERROR_IS_FATAL ANY)
file(READ "${WORK_DIR}/ops.md" written)
file(READ "${PAGE}" page)
if(NOT written STREQUAL page)
  message(FATAL_ERROR "docs/ops.md must be what `litz ops --markdown` prints; write it again")
endif()
