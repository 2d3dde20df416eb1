#include "import/program_json.h"

#include "support/check.h"

namespace litz::import_ {
namespace {

constexpr int64_t kSchemaMajor = 8;
constexpr int64_t kNewestKnownMinor = 20;
constexpr int64_t kAtenOpset = 10;

void read_schema_version(ProgramJson& program, const JsonPath& path) {
  const JsonPath at = path / "schema_version";
  const JsonValue& version = program.root().at("schema_version", path);
  if (version.is_int()) {
    program.schema_major = version.as_int(at);
  } else {
    program.schema_major = version.at("major", at).as_int(at / "major");
    program.schema_minor = version.at("minor", at).as_int(at / "minor");
  }
  // Unreleased writers use 0.0 for any version.
  if (program.schema_major == 0 && program.schema_minor == 0) program.schema_major = kSchemaMajor;
  require(program.schema_major >= kSchemaMajor, ErrorCode::unsupported,
          "J7: the program is too old, export it again with PyTorch 2.6 or later; schema version:",
          program.schema_major);
  require(
      program.schema_major == kSchemaMajor, ErrorCode::unsupported,
      "J7: the program is newer than this version of Litz; schema version:", program.schema_major);
  if (program.schema_minor > kNewestKnownMinor) {
    program.warnings.push_back("schema version 8." + std::to_string(program.schema_minor) +
                               " is newer than the newest known, 8." +
                               std::to_string(kNewestKnownMinor));
  }
}

void read_dialect(ProgramJson& program, const JsonPath& path) {
  const JsonPath at = path / "verifiers";
  if (const JsonValue* verifiers = program.root().get("verifiers", path)) {
    for (const JsonValue& verifier : verifiers->as_array(at)) {
      if (!program.dialect.empty()) program.dialect += ",";
      program.dialect += verifier.as_string(at);
    }
  } else if (const JsonValue* dialect = program.root().get("dialect", path)) {
    program.dialect = dialect->as_string(path / "dialect");
  }
}

}  // namespace

ProgramJson read_program_json(const Archive& archive) {
  const ZipContent content = archive.zip().read_verified(archive.program());
  JsonOptions options;
  options.allow_bare_nonfinite = archive.layout() == ArchiveLayout::plain_zip;
  ProgramJson program{std::string(archive.zip().path_of(archive.program())),
                      JsonDocument::parse(content.bytes(), archive.program().name, options)};
  const JsonPath path(program.origin);
  read_schema_version(program, path);
  read_dialect(program, path);
  program.torch_version = "<=2.4";
  if (const JsonValue* version = program.root().get("torch_version", path)) {
    program.torch_version = version->as_string(path / "torch_version");
  }
  if (const JsonValue* opsets = program.root().get("opset_version", path)) {
    const JsonValue* aten = opsets->get("aten", path / "opset_version");
    if (aten != nullptr && aten->is_int() && aten->as_int() != kAtenOpset) {
      program.warnings.push_back("the operator set has version " + std::to_string(aten->as_int()) +
                                 ", known is 10");
    }
  }
  return program;
}

}  // namespace litz::import_
