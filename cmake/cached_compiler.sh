#!/bin/sh
# cached_compiler.sh CHECKOUT CCACHE COMPILER [ARGUMENT...]: runs the compiler through the compiler cache.
#
# Build folders of one checkout, and checkouts of one tree, share entries: paths are taken relative to the
# checkout, and the build folder is left out of the hash. The cache learns from the compiler what a source
# includes (CCACHE_DEPEND) and need not preprocess it first. The sloppiness is what precompiled headers
# need, which are new in a new build folder.
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$1" CCACHE_DEPEND=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
shift

# Headers that are precompiled again would be hashed with their old form, and no other checkout would find
# them; GCC makes other bytes each time, so nothing that includes them would be found either.
previous=
for argument in "$@"; do
  case "$previous $argument" in
    "-o "*.gch) rm -f "$argument" ;;
  esac
  previous="$argument"
done
exec "$@"
