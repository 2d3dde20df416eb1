# Finds the libraries we build on. Nothing is downloaded; a missing one is named together with the
# Debian package that holds it.

function(litz_find_package name debian_package)
  find_package(${name} QUIET ${ARGN})
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR
      "${name} was not found. On Debian or Ubuntu: apt-get install ${debian_package} "
      "(or run ./dev setup). Elsewhere, add its prefix to CMAKE_PREFIX_PATH.")
  endif()
endfunction()

litz_find_package(simdjson libsimdjson-dev 3 GLOBAL)
litz_find_package(ZLIB zlib1g-dev GLOBAL)
litz_find_package(sodium libsodium-dev)
litz_find_package(CLI11 libcli11-dev GLOBAL)
litz_find_package(dlpack libdlpack-dev)
if(LITZ_TESTS)
  litz_find_package(GTest "libgtest-dev libgmock-dev" GLOBAL)
endif()
if(LITZ_BENCHMARKS)
  litz_find_package(benchmark libbenchmark-dev GLOBAL)
endif()
