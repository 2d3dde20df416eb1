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
run_step("${consumer}/tensors")
run_step("${consumer}/train_mlp" 200)
run_step("${consumer}/char_gpt" "${SOURCE_DIR}/README.md" 3)
run_step("${consumer}/resnet_step" 3 2 32)
run_step("${consumer}/fine_tune" "${SOURCE_DIR}/tests/data/demo/vit.pt2"
  "${SOURCE_DIR}/tests/data/demo/inputs.npz" "${BUILD_DIR}/install_test/weights.safetensors")
run_step("${consumer}/partitions" "${SOURCE_DIR}/tests/data/pt2/v2_15_mlp_dynamic.raw.pt2"
  "${BUILD_DIR}/install_test")
run_step("${consumer}/run_program" "${SOURCE_DIR}/tests/data/demo/vit.pt2" 2x3x64x64)
if(NOT output MATCHES "^2 ")
  message(FATAL_ERROR "the example printed no sizes of outputs: ${output}")
endif()

# The same program as several ranks: threads, and processes where there is MPI.
set(chain "${SOURCE_DIR}/tests/data/fsdp/chain.pt2")
run_step("${consumer}/run_ranks" "${chain}" 4 5 7)
if(NOT output MATCHES "rank 3 of 4")
  message(FATAL_ERROR "the example must run four ranks: ${output}")
endif()
if(MPIEXEC)
  run_step("${MPIEXEC}" -n 4 --allow-run-as-root --oversubscribe "${consumer}/run_ranks" "${chain}"
    mpi 5 7)
  if(NOT output MATCHES "rank 3 of 4")
    message(FATAL_ERROR "the example must run four processes: ${output}")
  endif()
endif()

# A compiled program runs without a compiler.
run_step("${prefix}/bin/litz" compile "${SOURCE_DIR}/tests/data/demo/vit.pt2"
  -o "${BUILD_DIR}/install_test/vit.litz")
run_step("${consumer}/run_compiled" "${BUILD_DIR}/install_test/vit.litz")
if(NOT output MATCHES ": \\[2, ")
  message(FATAL_ERROR "a compiled program must run from C: ${output}")
endif()

run_step("${consumer}/run_static" "${BUILD_DIR}/install_test/vit.litz")
if(NOT output MATCHES ": \\[2, ")
  message(FATAL_ERROR "a compiled program must run from a static library: ${output}")
endif()
file(READ "${prefix}/lib/pkgconfig/litz_runtime.pc" pkg_config)
if(NOT pkg_config MATCHES "Libs: .*-llitz_runtime\n")
  message(FATAL_ERROR "pkg-config must know the library: ${pkg_config}")
endif()

# Two conversations with one decoder, whose cache has two names: PyTorch's tokens.
run_step("${consumer}/decode" "${SOURCE_DIR}/tests/data/decode/static_cache.raw.pt2" 8 5 30)
if(NOT output MATCHES "^5 2 14 28 17 13 27 16 25 \n30 13 27 16 25 27 16 25 27 ")
  message(FATAL_ERROR "a decoder must continue each conversation by itself: ${output}")
endif()
# On a card if there is one.
run_step("${consumer}/on_card" "${SOURCE_DIR}/tests/data/pt2/v2_15_mlp_dynamic.raw.pt2" 3)

file(WRITE "${BUILD_DIR}/install_test/requests" "1\n64\n7\n")
execute_process(COMMAND "${consumer}/service" "${SOURCE_DIR}/tests/data/pt2/v2_15_mlp_dynamic.raw.pt2" 2
  INPUT_FILE "${BUILD_DIR}/install_test/requests" OUTPUT_VARIABLE output ERROR_VARIABLE output
  RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT output MATCHES "request 1: 64 rows in ")
  message(FATAL_ERROR "a service must serve its requests: ${output}")
endif()

# A region saved through the public API runs by itself.
set(regions "${BUILD_DIR}/install_test/region")
run_step("${consumer}/save_regions" "${SOURCE_DIR}/tests/data/pt2/region_transformer.raw.pt2"
  "${regions}")
if(NOT output MATCHES "region0.litz: [0-9]+ bytes, takes ")
  message(FATAL_ERROR "the example saved no region: ${output}")
endif()
run_step("${prefix}/bin/litz-run" "${regions}0.litz" --input 2x5x8:f32)
if(NOT output MATCHES "f32\\[2, 5, 8\\]")
  message(FATAL_ERROR "a saved region must run by itself: ${output}")
endif()
# What opens exported programs executes no file.
execute_process(COMMAND "${consumer}/run_program" "${regions}0.litz" 2x5x8 RESULT_VARIABLE status
  ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "compiled program")
  message(FATAL_ERROR "litz::load must refuse machine code by name: ${output}")
endif()

# A program with fused sets runs like the one that it was made from.
set(fused "${BUILD_DIR}/install_test/fused_vit.litz")
run_step("${consumer}/partition_program" "${SOURCE_DIR}/tests/data/demo/vit.pt2" "${fused}"
  aten.add aten.gelu aten.layer_norm)
if(NOT output MATCHES "[0-9]+ calls, [0-9]+ bytes")
  message(FATAL_ERROR "the example fused nothing: ${output}")
endif()
run_step("${consumer}/run_program" "${fused}" 2x3x64x64)
if(NOT output MATCHES "^2 ")
  message(FATAL_ERROR "a program with fused sets must run: ${output}")
endif()

# Operators of one's own, built against the installed header.
run_step("${consumer}/operators" "${consumer}/my_operators.so"
  "${SOURCE_DIR}/tests/data/operators/clipped.raw.pt2")
if(NOT output MATCHES "^5 operators, ran")
  message(FATAL_ERROR "a program must run with registered operators: ${output}")
endif()
