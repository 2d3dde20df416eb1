// The program's JSON document and its top-level fields: schema version, dialect, versions.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/archive.h"
#include "support/json.h"

namespace litz::import_ {

struct ProgramJson {
  std::string origin;  ///< "models/model.json"
  JsonDocument document;
  int64_t schema_major = 0;
  int64_t schema_minor = 0;
  std::string torch_version;
  std::string dialect;  ///< "TRAINING", "ATEN", ...
  std::vector<std::string> warnings;

  const JsonValue& root() const { return document.root(); }
};

/// Parses and checks versions (J7). Throws Error.
ProgramJson read_program_json(const Archive& archive);

}  // namespace litz::import_
