#include "import/archive.h"

#include <algorithm>

#include "import/mistaken_file.h"
#include "support/archive_markers.h"
#include "support/check.h"
#include "support/mapped_file.h"
#include "support/text.h"

namespace litz::import_ {
namespace {

constexpr std::string_view kPlainProgram = "serialized_exported_program.json";

// Old archives have no top folder, so a common root is only required once the layout is known.
ZipOptions zip_options() {
  ZipOptions options;
  options.single_root = false;
  return options;
}

}  // namespace

std::string_view name(ArchiveLayout layout) {
  switch (layout) {
    case ArchiveLayout::config_files:
      return "archive";
    case ArchiveLayout::pickled_weights:
      return "archive with pickled weights";
    case ArchiveLayout::plain_zip:
      return "plain zip";
  }
  return "?";
}

Archive Archive::open_file(const std::string& path, const std::string& model) {
  return open(std::make_shared<const MappedFile>(MappedFile::open(path)), model);
}

Archive Archive::open(std::shared_ptr<const MappedFile> file, const std::string& model) {
  refuse_other_formats(file->bytes(), file->path());
  return recognise(ZipReader::open(std::move(file), zip_options()), model);
}

Archive Archive::open(std::span<const std::byte> bytes, const std::string& origin,
                      const std::string& model, std::shared_ptr<const void> owner) {
  refuse_other_formats(bytes, origin);
  return recognise(ZipReader::open(bytes, origin, zip_options(), std::move(owner)), model);
}

Archive Archive::recognise(ZipReader zip, const std::string& model) {
  Archive archive(std::move(zip));
  if (archive.find_plain_program()) return archive;
  const bool marked = std::ranges::any_of(archive.zip_.entries(), [](const ZipEntry& entry) {
    return entry.name.ends_with("/archive_format");
  });
  if (marked) archive.zip_.require_single_root();
  if (!has_archive_format(archive.zip_)) refuse_other_archive(archive.zip_);
  const ArchiveMarkers markers = read_archive_markers(archive.zip_);
  require(markers.little_endian, ErrorCode::unsupported,
          "weights must be little-endian; save the program on a little-endian machine:",
          archive.zip_.origin());
  if (!markers.states_version) archive.warnings_.push_back("archive_version is missing; read as 0");
  archive.find_models(model);
  archive.find_layout();
  return archive;
}

bool Archive::find_plain_program() {
  // Some tools add a top folder when they repack; both forms are the same layout.
  program_ = zip_.find(kPlainProgram);
  if (program_ == nullptr && zip_.find_path("archive_format") == nullptr) {
    program_ = zip_.find_path(kPlainProgram);
  }
  if (program_ == nullptr) return false;
  layout_ = ArchiveLayout::plain_zip;
  model_ = "model";
  models_ = {model_};
  return true;
}

void Archive::find_models(const std::string& model) {
  constexpr std::string_view kPrefix = "models/";
  constexpr std::string_view kSuffix = ".json";
  for (const ZipEntry& entry : zip_.entries()) {
    const std::string_view path = zip_.path_of(entry);
    if (!path.starts_with(kPrefix) || !path.ends_with(kSuffix) ||
        path.size() <= kPrefix.size() + kSuffix.size()) {
      continue;
    }
    // Model names may contain dots, so only the ends are cut.
    models_.emplace_back(
        path.substr(kPrefix.size(), path.size() - kPrefix.size() - kSuffix.size()));
  }
  std::ranges::sort(models_);
  if (models_.empty()) refuse_other_archive(zip_);
  model_ = model;
  if (model_.empty()) model_ = models_.size() == 1 ? models_.front() : "model";
  const bool known = std::ranges::find(models_, model_) != models_.end();
  if (model.empty()) {
    require(known, ErrorCode::not_found,
            "the archive holds several models, choose one of:", join(models_, ", "));
  }
  require(known, ErrorCode::not_found, "the archive must hold the model", model,
          "- it holds:", join(models_, ", "));
  program_ = zip_.find_path(std::string(kPrefix) + model_ + std::string(kSuffix));
}

void Archive::find_layout() {
  const bool pickled = zip_.find_path("data/weights/" + model_ + ".pt") != nullptr ||
                       zip_.find_path("data/constants/" + model_ + ".pt") != nullptr;
  const bool configs = weights_config() != nullptr || constants_config() != nullptr;
  layout_ = pickled && !configs ? ArchiveLayout::pickled_weights : ArchiveLayout::config_files;
}

const ZipEntry* Archive::state_dict() const {
  if (layout_ == ArchiveLayout::pickled_weights) {
    return zip_.find_path("data/weights/" + model_ + ".pt");
  }
  if (layout_ != ArchiveLayout::plain_zip) return nullptr;
  const ZipEntry* entry = zip_.find_path("serialized_state_dict.pt");
  // The first writers used this name for the same pickled payload.
  return entry != nullptr ? entry : zip_.find_path("serialized_state_dict.json");
}

const ZipEntry* Archive::constants() const {
  if (layout_ == ArchiveLayout::pickled_weights) {
    return zip_.find_path("data/constants/" + model_ + ".pt");
  }
  if (layout_ != ArchiveLayout::plain_zip) return nullptr;
  const ZipEntry* entry = zip_.find_path("serialized_constants.pt");
  return entry != nullptr ? entry : zip_.find_path("serialized_constants.json");
}

const ZipEntry* Archive::sample_inputs() const {
  return layout_ == ArchiveLayout::plain_zip
             ? zip_.find_path("serialized_example_inputs.pt")
             : zip_.find_path("data/sample_inputs/" + model_ + ".pt");
}

const ZipEntry* Archive::weights_config() const {
  return zip_.find_path("data/weights/" + model_ + "_weights_config.json");
}

const ZipEntry* Archive::constants_config() const {
  return zip_.find_path("data/constants/" + model_ + "_constants_config.json");
}

}  // namespace litz::import_
