# cmake -DLITZ=... -DLITZ_RUN=... -DMODEL=... -DWORK_DIR=... -P signing.cmake
#
# Keys, signed programs, and who runs them.

file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")

# expect(<status> <pattern> <command>...) leaves what was printed in `output`.
function(expect status pattern)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK_DIR}"
    RESULT_VARIABLE actual OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT actual EQUAL status OR NOT "${output}${errors}" MATCHES "${pattern}")
    message(FATAL_ERROR "exit status ${actual}, expected ${status} and ${pattern}\n"
      "${ARGN}\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

expect(0 "ours.key .*ours.pub .*the key [0-9a-f]+\n" "${LITZ}" key new ours)
string(REGEX MATCH "the key ([0-9a-f]+)" key "${output}")
set(key "${CMAKE_MATCH_1}")
expect(0 "" "${LITZ}" key new theirs)
expect(3 "must be written to a new file: ours.key" "${LITZ}" key new ours)
expect(0 "^-rw-------" ls -l ours.key)

expect(0 "unsigned.litz: [0-9.]+ KiB\n" "${LITZ}" compile "${MODEL}" -o unsigned.litz)
expect(0 "signed by ${key}" "${LITZ}" compile "${MODEL}" -o signed.litz --sign ours.key)
expect(0 "signature +signed by ${key}" "${LITZ}" info signed.litz)
expect(0 "signature +signed by ${key}" "${LITZ}" info signed.litz --trust ours.pub)
expect(0 "signature +not signed" "${LITZ}" info unsigned.litz)

# Who trusts nobody in particular runs all, as before.
expect(0 "f32\\[4, 3\\]" "${LITZ}" run signed.litz)
expect(0 "f32\\[4, 3\\]" "${LITZ_RUN}" signed.litz)
foreach(run IN ITEMS "${LITZ};run" "${LITZ};bench;--seconds;0.05" "${LITZ};print" "${LITZ};info" "${LITZ_RUN}")
  expect(0 "" ${run} signed.litz --trust ours.pub)
  expect(0 "" ${run} --trust theirs.pub --trust ${key} signed.litz)
  expect(6 "names the key ${key}" ${run} signed.litz --trust theirs.pub)
  expect(6 "it is not signed" ${run} unsigned.litz --trust ours.pub)
endforeach()
foreach(command IN ITEMS run bench print info)
  expect(6 "this is not compiled" "${LITZ}" ${command} "${MODEL}" --trust ours.pub)
endforeach()
expect(3 "must exist" "${LITZ}" run signed.litz --trust nobody.pub)
expect(2 "give the public key here" "${LITZ}" run signed.litz --trust ours.key)
expect(2 "a key file must hold one line" "${LITZ}" run signed.litz --trust unsigned.litz)

# A file that exists is signed later, and by somebody else.
expect(0 "later.litz: signed by ${key}" "${LITZ}" sign unsigned.litz --key ours.key -o later.litz)
expect(0 "" "${CMAKE_COMMAND}" -E compare_files signed.litz later.litz)
expect(0 "signed by " "${LITZ}" sign later.litz --key theirs.key)
expect(0 "" "${LITZ}" run later.litz --trust theirs.pub)
expect(6 "names the key" "${LITZ}" run later.litz --trust ours.pub)
expect(4 "only compiled programs can be signed" "${LITZ}" sign "${MODEL}" --key ours.key)
expect(2 "a public key cannot sign" "${LITZ}" compile "${MODEL}" -o other.litz --sign ours.pub)
expect(0 "" chmod 644 ours.key)
expect(3 "readable by its owner alone" "${LITZ}" sign unsigned.litz --key ours.key)
if(EXISTS "${WORK_DIR}/other.litz")
  message(FATAL_ERROR "a wrong key must not leave a file")
endif()
