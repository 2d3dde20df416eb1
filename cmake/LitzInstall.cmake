# Installation: the shared library, its headers and a package for find_package(litz CONFIG).

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS litz_shared litz_runtime_shared EXPORT litz_targets
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
if(TARGET litz)
  install(TARGETS litz litz-run RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
