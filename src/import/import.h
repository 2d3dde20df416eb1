// Reads exported programs (.pt2, any layout from PyTorch 2.6 on) into graph IR.
//
// Nothing in the file is executed: zip, JSON and the tensor-only pickle subset are parsed under
// limits. Weights stay in the file mapping. Content that the reader does not understand is an Error
// that names the entry or JSON path, or the node and its Python source line.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "ir/program.h"
#include "types/tensor.h"

namespace litz {
class MappedFile;
}

namespace litz::import_ {

struct ImportOptions {
  std::string model;  ///< Selects one of several models; empty: the only one, or "model".
  /// Supplies weights that the archive lacks, by entry path ("net.raw/data/weights/weight_0"); an
  /// undefined result means missing.
  std::function<std::shared_ptr<Storage>(const std::string& entry, size_t bytes)> weights;
  /// Called with every inferred tensor type and the recorded one. Other dtypes and sizes are
  /// errors, so only strides, offsets and expressions may differ.
  std::function<void(const ir::Node& node, size_t result, const TensorType& inferred,
                     const TensorType& recorded)>
      on_type;
  /// Verifies the checksums of all weights, which reads them. Otherwise it is done for archives up to
  /// 16 MiB, and for entries up to kAlwaysChecked (torch_save.h).
  bool check_weights_crc = false;
  /// Replaces symbols of sizes by a value ("s27" -> 1). The whole program is read and checked as if
  /// it had been exported for that size. This is the sound way to sizes 0 and 1, which tracing
  /// excludes by a lower limit of 2 although PyTorch accepts them at run time; other values outside
  /// the symbol's range are rejected.
  std::map<std::string, int64_t> fixed_sizes = {};
};

/// Throws Error. The result verifies and is as recorded: raw programs still mutate.
ir::Program import_program(const std::string& path, std::shared_ptr<const ir::OpSet> ops,
                           const ImportOptions& options = {});
/// The same for a file that is open.
ir::Program import_program(std::shared_ptr<const MappedFile> file,
                           std::shared_ptr<const ir::OpSet> ops, const ImportOptions& options = {});
/// The same for an archive in memory, which `owner` keeps alive.
ir::Program import_program(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                           std::shared_ptr<const ir::OpSet> ops, const ImportOptions& options = {});

}  // namespace litz::import_
