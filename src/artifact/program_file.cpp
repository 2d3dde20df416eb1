#include "artifact/program_file.h"

#include <algorithm>

#include "artifact/program_fields.h"
#include "support/check.h"

namespace litz::artifact {
namespace {

constexpr const char* kWhat = "a stored program";

void require_portable(const Program& program) {
  for (const LaunchList& list : program.lists) {
    for (const Launch& launch : list.launches) {
      require(
          !std::holds_alternative<CallLaunch>(launch.work), ErrorCode::unsupported,
          "a program to be saved must have code for everything that it computes:", launch.label);
    }
  }
}

void check_code(const Program& program) {
  for (const KernelCode& kernel : program.kernels) {
    for (const KernelPhase& phase : kernel.phases) {
      require(phase.iterations.domain() == ExprDomain::integer && phase.grain >= 1 &&
                  phase.cost.domain() == ExprDomain::integer,
              ErrorCode::corrupt, kWhat, "must hold phases that can run:", phase.symbol);
    }
  }
}

/// Refuses programs that the compiler would never make.
void require_sound(const Program& program) {
  check_code(program);
  try {
    check_program(program);
  } catch (const Error& error) {
    fail(ErrorCode::corrupt, kWhat, "must not contradict itself:", error.message());
  }
}

}  // namespace

std::vector<std::byte> write_program_file(const Program& program, const ExprPool& pool,
                                          std::string_view build) {
  require_portable(program);
  std::vector<Tensor> weights;
  std::vector<int64_t> numbers;
  for (const ProgramInput& input : program.signature.inputs) {
    numbers.push_back(input.data.defined() ? static_cast<int64_t>(weights.size()) : -1);
    if (input.data.defined()) weights.push_back(input.data);
  }
  for (const PackedConstant& packed : program.packed) weights.push_back(packed.data);
  const TensorTableWriter tensors(weights);
  FieldWriter writer(&pool);
  writer(program, program.seed.has_value());
  if (program.seed) writer.symbol(*program.seed);
  writer(numbers);
  tensors.write_types(writer.bytes());
  ByteWriter body;
  body.text(build);
  body.block(writer.take_table());
  body.bytes(writer.bytes().take());
  return framed(kProgramFile, body.take(), tensors);
}

Program read_program_file(std::span<const std::byte> bytes,
                          const std::shared_ptr<const void>& keeper, std::string_view build) {
  const FileParts parts = unframed(kProgramFile, bytes);
  ByteReader in(parts.body, kWhat);
  const std::string made_by(in.text());
  require(made_by == build, ErrorCode::unsupported,
          "a compiled program must be made by this build; compile it again:", made_by, "instead of",
          build);
  ByteReader table_bytes(in.block(), kWhat);
  const ExprTable table(table_bytes);
  require(table_bytes.at_end(), ErrorCode::corrupt, kWhat, "must end its expressions");
  FieldReader reader(in, table);
  Program program;
  program.symbols = table.pool();
  bool has_seed = false;
  std::vector<int64_t> numbers;
  reader(program, has_seed);
  if (has_seed) reader.symbol(program.seed.emplace());
  reader(numbers);
  std::vector<Tensor> weights = read_tensor_table(in, parts.data, keeper);
  require(in.at_end() && numbers.size() == program.signature.inputs.size() &&
              program.packed.size() <= weights.size(),
          ErrorCode::corrupt, kWhat, "must end with its weights");
  const size_t first_packed = weights.size() - program.packed.size();
  for (size_t i = 0; i < program.packed.size(); ++i) {
    program.packed[i].data = weights[first_packed + i];
  }
  weights.resize(first_packed);
  for (size_t i = 0; i < numbers.size(); ++i) {
    require(numbers[i] >= -1 && numbers[i] < static_cast<int64_t>(weights.size()),
            ErrorCode::corrupt, kWhat, "must hold the data of its inputs:", numbers[i]);
    if (numbers[i] < 0) continue;
    program.signature.inputs[i].data = weights[static_cast<size_t>(numbers[i])];
  }
  require_sound(program);
  return program;
}

}  // namespace litz::artifact
