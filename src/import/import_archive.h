// Import of an archive that is open already: what import_program and the fuzzer share.

#pragma once

#include <memory>

#include "import/archive.h"
#include "import/import.h"

namespace litz::import_ {

/// As import_program.
ir::Program import_archive(const Archive& archive, std::shared_ptr<const ir::OpSet> ops,
                           const ImportOptions& options = {});

}  // namespace litz::import_
