#include "artifact/program_file.h"

#include "artifact/file_signature.h"
#include "artifact/program_fields.h"
#include "artifact/stored_parts.h"
#include "support/check.h"

namespace litz::artifact {
namespace {

constexpr const char* kWhat = "a stored program";

/// Everything but its tensors and its parts. `numbers` says which inputs have which tensors.
void write_one(const Program& program, const ExprPool& pool, ByteWriter& body) {
  FieldWriter writer(&pool);
  writer("program", program, "has_seed", program.seed.has_value());
  if (program.seed) writer.symbol("seed", *program.seed);
  writer("data", weights_of(program).numbers);
  body.block(writer.take_table());
  body.block(writer.bytes().take());
}

Program read_one(ByteReader& in, std::vector<int64_t>& numbers) {
  ByteReader table_bytes(in.block(), kWhat);
  const ExprTable table(table_bytes);
  require(table_bytes.at_end(), ErrorCode::corrupt, kWhat, "must end its expressions");
  ByteReader field_bytes(in.block(), kWhat);
  FieldReader reader(field_bytes, table);
  Program program;
  program.symbols = table.pool();
  bool has_seed = false;
  reader("program", program, "has_seed", has_seed);
  if (has_seed) reader.symbol("seed", program.seed.emplace());
  reader("data", numbers);
  require(field_bytes.at_end(), ErrorCode::corrupt, kWhat, "must end its fields");
  return program;
}

}  // namespace

std::vector<std::byte> write_program_file(const Program& program, const ExprPool& pool,
                                          std::string_view build) {
  require_portable(program);
  const std::vector<Tensor> all = all_tensors(program);
  const TensorTableWriter tensors(all);
  ByteWriter body;
  body.text(build);
  write_one(program, pool, body);
  body.number<uint64_t>(program.parts.size());
  for (const Program& part : program.parts) write_one(part, *part.symbols, body);
  tensors.write_types(body);
  return framed(kProgramFile, body.take(), tensors);
}

namespace {

/// `check_build` throws for builds that the caller does not want.
template <typename CheckBuild>
ProgramOfBuild read_file(std::span<const std::byte> bytes,
                         const std::shared_ptr<const void>& keeper, const CheckBuild& check_build) {
  const FileParts parts = unframed(kProgramFile, split_signature(kProgramFile, bytes).file);
  ByteReader in(parts.body, kWhat);
  ProgramOfBuild result;
  result.build = in.text();
  check_build(result.build);
  Program& program = result.program;
  std::vector<std::vector<int64_t>> numbers;
  program = read_one(in, numbers.emplace_back());
  for (size_t left = in.count(); left > 0; --left) {
    program.parts.push_back(read_one(in, numbers.emplace_back()));
  }
  std::vector<Tensor> tensors = read_tensor_table(in, parts.data, keeper);
  require(in.at_end(), ErrorCode::corrupt, kWhat, "must end with its weights");
  attach_tensors(program, std::move(numbers), std::move(tensors));
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
