// Reads payloads of torch.save: a zip inside the archive with one pickle and raw storages.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "import/pickle.h"
#include "support/zip_reader.h"

namespace litz::import_ {

/// Verifying the checksum of so many bytes takes less time than opening a file.
inline constexpr uint64_t kAlwaysChecked = 64 * 1024;

struct TorchSaveOptions {
  bool opaque_objects = false;  ///< For example inputs: unknown classes become opaque values.
  bool check_crc = false;       ///< For large storages; the others and the pickle always are.
};

/// Reads the payload at `entry`. Aligned storages stay in the archive's memory. Throws Error with
/// the entry's name.
PickleDocument read_torch_save(const ZipReader& zip, const ZipEntry& entry,
                               const TorchSaveOptions& options = {});

/// The bytes of an entry as a storage: in place if aligned for every dtype, else a copy. Checksums of
/// entries up to kAlwaysChecked are verified in any case.
std::shared_ptr<Storage> entry_storage(const ZipReader& zip, const ZipEntry& entry, bool check_crc);

}  // namespace litz::import_
