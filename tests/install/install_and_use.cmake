# cmake -DBUILD_DIR=... -DSOURCE_DIR=... -DGENERATOR=... -DCOMPILER=... -P install_and_use.cmake
#
# Fails unless a project that only knows find_package(litz CONFIG) builds and runs a program.

set(prefix "${BUILD_DIR}/install_test/prefix")
set(consumer "${BUILD_DIR}/install_test/consumer")
file(REMOVE_RECURSE "${BUILD_DIR}/install_test")

function(run_step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run_step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
run_step("${CMAKE_COMMAND}" -S "${SOURCE_DIR}/tests/install/consumer" -B "${consumer}"
  -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${prefix}"
  "-DEXAMPLES=${SOURCE_DIR}/examples")
run_step("${CMAKE_COMMAND}" --build "${consumer}")
run_step("${consumer}/run_program" "${SOURCE_DIR}/tests/data/demo/vit.pt2" 2x3x64x64)
if(NOT output MATCHES "^2x")
  message(FATAL_ERROR "the example printed no sizes of outputs: ${output}")
endif()
