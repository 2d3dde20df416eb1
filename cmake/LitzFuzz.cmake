# litz_fuzz(<name> DEPENDS <layer>...)
#
# Makes the libFuzzer program fuzz_<name> from fuzz_<name>.cpp, which defines
# LLVMFuzzerTestOneInput, and a CTest entry that runs it for a few seconds from the files of
# seeds/<name>/, where there are any. The target `fuzzers` builds them all.
if(NOT TARGET fuzzers)
  add_custom_target(fuzzers)
endif()

function(litz_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
  litz_reject_unparsed(litz_fuzz ${name} ${arg_UNPARSED_ARGUMENTS})
  list(TRANSFORM arg_DEPENDS PREPEND litz_)
  foreach(layer IN LISTS arg_DEPENDS)
    if(NOT TARGET ${layer})
      message(STATUS "fuzz_${name} is left out: ${layer} is not in this build")
      return()
    endif()
  endforeach()
  add_executable(fuzz_${name} EXCLUDE_FROM_ALL fuzz_${name}.cpp)
  target_link_libraries(fuzz_${name} PRIVATE ${arg_DEPENDS} litz_options)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers fuzz_${name})
  set(seeds "${CMAKE_CURRENT_SOURCE_DIR}/seeds/${name}")
  if(NOT IS_DIRECTORY "${seeds}")
    set(seeds "")
  endif()
  set(corpus "${CMAKE_BINARY_DIR}/corpus/${name}")
  file(MAKE_DIRECTORY "${corpus}")
  add_test(NAME fuzz_${name}
    COMMAND fuzz_${name} -max_total_time=3 -timeout=10 -rss_limit_mb=2048 "${corpus}" ${seeds})
endfunction()
