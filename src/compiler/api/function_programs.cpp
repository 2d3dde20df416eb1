#include <algorithm>
#include <sstream>

#include "compiler/api/traced_program.h"
#include "support/check.h"
#include "support/text.h"

// After the library's own names.
#include "compiler/api/function_programs.h"

namespace litz {
inline namespace v1 {
namespace {

/// The symbols get the sizes that they stand for; other sizes and strides must then be as they say.
class TypeMatch {
 public:
  bool matches(const TensorType& type, const OwnTensor& tensor) {
    for (size_t d = 0; d < type.rank(); ++d) {
      if (!matches(type.sizes[d], tensor.sizes()[d])) return false;
    }
    // Strides are formulas of sizes that are known by now.
    for (size_t d = 0; d < type.rank(); ++d) {
      if (!matches(type.strides[d], tensor.strides()[d])) return false;
    }
    return true;
  }

  const Bindings& sizes() const { return sizes_; }

 private:
  bool matches(Expr expected, int64_t number) {
    if (expected.is_constant()) return expected.constant() == number;
    if (expected.is_symbol() && !sizes_.find(expected.symbol())) {
      if (number < bounds(expected).lo) return false;
      sizes_.set(expected.symbol(), number);
      return true;
    }
    return evaluate(expected, sizes_) == number;
  }

  Bindings sizes_;
};

/// A condition that cannot be computed for these sizes does not hold.
bool holds(const Guard& guard, const Bindings& sizes) {
  try {
    return evaluate_boolean(guard.condition, sizes);
  } catch (const OwnError&) {
    return false;
  }
}

std::vector<std::vector<bool>> flags(const std::vector<size_t>& ranks) {
  std::vector<std::vector<bool>> result;
  result.reserve(ranks.size());
  for (const size_t rank : ranks) result.emplace_back(rank);
  return result;
}

bool is_marked(uint64_t marks, size_t dim) { return dim < 64 && ((marks >> dim) & 1) != 0; }

}  // namespace

CallKind::CallKind(std::span<const Tensor> tensors, std::vector<size_t> their_firsts,
                   std::string_view their_values)
    : values(their_values), firsts(std::move(their_firsts)) {
  for (const Tensor& tensor : tensors) {
    dtypes.push_back(TensorAccess::own(tensor).dtype());
    devices.push_back(TensorAccess::own(tensor).device());
    ranks.push_back(TensorAccess::own(tensor).rank());
  }
}

std::optional<Bindings> FunctionProgram::fit(std::span<const Tensor> tensors) const {
  TypeMatch match;
  for (size_t i = 0; i < types.size(); ++i) {
    if (!match.matches(types[i], TensorAccess::own(tensors[i]))) return std::nullopt;
  }
  const bool fits =
      std::ranges::all_of(guards, [&](const Guard& guard) { return holds(guard, match.sizes()); });
  return fits ? std::optional(match.sizes()) : std::nullopt;
}

std::string FunctionProgram::misfit(std::span<const Tensor> tensors) const {
  TypeMatch match;
  for (size_t i = 0; i < types.size(); ++i) {
    const OwnTensor& tensor = TensorAccess::own(tensors[i]);
    if (match.matches(types[i], tensor)) continue;
    std::ostringstream text;
    text << "tensor " << i << " is [" << join(tensor.sizes(), ", ") << "] with strides ["
         << join(tensor.strides(), ", ") << "], the program is for " << types[i];
    return text.str();
  }
  for (const Guard& guard : guards) {
    if (!holds(guard, match.sizes())) return "the program needs " + guard.text;
  }
  return "";
}

FunctionReport::Program FunctionProgram::report() const {
  FunctionReport::Program report;
  std::vector<std::string> arguments;
  for (const TensorType& type : types) arguments.push_back(litz::to_string(type));
  report.arguments = join(arguments, ", ");
  for (const Guard& guard : guards) report.guards.push_back(guard.text);
  report.captured = captured.size();
  report.calls = calls;
  return report;
}

CallFamily::CallFamily(CallKind its_kind, std::span<const Tensor> tensors, DynamicSizes mode)
    : kind(std::move(its_kind)), dynamic(flags(kind.ranks)), fixed(flags(kind.ranks)) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    first_sizes.push_back(TensorAccess::own(tensors[i]).sizes());
    const SizeMarks marks = TensorAccess::marks(tensors[i]);
    for (size_t d = 0; d < dynamic[i].size(); ++d) {
      dynamic[i][d] = mode == DynamicSizes::always;
      fixed[i][d] = is_marked(marks.fixed, d);
    }
  }
}

void CallFamily::note_sizes(std::span<const Tensor> tensors, DynamicSizes mode) {
  if (mode == DynamicSizes::never) return;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::vector<int64_t>& sizes = TensorAccess::own(tensors[i]).sizes();
    const SizeMarks marks = TensorAccess::marks(tensors[i]);
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] != first_sizes[i][d] || is_marked(marks.dynamic, d)) dynamic[i][d] = true;
    }
  }
}

bool CallFamily::is_dynamic() const {
  for (size_t i = 0; i < dynamic.size(); ++i) {
    const std::vector<bool> open = open_sizes(i);
    if (std::ranges::find(open, true) != open.end()) return true;
  }
  return false;
}

std::vector<bool> CallFamily::open_sizes(size_t tensor) const {
  std::vector<bool> open = dynamic[tensor];
  for (size_t d = 0; d < open.size(); ++d) open[d] = open[d] && !fixed[tensor][d];
  return open;
}

bool CallFamily::fix(const std::vector<int64_t>& sizes, std::span<const Tensor> tensors) {
  bool was_open = false;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const OwnTensor& tensor = TensorAccess::own(tensors[i]);
    const std::vector<bool> open = open_sizes(i);
    for (size_t d = 0; d < open.size(); ++d) {
      if (!open[d] || std::ranges::find(sizes, tensor.sizes()[d]) == sizes.end()) continue;
      require(!is_marked(TensorAccess::marks(tensors[i]).dynamic, d),
              OwnErrorCode::invalid_argument, "size", d, "of tensor", i,
              "is marked as dynamic, but the function needs it to be", tensor.sizes()[d]);
      fixed[i][d] = true;
      was_open = true;
    }
  }
  return was_open;
}

void CallFamily::fix_all(std::string why) {
  why_fixed = std::move(why);
  for (std::vector<bool>& dims : fixed) dims.assign(dims.size(), true);
}

std::string CallFamily::text() const {
  std::vector<std::string> arguments;
  for (size_t i = 0; i < first_sizes.size(); ++i) {
    arguments.push_back(std::string(name(kind.dtypes[i])) + "[" + join(first_sizes[i], ", ") + "]");
  }
  return join(arguments, ", ");
}

}  // namespace v1
}  // namespace litz
