// The container of an exported program: its layout, the selected model, and the positions of its
// parts. Versions are PyTorch's.
//
//   config_files     from 2.9 on:    models/<m>.json, data/*/<m>_*_config.json, a file per storage
//   pickled_weights  2.8:            models/<m>.json, data/weights/<m>.pt, data/constants/<m>.pt
//   plain_zip        up to 2.7:      serialized_exported_program.json, serialized_state_dict.pt ...
//
// Other kinds of files are rejected by name (mistaken_file.h).

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/zip_reader.h"

namespace litz::import_ {

enum class ArchiveLayout : uint8_t { config_files, pickled_weights, plain_zip };

std::string_view name(ArchiveLayout layout);

class Archive {
 public:
  /// Opens a file and selects a model (empty: the only one, or "model"). Throws Error.
  static Archive open_file(const std::string& path, const std::string& model = {});
  /// The same for a file that is open.
  static Archive open(std::shared_ptr<const MappedFile> file, const std::string& model = {});
  /// The same for bytes that `owner` keeps alive; null: the caller does.
  static Archive open(std::span<const std::byte> bytes, const std::string& origin,
                      const std::string& model = {}, std::shared_ptr<const void> owner = nullptr);

  const ZipReader& zip() const { return zip_; }

  ArchiveLayout layout() const { return layout_; }

  const std::string& model() const { return model_; }

  /// All models of the archive, sorted.
  const std::vector<std::string>& models() const { return models_; }

  const ZipEntry& program() const { return *program_; }

  /// The pickled payloads of the older layouts, or null.
  const ZipEntry* state_dict() const;
  const ZipEntry* constants() const;
  const ZipEntry* sample_inputs() const;
  /// The index files of the newest layout, or null.
  const ZipEntry* weights_config() const;
  const ZipEntry* constants_config() const;

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  explicit Archive(ZipReader zip) : zip_(std::move(zip)) {}

  static Archive recognise(ZipReader zip, const std::string& model);
  bool find_plain_program();
  void find_models(const std::string& model);
  void find_layout();

  ZipReader zip_;
  ArchiveLayout layout_ = ArchiveLayout::config_files;
  std::string model_;
  std::vector<std::string> models_;
  const ZipEntry* program_ = nullptr;
  std::vector<std::string> warnings_;
};

}  // namespace litz::import_
