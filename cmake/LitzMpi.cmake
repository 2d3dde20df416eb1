# Tests that run as several processes of MPI.

# litz_mpi_test(<name> <ranks> <command>...)
#
# Runs the command as so many processes. Machines of tests have fewer processors than ranks, and run
# them as root in containers.
function(litz_mpi_test name ranks)
  add_test(NAME ${name}
    COMMAND "${MPIEXEC_EXECUTABLE}" -n ${ranks} --allow-run-as-root --oversubscribe ${ARGN}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 PROCESSORS ${ranks})
endfunction()

# litz_missing_mpi_test(<name>): a test that says why it is skipped.
function(litz_missing_mpi_test name)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo
    "skipped: MPI was not found when this was configured (./dev setup installs it)")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped")
endfunction()
