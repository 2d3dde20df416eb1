# LLVM, which only src/codegen/llvm may see: litz_llvm(<target>) links it, hidden, to a target.
#
# Static by default, so that what we ship needs no LLVM on the machine and starts without loading
# 100 MB; LITZ_LLVM_SHARED=ON links libLLVM instead, which makes linking faster while developing.

option(LITZ_LLVM_SHARED "Link the shared libLLVM instead of the static libraries" OFF)

if(NOT LLVM_DIR)
  foreach(version IN ITEMS 19 20 21 18)
    if(EXISTS "/usr/lib/llvm-${version}/lib/cmake/llvm/LLVMConfig.cmake")
      set(LLVM_DIR "/usr/lib/llvm-${version}/lib/cmake/llvm")
      break()
    endif()
  endforeach()
endif()
find_package(LLVM QUIET CONFIG)
if(NOT LLVM_FOUND OR LLVM_VERSION_MAJOR LESS 18 OR LLVM_VERSION_MAJOR GREATER 21)
  message(FATAL_ERROR
    "LLVM 18 to 21 was not found (${LLVM_PACKAGE_VERSION}). On Debian or Ubuntu: apt-get install "
    "llvm-19-dev libzstd-dev libz3-dev libxml2-dev (or run ./dev setup). Elsewhere, set LLVM_DIR.")
endif()

if(LITZ_LLVM_SHARED)
  set(litz_llvm_libraries LLVM)
else()
  llvm_map_components_to_libnames(litz_llvm_libraries
    core support passes scalaropts instcombine target x86codegen x86desc x86info
    aarch64codegen aarch64desc aarch64info)
endif()

function(litz_llvm_headers target)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
endfunction()

function(litz_llvm target)
  litz_llvm_headers(${target})
  target_link_libraries(${target} PRIVATE ${litz_llvm_libraries})
  if(NOT LITZ_LLVM_SHARED)
    # What links the target keeps LLVM's symbols to itself, and only the functions that are used.
    target_link_options(${target} INTERFACE
      $<$<PLATFORM_ID:Linux>:-Wl,--exclude-libs,ALL> $<$<PLATFORM_ID:Linux>:-Wl,--gc-sections>)
  endif()
endfunction()
