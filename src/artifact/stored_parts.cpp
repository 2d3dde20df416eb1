#include "artifact/stored_parts.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "support/check.h"

namespace litz::artifact {
namespace {

constexpr const char* kWhat = "a stored program";

void check_code(const Program& program) {
  for (const KernelCode& kernel : program.kernels) {
    for (const KernelPhase& phase : kernel.phases) {
      require(can_run(phase), ErrorCode::corrupt, kWhat,
              "must hold phases that can run:", phase.symbol);
    }
    require(kernel.digest == digest_of(kernel, *program.symbols), ErrorCode::corrupt, kWhat,
            "must describe its code as the code was made:", kernel.name);
  }
  for (const Program& part : program.parts) check_code(part);
}

/// Calls whose symbols are equal share what is bound to them.
void check_symbols(const Program& program) {
  for (const LaunchList& list : program.lists) {
    for (const SymbolId symbol : symbols_of(list, program.kernels)) {
      require(symbol == program.seed || std::ranges::count(list.symbols, symbol) > 0,
              ErrorCode::corrupt, kWhat, "must name the symbols that a list depends on:", list.name,
              program.symbols->symbol(symbol).name);
    }
  }
  for (const Program& part : program.parts) check_symbols(part);
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

std::vector<Tensor> all_tensors(const Program& program) {
  std::vector<Tensor> tensors = weights_of(program).tensors;
  for (const Program& part : program.parts) {
    for (Tensor& tensor : weights_of(part).tensors) tensors.push_back(std::move(tensor));
  }
  return tensors;
}

namespace {

/// The next tensors of a list, as many as the program has.
StoredWeights take_weights(const Program& program, std::vector<int64_t> numbers,
                           std::span<const Tensor>& tensors) {
  const bool are_numbers = std::ranges::all_of(numbers, [](int64_t n) { return n >= -1; });
  const int64_t last = numbers.empty() ? -1 : *std::ranges::max_element(numbers);
  require(are_numbers && last < std::ssize(tensors) &&
              program.packed.size() <= tensors.size() - static_cast<size_t>(last + 1),
          ErrorCode::corrupt, kWhat, "must have its weights");
  const size_t count = static_cast<size_t>(last + 1) + program.packed.size();
  const std::span<const Tensor> own = tensors.first(count);
  tensors = tensors.subspan(count);
  return {std::move(numbers), {own.begin(), own.end()}};
}

}  // namespace

void attach_tensors(Program& program, std::vector<std::vector<int64_t>> numbers,
                    std::vector<Tensor> tensors) {
  check(numbers.size() == 1 + program.parts.size(), "every program has numbers:", numbers.size());
  std::span<const Tensor> left(tensors);
  attach_weights(program, take_weights(program, std::move(numbers[0]), left));
  for (size_t i = 0; i < program.parts.size(); ++i) {
    Program& part = program.parts[i];
    attach_weights(part, take_weights(part, std::move(numbers[i + 1]), left));
  }
  require(left.empty(), ErrorCode::corrupt, kWhat,
          "must hold no more than its weights:", left.size());
}

void require_portable(const Program& program) {
  for (const LaunchList& list : program.lists) {
    for (const Launch& launch : list.launches) {
      require(
          !std::holds_alternative<CallLaunch>(launch.work), ErrorCode::unsupported,
          "a program to be saved must have code for everything that it computes:", launch.label);
    }
  }
  for (const Program& part : program.parts) {
    check(part.symbols != nullptr, "a part must own its symbols:", part.name);
    check(part.parts.empty(), "a part of a program must have no parts:", part.name);
    require_portable(part);
  }
}

void require_sound(const Program& program) {
  check_code(program);
  try {
    check_program(program);
  } catch (const Error& error) {
    // Without the notes, which name a place in our code.
    fail(ErrorCode::corrupt, kWhat, "must not contradict itself:", error.message());
  }
  check_symbols(program);
}

void require_build(std::string_view made_by, std::string_view build) {
  require(made_by == build, ErrorCode::unsupported,
          "a compiled program must be made by this build; compile it again:", made_by, "instead of",
          build);
}

}  // namespace litz::artifact
