# libsodium, which has no package of its own for CMake: the target sodium::sodium.
#
# The static library if there is one, so that what we ship needs none on the machine.
include(FindPackageHandleStandardArgs)

find_path(SODIUM_INCLUDE_DIR sodium.h)
find_library(SODIUM_LIBRARY NAMES libsodium.a sodium)
mark_as_advanced(SODIUM_INCLUDE_DIR SODIUM_LIBRARY)
find_package_handle_standard_args(sodium REQUIRED_VARS SODIUM_LIBRARY SODIUM_INCLUDE_DIR)

if(sodium_FOUND AND NOT TARGET sodium::sodium)
  add_library(sodium::sodium UNKNOWN IMPORTED GLOBAL)
  set_target_properties(sodium::sodium PROPERTIES
    IMPORTED_LOCATION "${SODIUM_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SODIUM_INCLUDE_DIR}")
endif()
