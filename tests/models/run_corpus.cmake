# cmake -DARCHIVE=... -DCORPUS=... -DWORK_DIR=... -DRUNNER=... -DARGUMENTS=... -DKNOWN=...
#   -DCORRECTED=... -P run_corpus.cmake
#
# Unpacks a recorded corpus unless it is there already, and runs it. Gradients are those of the operator
# cases, which are unpacked beside them.

set(corpora ${CORPUS})
if(CORPUS STREQUAL "grads")
  list(APPEND corpora ops)
endif()
get_filename_component(archives "${ARCHIVE}" DIRECTORY)
foreach(name IN LISTS corpora)
  if(NOT EXISTS "${WORK_DIR}/${name}/manifest.jsonl")
    file(MAKE_DIRECTORY "${WORK_DIR}")
    execute_process(COMMAND "${CMAKE_COMMAND}" -E tar xf "${archives}/${name}.tar.xz"
      WORKING_DIRECTORY "${WORK_DIR}" COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
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
