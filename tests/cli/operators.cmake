# Operators that are not Litz's own: programs that call them, and the example that computes them.

set(clipped operators/clipped.raw.pt2)
set(functional operators/clipped.core.pt2)

# Without functions.
cli_test(unknown_info 0 "demo.clip +\\(no function\\)" info ${clipped})
cli_test(unknown_print 0
  "op opaque demo.accumulate.*demo.row_range\\(.*: \\(f32\\[s77\\], f32\\[s77\\]\\).*model/my_operators.py" print
  ${clipped})
cli_test(unknown_print_functional 0 "op side_effect demo.accumulate\\(Tensor\\(a!\\) total, Tensor x\\)" print
  ${functional})
cli_test(unknown_print_passes 0 "litz.functional.demo.accumulate" print ${functional}
  --stage outline-repeats)
cli_test(unknown_partition 0 "demo.clip.*nobody says whether demo.clip can be recorded" partition
  ${clipped} --cudagraphs --device cuda)
cli_test(unknown_partition_ops 0 "in 1 partition\n\n? +0 +2 nodes +%add row_range" partition
  ${functional} --ops demo.clip,torch.ops.demo.row_range.default,aten.add --connected)
cli_test(unknown_explain 0 "demo.clip" explain ${clipped} --no-cache)
cli_test(unknown_run 4
  "nobody knows demo.clip of %clip \\(.*my_operators.py:[0-9]+\\).*demo.row_range.*--operators" run
  ${clipped})
cli_test(unknown_regional 4 "must have a function to be run: demo.clip.*while running %clip = demo.clip" run
  ${clipped} --regional)

# Spellings of names.
cli_test(partition_bare 0 "in 1 partition\n.*relu" partition pt2/v2_15_mlp_dynamic.raw.pt2 --ops relu
  --single-nodes)
cli_test(partition_torch 0 "in 1 partition\n.*relu" partition pt2/v2_15_mlp_dynamic.raw.pt2
  --ops torch.ops.aten.relu.default --single-nodes)
cli_test(partition_colons 0 "in 1 partition\n.*relu" partition pt2/v2_15_mlp_dynamic.raw.pt2
  --ops aten::relu --single-nodes)
cli_test(partition_bare_unknown 2 "must exist: rellu - did you mean.*aten.relu" partition
  pt2/v2_15_mlp_dynamic.raw.pt2 --ops rellu)

cli_test(operators_missing 3 "a library of operators must exist: nowhere.so" info ${clipped}
  --operators nowhere.so)
cli_test(operators_no_object 3 "must be a shared object that can be loaded: .*clipped" info ${clipped}
  --operators operators/clipped.raw.pt2)

include(CheckLanguage)
check_language(C)
if(NOT CMAKE_C_COMPILER)
  message(STATUS "There is no C compiler: the example of operators is left out of the tests")
  return()
endif()
enable_language(C)
add_library(my_operators MODULE "${PROJECT_SOURCE_DIR}/examples/my_operators.c")
set_target_properties(my_operators PROPERTIES PREFIX "" C_STANDARD 99)
target_include_directories(my_operators PRIVATE "${PROJECT_SOURCE_DIR}/include")
target_compile_options(my_operators PRIVATE -Wall -Wextra)
set(object "$<TARGET_FILE:my_operators>")

foreach(executor IN ITEMS cpu interpreter recorded)
  set(way --executor ${executor})
  if(executor STREQUAL recorded)
    set(way --cudagraphs)
  endif()
  foreach(program IN ITEMS raw core)
    cli_test(operators_${executor}_${program} 0 "out0: .*(equal|within)" run
      operators/clipped.${program}.pt2 --operators ${object} ${way}
      --input operators/clipped.inputs.npz --compare operators/clipped.expected.npz)
  endforeach()
  cli_test(operators_data_${executor} 0 "out0: .*(equal|within)" run operators/positive.raw.pt2
    --operators ${object} ${way} --input operators/positive.inputs.npz
    --compare operators/positive.expected.npz)
endforeach()
cli_test(operators_explain 0 "call +demo.clip" explain ${clipped} --operators ${object} --no-cache)
cli_test(operators_twice 0 "demo.clip\n" info --operators ${object} --operators ${object} ${clipped})
cli_test(operators_compile 0 "clipped.litz: " compile ${clipped} --operators ${object}
  -o ${CMAKE_CURRENT_BINARY_DIR}/clipped.litz)
set_tests_properties(cli_operators_compile PROPERTIES FIXTURES_SETUP compiled_operators)
cli_test(operators_compiled 0 "out0: .*(equal|within)" run ${CMAKE_CURRENT_BINARY_DIR}/clipped.litz
  --operators ${object} --input operators/clipped.inputs.npz --compare operators/clipped.expected.npz)
cli_test(operators_compiled_missing 4 "nobody knows.*demo.clip" run
  ${CMAKE_CURRENT_BINARY_DIR}/clipped.litz --input operators/clipped.inputs.npz)
foreach(way IN ITEMS "" "--device;sim" "--test-mode;poison,access,order=3")
  string(MAKE_C_IDENTIFIER "runtime_operators_${way}" name)
  cli_test_of(litz-run ${name} 0 "out0: .*(equal|within)" ${CMAKE_CURRENT_BINARY_DIR}/clipped.litz
    --operators ${object} ${way} --input operators/clipped.inputs.npz
    --compare operators/clipped.expected.npz)
  set_tests_properties(cli_${name} PROPERTIES FIXTURES_REQUIRED compiled_operators)
endforeach()
cli_test_of(litz-run runtime_operators_missing 4 "nobody knows.*demo.clip"
  ${CMAKE_CURRENT_BINARY_DIR}/clipped.litz --input operators/clipped.inputs.npz)
cli_test_of(litz-run runtime_fault 2 "fault=N" ${CMAKE_CURRENT_BINARY_DIR}/clipped.litz
  --operators ${object} --test-mode fault)
set_tests_properties(cli_operators_compiled cli_operators_compiled_missing
  cli_runtime_operators_missing cli_runtime_fault PROPERTIES FIXTURES_REQUIRED compiled_operators)
