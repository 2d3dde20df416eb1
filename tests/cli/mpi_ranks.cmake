# cmake -DLITZ=... -DLITZ_RUN=... -DMPIEXEC=... -DFOLDER=... -P mpi_ranks.cmake
#
# Four processes of MPI give the bits of four simulated ranks, compiled ahead or not; ranks that differ or
# fail are named.

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
set(mpirun "${MPIEXEC}" -n 4 --allow-run-as-root --oversubscribe)

function(run expected pattern)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE errors)
  if(expected STREQUAL "fails")
    if(status EQUAL 0)
      message(FATAL_ERROR "must fail: ${ARGN}\n${output}${errors}")
    endif()
  elseif(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}${errors}")
  endif()
  if(NOT "${output}${errors}" MATCHES "${pattern}")
    message(FATAL_ERROR "must say '${pattern}': ${ARGN}\n${output}${errors}")
  endif()
endfunction()

function(expect_equal_files first second)
  foreach(rank RANGE 3)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${FOLDER}/${first}${rank}.npz"
      "${FOLDER}/${second}${rank}.npz" RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "rank ${rank} must give the same bits: ${first}, ${second}")
    endif()
  endforeach()
endfunction()

foreach(program IN ITEMS gpt2_forward half_forward step chain)
  set(call run "fsdp/${program}.pt2" --seed 5 --output)
  run(works "ran in" "${LITZ}" ${call} "${FOLDER}/simulated{rank}.npz" --world 4)
  run(works "ran in" ${mpirun} "${LITZ}" ${call} "${FOLDER}/mpi{rank}.npz")
  expect_equal_files(simulated mpi)
  run(works "ran in" ${mpirun} "${LITZ}" ${call} "${FOLDER}/packed{rank}.npz" --buckets packed)
  expect_equal_files(simulated packed)
endforeach()

run(works "chain.litz" "${LITZ}" compile fsdp/chain.pt2 -o "${FOLDER}/chain.litz")
run(works "ran in" ${mpirun} "${LITZ_RUN}" "${FOLDER}/chain.litz" --seed 5
  --output "${FOLDER}/compiled{rank}.npz")
expect_equal_files(simulated compiled)

# One rank has another program, then none.
foreach(rank RANGE 2)
  file(COPY_FILE fsdp/step.pt2 "${FOLDER}/shard${rank}.pt2")
endforeach()
file(COPY_FILE fsdp/gpt2_forward.pt2 "${FOLDER}/shard3.pt2")
run(fails "must start the same collectives in the same order"
  ${mpirun} "${LITZ}" run "${FOLDER}/shard{rank}.pt2")
file(REMOVE "${FOLDER}/shard3.pt2")
run(fails "must exist and be readable" ${mpirun} "${LITZ}" run "${FOLDER}/shard{rank}.pt2")

# Compiled programs are compared, too.
foreach(rank RANGE 2)
  file(COPY_FILE "${FOLDER}/chain.litz" "${FOLDER}/shard${rank}.litz")
endforeach()
run(works "shard3.litz" "${LITZ}" compile fsdp/step.pt2 -o "${FOLDER}/shard3.litz")
run(fails "must start the same collectives in the same order"
  ${mpirun} "${LITZ_RUN}" "${FOLDER}/shard{rank}.litz")
