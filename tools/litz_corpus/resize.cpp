#include "litz_corpus/resize.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "expr/guard.h"
#include "import/import.h"
#include "litz_corpus/judge.h"
#include "ops/op_table.h"
#include "support/check.h"
#include "types/fill.h"

namespace litz::corpus {
namespace {

using compiler::Executable;
using compiler::Leaf;
using NamedSizes = std::map<std::string, int64_t>;

constexpr int kSizesToTry = 3;

ir::Program import_with(const RecordedProgram& recorded, NamedSizes fixed) {
  const WeightRecipe recipe(recorded);
  import_::ImportOptions options;
  options.weights = [&](const std::string& entry, size_t bytes) {
    return recipe.fill(entry, bytes);
  };
  options.fixed_sizes = std::move(fixed);
  return import_::import_program(recorded.archive, ops::standard_ops(), options);
}

// The symbols of user inputs' sizes.
std::vector<SymbolId> input_symbols(const ir::Program& program) {
  std::vector<SymbolId> symbols;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (program.inputs[i].kind != ir::InputKind::user) continue;
    const auto* type = std::get_if<TensorType>(&program.graph().input(i).type());
    if (type == nullptr) continue;
    for (const Expr size : type->sizes) {
      for (const SymbolId id : free_symbols(size)) symbols.push_back(id);
    }
  }
  std::ranges::sort(symbols);
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  return symbols;
}

// Attempt k moves symbol j from its example value by a different amount, within its range.
int64_t other_size(const SymbolInfo& symbol, int attempt, size_t j) {
  constexpr std::array kMoves{1, -1, 2, 3, 5, -2, 8, 16, 7, 4, 12, 6};
  const int64_t example = symbol.hint.value_or(4);
  const int64_t move = kMoves[(static_cast<size_t>(attempt) + j) % kMoves.size()];
  return std::clamp(example + move, std::max<int64_t>(symbol.range.lo, 2), symbol.range.hi);
}

// Inputs of the sizes, integers below the largest recorded one.
std::vector<Leaf> inputs_of_size(const ir::Program& program, const RecordedCall& call,
                                 const Bindings& bindings) {
  std::vector<Leaf> leaves;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (program.inputs[i].kind != ir::InputKind::user) continue;
    const auto* type = std::get_if<TensorType>(&program.graph().input(i).type());
    require(type != nullptr, ErrorCode::unsupported, "only tensor inputs can be resized");
    const std::vector<int64_t> sizes = evaluate(type->sizes, bindings);
    const size_t k = leaves.size();
    if (is_floating(type->dtype)) {
      leaves.emplace_back(fill_floats(type->dtype, sizes, 77 + k, 1, 0));
      continue;
    }
    int64_t high = 1;
    if (k < call.inputs.size() && call.inputs[k].defined()) {
      const Tensor given = call.inputs[k].to(DType::i64).contiguous();
      const auto* values = reinterpret_cast<const int64_t*>(given.data());
      for (int64_t e = 0; e < given.numel(); ++e) high = std::max(high, values[e]);
    }
    leaves.emplace_back(fill_integers(type->dtype, sizes, 77 + k, static_cast<uint64_t>(high) + 1));
  }
  return leaves;
}

std::string describe(const NamedSizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes) {
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(size);
  }
  return text;
}

std::vector<Leaf> copies(const std::vector<Leaf>& leaves) {
  std::vector<Leaf> result = leaves;
  for (Leaf& leaf : result) {
    if (auto* tensor = std::get_if<Tensor>(&leaf)) *tensor = tensor->clone(tensor->strides());
  }
  return result;
}

void compare_outputs(const std::vector<Leaf>& dynamic, const std::vector<Leaf>& fixed,
                     const std::string& where, Verdict& verdict) {
  require(dynamic.size() == fixed.size(), ErrorCode::internal,
          "a program returns as many results at every size");
  for (size_t i = 0; i < dynamic.size(); ++i) {
    const auto* actual = std::get_if<Tensor>(&dynamic[i]);
    const auto* expected = std::get_if<Tensor>(&fixed[i]);
    if (actual == nullptr || expected == nullptr) continue;
    const Judgement judgement = judge(*actual, {.values = *expected}, {});
    verdict.error = std::max(verdict.error, judgement.error);
    if (judgement.right || verdict.outcome == Outcome::wrong) continue;
    verdict.outcome = Outcome::wrong;
    verdict.reason = where + ", output " + std::to_string(i) + ": " + judgement.reason;
  }
}

void run_sizes(const RecordedProgram& recorded, const compiler::Options& options,
               Verdict& verdict) {
  ir::Program program = import_with(recorded, {});
  const std::vector<SymbolId> symbols = input_symbols(program);
  if (symbols.empty()) return;
  const RecordedCall call = load_runs(recorded).front().calls.front();
  Executable dynamic(std::move(program), options);
  const ir::Program& ours = *dynamic.program();
  std::vector<NamedSizes> tried;
  constexpr int kMostAttempts = 24;
  int done = 0;
  for (int attempt = 0; attempt < kMostAttempts && done < kSizesToTry; ++attempt) {
    NamedSizes sizes;
    Bindings bindings;
    for (size_t j = 0; j < symbols.size(); ++j) {
      const SymbolInfo& info = ours.module->exprs().symbol(symbols[j]);
      sizes[info.name] = other_size(info, attempt, j);
      bindings.set(symbols[j], sizes[info.name]);
    }
    if (std::ranges::find(tried, sizes) != tried.end()) continue;
    tried.push_back(sizes);
    try {
      check_guards(ours.guards, bindings);
    } catch (const Error&) {
      continue;  // The program does not allow these sizes together.
    }
    const std::vector<Leaf> inputs = inputs_of_size(ours, call, bindings);
    Executable fixed(import_with(recorded, sizes), options);
    compare_outputs(dynamic.run(copies(inputs)), fixed.run(copies(inputs)), describe(sizes),
                    verdict);
    ++done;
  }
  require(done > 0, ErrorCode::unsupported, "no other sizes meet the program's guards");
}

}  // namespace

Verdict run_at_other_sizes(const RecordedProgram& recorded, const compiler::Options& options) {
  Verdict verdict;
  const auto start = std::chrono::steady_clock::now();
  try {
    run_sizes(recorded, options, verdict);
  } catch (const InternalError& error) {
    verdict.outcome = Outcome::crashed;
    verdict.reason = error.what();
  } catch (const Error& error) {
    verdict.outcome = Outcome::refused;
    verdict.reason = error.what();
  } catch (const std::exception& error) {
    verdict.outcome = Outcome::crashed;
    verdict.reason = error.what();
  }
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return verdict;
}

}  // namespace litz::corpus
