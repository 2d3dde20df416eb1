# Settings of our own build: standard, output folder, compiler cache, warnings, sanitizers.
#
# Warnings and sanitizers sit on the interface target `litz_options`, which our targets link
# privately, so nothing here is forced on a project that includes or installs Litz.

option(LITZ_WARNINGS "Compile our own sources with the project's warnings" ON)
option(LITZ_LLVM "Compile programs, with LLVM; without it they are interpreted" ON)
# Most tests compile.
include(CMakeDependentOption)
cmake_dependent_option(LITZ_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL} LITZ_LLVM OFF)
option(LITZ_BENCHMARKS "Build the benchmarks" OFF)
option(LITZ_FUZZERS "Build the fuzz targets (needs clang)" OFF)
option(LITZ_PRECOMPILE "Compile the standard headers once (GCC only, without sanitizers)" OFF)
set(LITZ_SANITIZE "" CACHE STRING "Sanitizers for our own sources, for example address,undefined")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# `Dev` compiles quickly, keeps assertions, and is fast enough to run the whole suite. Plain
# variables: project() has already put empty ones into the cache.
if(NOT CMAKE_CXX_FLAGS_DEV)
  set(CMAKE_CXX_FLAGS_DEV "-O1 -g1 -D_GLIBCXX_ASSERTIONS")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
endif()

find_program(LITZ_CCACHE ccache)
mark_as_advanced(LITZ_CCACHE)
if(LITZ_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${PROJECT_SOURCE_DIR}/cmake/cached_compiler.sh" "${PROJECT_SOURCE_DIR}" "${LITZ_CCACHE}")
endif()

# Other compilers and options would each need headers of their own.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR LITZ_SANITIZE OR LITZ_FUZZERS)
  set(LITZ_PRECOMPILE OFF)
endif()

find_package(Threads REQUIRED)

add_library(litz_options INTERFACE)
target_link_libraries(litz_options INTERFACE Threads::Threads)
# Linkers leave out functions that a small library does not use.
target_compile_options(litz_options INTERFACE -ffunction-sections -fdata-sections)
if(LITZ_WARNINGS)
  target_compile_options(litz_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers -Werror=switch)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees overlaps in std::string's operator+ that are not there (its bug 105651).
    target_compile_options(litz_options INTERFACE -Wno-restrict)
  endif()
endif()
if(LITZ_SANITIZE)
  target_compile_options(litz_options INTERFACE
    "-fsanitize=${LITZ_SANITIZE}" -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(litz_options INTERFACE "-fsanitize=${LITZ_SANITIZE}")
  # With these three checks GCC does not take the address of an object to differ from null while
  # compiling, and so cannot check operator schemas. Targets that hold schemas go without; the
  # address sanitizer still finds what follows a null pointer.
  set(null_checks "-fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute")
  target_compile_options(litz_options INTERFACE
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:$<TARGET_PROPERTY:LITZ_HAS_SCHEMAS>>>:${null_checks}>")
endif()
if(LITZ_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "LITZ_FUZZERS needs clang: use the preset `fuzz` or ./dev fuzz")
  endif()
  # Coverage feedback in every layer; the driver itself is linked by litz_fuzz().
  target_compile_options(litz_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
