# cmake -DBUILD_DIR=... -DSOURCE_DIR=... -P without_llvm.cmake
#
# Fails unless a build without LLVM interprets a program, runs a compiled one, and says what it cannot.

# As deep as the build beside it, whose code the compiler cache then has.
get_filename_component(build "${BUILD_DIR}/../without_llvm" ABSOLUTE)
set(demo "${SOURCE_DIR}/tests/data/demo")

function(run_step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
endfunction()

run_step("${CMAKE_COMMAND}" --preset release -S "${SOURCE_DIR}" -B "${build}" -DLITZ_LLVM=OFF)
run_step("${CMAKE_COMMAND}" --build "${build}" --target litz -j 2)
set(litz "${build}/bin/litz")
set(compare --input "${demo}/inputs.npz" --compare "${demo}/expected.npz" --rtol 1e-4 --atol 1e-5)
run_step("${litz}" run "${demo}/vit.pt2" --executor interpreter ${compare})
run_step("${BUILD_DIR}/bin/litz" compile "${demo}/vit.pt2" -o "${build}/vit.litz")
run_step("${litz}" run "${build}/vit.litz" ${compare})

execute_process(COMMAND "${litz}" run "${demo}/vit.pt2" ${compare} RESULT_VARIABLE status
  OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "no code generator: run the program with --executor interpreter")
  message(FATAL_ERROR "compiling must be refused with what to try: ${output}")
endif()
