# Installation: the libraries, their headers, packages for find_package(litz CONFIG) and pkg-config, and a
# Debian package (cpack -G DEB in the build folder).

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The runtime as one archive, for programs that link it statically.
add_library(litz_runtime_static STATIC "${PROJECT_SOURCE_DIR}/src/runtime/c/operators.cpp"
  $<TARGET_OBJECTS:litz_runtime_c>)
foreach(layer IN ITEMS support machine expr types distributed schema artifact kernels runtime)
  target_sources(litz_runtime_static PRIVATE $<TARGET_OBJECTS:litz_${layer}>)
endforeach()
add_library(litz::runtime_static ALIAS litz_runtime_static)
set_target_properties(litz_runtime_static PROPERTIES
  OUTPUT_NAME litz_runtime
  EXPORT_NAME runtime_static)
target_include_directories(litz_runtime_static
  PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include"
  INTERFACE "$<INSTALL_INTERFACE:include>")
target_link_libraries(litz_runtime_static
  PRIVATE $<BUILD_INTERFACE:litz_options>
  INTERFACE simdjson sodium z pthread ${CMAKE_DL_LIBS} m)

# Nothing else can be seen, and nothing replaced, from outside: calls within a library stay within it.
foreach(library IN ITEMS litz_shared litz_runtime_shared)
  if(NOT APPLE)
    target_link_options(${library} PRIVATE
      "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map" -Wl,-Bsymbolic-functions)
  endif()
  # A minor version changes the interface until there is a first major one.
  set_target_properties(${library} PROPERTIES
    SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
endforeach()

install(TARGETS litz_shared litz_runtime_shared litz_runtime_static EXPORT litz_targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/litz" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(EXPORT litz_targets
  FILE litz-config.cmake
  NAMESPACE litz::
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/litz")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/litz-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/litz-config-version.cmake"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/litz")
function(litz_pkg_config name description private)
  set(LITZ_PC_NAME "${name}")
  set(LITZ_PC_DESCRIPTION "${description}")
  set(LITZ_PC_PRIVATE "${private}")
  # From the file to the prefix, so that an installed tree can be moved.
  file(RELATIVE_PATH LITZ_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/litz.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()
litz_pkg_config(litz "${PROJECT_DESCRIPTION}" "")
litz_pkg_config(litz_runtime "Runs programs that litz compiled" "-lstdc++ -lsimdjson -lsodium -lz -lpthread -ldl -lm")
if(TARGET litz_mpi)
  install(TARGETS litz_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
if(TARGET litz)
  install(TARGETS litz litz-run RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

set(CPACK_PACKAGE_NAME litz)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "the developers of Litz")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_GENERATOR DEB)
include(CPack)
