// What `litz info` tells of files that Litz wrote: compiled programs and graphs.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/archive_info.h"

namespace litz::tools {

struct StoredInfo {
  /// What exported programs have too: inputs, outputs, sizes, weights.
  import_::ArchiveInfo program;
  bool compiled = false;

  // Of compiled programs:
  std::string build;
  std::string target;
  std::string reason_not_runnable;  ///< Empty if it runs here.
  std::string signed_by;            ///< The key; empty if it is not signed.
  size_t kernels = 0;
  int64_t code_bytes = 0;
  int64_t packed_bytes = 0;
};

/// True for files of `litz compile` and `litz partition -o`.
bool is_stored(const std::string& path);

/// Works for compiled programs of other builds and processors too. Throws Error{untrusted} if keys are
/// given and none of them signed the file, and Error{corrupt} for a signature that does not fit.
StoredInfo read_stored_info(const std::string& path, const std::vector<std::string>& trusted);

}  // namespace litz::tools
