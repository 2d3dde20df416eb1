#include "artifact/program_file.h"

#include "artifact/file_signature.h"
#include "artifact/program_fields.h"
#include "artifact/stored_parts.h"
#include "support/check.h"

namespace litz::artifact {
constexpr const char* kWhat = "a stored program";

std::vector<std::byte> write_program_file(const Program& program, const ExprPool& pool,
                                          std::string_view build) {
  require_portable(program);
  const StoredWeights weights = weights_of(program);
  const TensorTableWriter tensors(weights.tensors);
  FieldWriter writer(&pool);
  writer("program", program, "has_seed", program.seed.has_value());
  if (program.seed) writer.symbol("seed", *program.seed);
  writer("data", weights.numbers);
  tensors.write_types(writer.bytes());
  ByteWriter body;
  body.text(build);
  body.block(writer.take_table());
  body.bytes(writer.bytes().take());
  return framed(kProgramFile, body.take(), tensors);
}

namespace {

/// `check_build` throws for builds that the caller does not want.
template <typename CheckBuild>
ProgramOfBuild read_file(std::span<const std::byte> bytes,
                         const std::shared_ptr<const void>& keeper,
                         const CheckBuild& check_build) {
  const FileParts parts = unframed(kProgramFile, split_signature(kProgramFile, bytes).file);
  ByteReader in(parts.body, kWhat);
  ProgramOfBuild result;
  result.build = in.text();
  check_build(result.build);
  ByteReader table_bytes(in.block(), kWhat);
  const ExprTable table(table_bytes);
  require(table_bytes.at_end(), ErrorCode::corrupt, kWhat, "must end its expressions");
  FieldReader reader(in, table);
  Program& program = result.program;
  program.symbols = table.pool();
  bool has_seed = false;
  StoredWeights weights;
  reader("program", program, "has_seed", has_seed);
  if (has_seed) reader.symbol("seed", program.seed.emplace());
  reader("data", weights.numbers);
  weights.tensors = read_tensor_table(in, parts.data, keeper);
  require(in.at_end(), ErrorCode::corrupt, kWhat, "must end with its weights");
  attach_weights(program, std::move(weights));
  require_sound(program);
  return result;
}

}  // namespace

Program read_program_file(std::span<const std::byte> bytes,
                          const std::shared_ptr<const void>& keeper, std::string_view build) {
  const auto check_build = [&](const std::string& made_by) { require_build(made_by, build); };
  return read_file(bytes, keeper, check_build).program;
}

ProgramOfBuild read_any_program_file(std::span<const std::byte> bytes,
                                     const std::shared_ptr<const void>& keeper) {
  return read_file(bytes, keeper, [](const std::string&) {});
}

}  // namespace litz::artifact
