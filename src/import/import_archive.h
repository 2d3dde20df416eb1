// Imports an archive that is already open, for import_program and the fuzzer.

#pragma once

#include <memory>

#include "import/archive.h"
#include "import/import.h"

namespace litz::import_ {

/// The same as import_program.
ir::Program import_archive(const Archive& archive, std::shared_ptr<const ir::OpSet> ops,
                           const ImportOptions& options = {});

}  // namespace litz::import_
