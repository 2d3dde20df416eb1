#include "artifact/stored_parts.h"

#include <string>
#include <utility>

#include "support/check.h"

namespace litz::artifact {
namespace {

constexpr const char* kWhat = "a stored program";

void check_code(const Program& program) {
  for (const KernelCode& kernel : program.kernels) {
    for (const KernelPhase& phase : kernel.phases) {
      require(phase.iterations.domain() == ExprDomain::integer && phase.grain >= 1 &&
                  phase.cost.domain() == ExprDomain::integer,
              ErrorCode::corrupt, kWhat, "must hold phases that can run:", phase.symbol);
    }
  }
}

}  // namespace

StoredWeights weights_of(const Program& program) {
  StoredWeights weights;
  for (const ProgramInput& input : program.signature.inputs) {
    const bool has_data = input.data.defined();
    weights.numbers.push_back(has_data ? static_cast<int64_t>(weights.tensors.size()) : -1);
    if (has_data) weights.tensors.push_back(input.data);
  }
  for (const PackedConstant& packed : program.packed) weights.tensors.push_back(packed.data);
  return weights;
}

void attach_weights(Program& program, StoredWeights weights) {
  std::vector<Tensor>& tensors = weights.tensors;
  require(weights.numbers.size() == program.signature.inputs.size() &&
              program.packed.size() <= tensors.size(),
          ErrorCode::corrupt, kWhat, "must have its weights");
  const size_t first_packed = tensors.size() - program.packed.size();
  for (size_t i = 0; i < program.packed.size(); ++i) {
    program.packed[i].data = tensors[first_packed + i];
  }
  tensors.resize(first_packed);
  for (size_t i = 0; i < weights.numbers.size(); ++i) {
    const int64_t number = weights.numbers[i];
    require(number >= -1 && number < static_cast<int64_t>(tensors.size()), ErrorCode::corrupt,
            kWhat, "must hold the data of its inputs:", number);
    if (number >= 0) program.signature.inputs[i].data = tensors[static_cast<size_t>(number)];
  }
}

void require_portable(const Program& program) {
  for (const LaunchList& list : program.lists) {
    for (const Launch& launch : list.launches) {
      require(
          !std::holds_alternative<CallLaunch>(launch.work), ErrorCode::unsupported,
          "a program to be saved must have code for everything that it computes:", launch.label);
    }
  }
}

void require_sound(const Program& program) {
  check_code(program);
  try {
    check_program(program);
  } catch (const Error& error) {
    fail(ErrorCode::corrupt, kWhat, "must not contradict itself:", error.message());
  }
}

void require_build(std::string_view made_by, std::string_view build) {
  require(made_by == build, ErrorCode::unsupported,
          "a compiled program must be made by this build; compile it again:", made_by, "instead of",
          build);
}

}  // namespace litz::artifact
