# cmake -DARCHIVE=... -DCORPUS=... -DWORK_DIR=... -DRUNNER=... -DARGUMENTS=... -DKNOWN=...
#   -DCORRECTED=... -P run_corpus.cmake
#
# Unpacks a recorded corpus unless it is there already, and runs it.

if(NOT EXISTS "${WORK_DIR}/${CORPUS}/manifest.jsonl")
  file(MAKE_DIRECTORY "${WORK_DIR}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E tar xf "${ARCHIVE}"
    WORKING_DIRECTORY "${WORK_DIR}" COMMAND_ERROR_IS_FATAL ANY)
endif()
set(known "")
if(EXISTS "${KNOWN}")
  set(known --known "${KNOWN}")
endif()
if(IS_DIRECTORY "${CORRECTED}")
  list(APPEND known --corrected "${CORRECTED}")
endif()
execute_process(
  COMMAND "${RUNNER}" ${CORPUS} "${WORK_DIR}/${CORPUS}" --jobs 2 ${known} ${ARGUMENTS}
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "litz-corpus ended with ${status}")
endif()
