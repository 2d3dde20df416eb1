# The three shapes of target in this project. They keep every folder's CMakeLists.txt to its source
# list and its row of the layer table.

# litz_layer(<name> SOURCES <file>... [DEPENDS <layer>...] [LIBRARIES <target>...] [PRECOMPILED <kind>])
#
# Makes the static library litz_<name> from the sources of this folder. DEPENDS names layers
# without their prefix and is public; LIBRARIES names third-party targets and is private, because
# their headers may appear only in .cpp files. PRECOMPILED is a kind of litz_precompile.
function(litz_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRECOMPILED" "SOURCES;DEPENDS;LIBRARIES")
  litz_reject_unparsed(litz_layer ${name} ${arg_UNPARSED_ARGUMENTS})
  litz_keep_existing(arg_SOURCES)
  add_library(litz_${name} STATIC ${arg_SOURCES})
  target_include_directories(litz_${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>")
  target_compile_features(litz_${name} PUBLIC cxx_std_20)
  list(TRANSFORM arg_DEPENDS PREPEND litz_)
  target_link_libraries(litz_${name}
    PUBLIC ${arg_DEPENDS}
    PRIVATE $<BUILD_INTERFACE:litz_options> ${arg_LIBRARIES})
  if(NOT arg_PRECOMPILED)
    set(arg_PRECOMPILED standard)
  endif()
  litz_precompile(litz_${name} ${arg_PRECOMPILED})
endfunction()

# Makes code a quarter smaller, and passes over a graph 4 % slower. GCC takes options of optimization from
# precompiled headers, so they are a matter of the kind.
set(LITZ_COMPACT $<$<CXX_COMPILER_ID:GNU>:-finline-limit=20>)

# litz_precompile(<target> <kind>)
#
# Has the target include the headers of a kind first. They are compiled once for all targets of that
# kind, whose options must not differ in what the headers depend on.
#
#   standard   the standard library's
#   compact    the same, for code of the runtime library that is not in a hurry
#   graph      those, and what every source reads that sees graphs, plans and operators
#   llvm       the standard library's and those that build LLVM's IR
#   tool       the standard library's and the command line parser's
#   test       the standard library's and GoogleTest's
function(litz_precompile target kind)
  if(NOT LITZ_PRECOMPILE)
    return()
  endif()
  set(owner litz_${kind}_headers)
  if(NOT TARGET ${owner})
    set(headers algorithm array atomic cmath complex cstddef cstdint cstring functional limits map
      memory mutex numeric optional ostream set span sstream string string_view tuple type_traits
      unordered_map utility variant vector)
    set(source "${PROJECT_BINARY_DIR}/${owner}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "" @ONLY)
    add_library(${owner} OBJECT EXCLUDE_FROM_ALL "${source}")
    target_compile_features(${owner} PUBLIC cxx_std_20)
    target_link_libraries(${owner} PRIVATE litz_options)
    if(kind STREQUAL compact)
      target_compile_options(${owner} PRIVATE ${LITZ_COMPACT})
    endif()
    if(kind STREQUAL graph)
      list(APPEND headers ir/graph_data.h loops/builder.h lowering/plan.h ops/bodies.h ops/op_table.h
        support/check.h support/text.h types/tensor.h)
      target_include_directories(${owner} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    elseif(kind STREQUAL llvm)
      list(APPEND headers llvm/IR/Constants.h llvm/IR/IRBuilder.h llvm/IR/Intrinsics.h llvm/IR/Module.h)
      litz_llvm_headers(${owner})
    elseif(kind MATCHES "test|tool")
      # As in programs, which these are.
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${owner} PRIVATE -O1 -fPIE)
      if(kind STREQUAL tool)
        list(APPEND headers CLI/CLI.hpp)
        target_link_libraries(${owner} PRIVATE CLI11::CLI11)
      else()
        list(APPEND headers gmock/gmock.h gtest/gtest.h)
        target_link_libraries(${owner} PRIVATE GTest::gmock GTest::gtest)
      endif()
    endif()
    # Without paths of this checkout, so that others find the same in the compiler cache.
    list(TRANSFORM headers REPLACE "(.+)" "<\\1>")
    target_precompile_headers(${owner} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  if(kind STREQUAL compact)
    target_compile_options(${target} PRIVATE ${LITZ_COMPACT})
  endif()
  # GCC 12 forgets that precompiled headers are the system's, and warns about std::string's.
  target_compile_options(${target} PRIVATE
    -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endfunction()

# litz_unit_test(<name> SOURCES <file>... [DEPENDS <layer>...] [LIBRARIES <target>...])
#
# Makes the GoogleTest program test_<name>, and one CTest entry of that name. DEPENDS defaults to
# <name>. Tests run in the source folder, so they open their data as "tests/data/...".
function(litz_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES")
  litz_reject_unparsed(litz_unit_test ${name} ${arg_UNPARSED_ARGUMENTS})
  if(NOT arg_DEPENDS)
    set(arg_DEPENDS ${name})
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND litz_)
  litz_keep_existing(arg_SOURCES)
  add_executable(test_${name} ${arg_SOURCES})
  # Tests are built more often than they run; what they test is built as it is shipped.
  target_compile_options(test_${name} PRIVATE -O1)
  target_link_libraries(test_${name} PRIVATE
    ${arg_DEPENDS} litz_options ${arg_LIBRARIES} GTest::gmock GTest::gtest GTest::gtest_main)
  litz_precompile(test_${name} test)
  add_test(NAME test_${name} COMMAND test_${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(test_${name} PROPERTIES TIMEOUT 600)
endfunction()

# litz_program(<name> SOURCES <file>... [DEPENDS <layer>...] [LIBRARIES <target>...])
#
# Makes an executable of exactly this name in <build>/bin.
function(litz_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES")
  litz_reject_unparsed(litz_program ${name} ${arg_UNPARSED_ARGUMENTS})
  list(TRANSFORM arg_DEPENDS PREPEND litz_)
  litz_keep_existing(arg_SOURCES)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} litz_options ${arg_LIBRARIES})
endfunction()

function(litz_reject_unparsed function name)
  if(ARGN)
    message(FATAL_ERROR "${function}(${name}): unexpected arguments: ${ARGN}")
  endif()
endfunction()

# Drops sources that are not on the disk, with a warning: a folder in the middle of an edit must not
# keep the others from being configured. tools/check_tree.py fails on what this lets pass.
function(litz_keep_existing list)
  set(kept "")
  foreach(source IN LISTS ${list})
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${source}" OR IS_ABSOLUTE "${source}")
      list(APPEND kept "${source}")
    else()
      message(WARNING "${CMAKE_CURRENT_SOURCE_DIR}/${source} is listed but does not exist")
    endif()
  endforeach()
  if(NOT kept)
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/no_sources.cpp" "")
    set(kept "${CMAKE_CURRENT_BINARY_DIR}/no_sources.cpp")
  endif()
  set(${list} "${kept}" PARENT_SCOPE)
endfunction()
