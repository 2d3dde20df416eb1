// Reads payloads of torch.save: a zip inside the archive with one pickle and raw storages.

#pragma once

#include <string>
#include <vector>

#include "import/pickle.h"
#include "support/zip_reader.h"

namespace litz::import_ {

struct TorchSaveOptions {
  bool opaque_objects = false;  ///< For example inputs: unknown classes become opaque values.
  bool check_crc = false;       ///< For storages; the pickle itself is always checked.
};

/// Reads the payload at `entry`. Aligned storages stay in the archive's memory. Throws Error with
/// the entry's name.
PickleDocument read_torch_save(const ZipReader& zip, const ZipEntry& entry,
                               const TorchSaveOptions& options = {});

/// The bytes of an entry as a storage: in place if aligned for every dtype, else a copy.
std::shared_ptr<Storage> entry_storage(const ZipReader& zip, const ZipEntry& entry, bool check_crc);

}  // namespace litz::import_
