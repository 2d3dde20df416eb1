#include "fusion/pointwise.h"

#include <algorithm>

#include "support/check.h"

namespace litz::fusion {

using loops::Block;
using loops::Index;
using loops::Instr;
using loops::InstrKind;
using loops::Kernel;
using loops::ScalarOp;

namespace {

// Instructions that a core issues at full rate count 1.
constexpr double kSimple = 1;
constexpr double kDivision = 4;
constexpr double kElementary = 20;

class NestReader {
 public:
  explicit NestReader(const Kernel& kernel) : kernel_(kernel) {}

  std::optional<PointwiseNest> read() {
    if (!read_block(kernel_.body) || nest_.stores.empty()) return std::nullopt;
    for (const Instr* instr : nest_.instrs) {
      if (instr->kind == InstrKind::load && find_store(nest_, instr->buffer) != nullptr) {
        return std::nullopt;  // Reads what it wrote.
      }
    }
    return std::move(nest_);
  }

 private:
  bool read_block(const Block& block) {
    const Instr* inner = nullptr;
    std::vector<const Instr*> stores;
    for (const Instr& instr : block.instrs) {
      switch (instr.kind) {
        case InstrKind::constant:
        case InstrKind::index:
        case InstrKind::op:
        case InstrKind::load:
        case InstrKind::bound_index:
          add(instr);
          break;
        case InstrKind::store:
          stores.push_back(&instr);
          break;
        case InstrKind::loop:
          if (inner != nullptr || !instr.carried.empty()) return false;
          inner = &instr;
          break;
        case InstrKind::reduce:
        case InstrKind::sort:
        case InstrKind::sort_row:
          return false;
      }
    }
    if (inner != nullptr) {
      if (!stores.empty()) return false;  // Results of different ranks.
      nest_.vars.insert(nest_.vars.end(), inner->vars.begin(), inner->vars.end());
      if (nest_.vars.size() > inner->vars.size()) nest_.outer_cost = nest_.cost;
      return read_block(*inner->blocks[0]);
    }
    return std::ranges::all_of(stores, [&](const Instr* store) { return add_store(*store); });
  }

  void add(const Instr& instr) {
    nest_.instrs.push_back(&instr);
    if (instr.kind == InstrKind::op) {
      nest_.cost += cost_of(instr.op);
      nest_.is_expensive = nest_.is_expensive || is_expensive(instr.op);
      const bool divides = instr.op == ScalarOp::floor_div || instr.op == ScalarOp::trunc_div ||
                           instr.op == ScalarOp::mod || instr.op == ScalarOp::fmod;
      const DType dtype = kernel_.values[static_cast<size_t>(instr.results[0])].dtype;
      nest_.has_check = nest_.has_check || (divides && is_integer(dtype));
    } else if (instr.kind == InstrKind::load) {
      nest_.cost += kLoadCost;
      ++nest_.loads;
    } else if (instr.kind == InstrKind::bound_index) {
      nest_.cost += kDivision;
      nest_.has_check = true;
    }
  }

  bool add_store(const Instr& instr) {
    if (instr.predicate != loops::kNoValue || instr.mode != loops::StoreMode::assign) return false;
    if (find_store(nest_, instr.buffer) != nullptr) return false;
    PointwiseStore store{&instr, instr.buffer, {}};
    std::vector<bool> is_used(nest_.vars.size(), false);
    const TensorType& type = kernel_.buffers[static_cast<size_t>(instr.buffer)].type;
    for (size_t d = 0; d < instr.indices.size(); ++d) {
      const auto* index = std::get_if<Expr>(&instr.indices[d]);
      if (index == nullptr) return false;
      if (index->is(0) && type.sizes[d].is(1)) {
        store.vars.push_back(-1);
        continue;
      }
      const auto var = std::ranges::find(nest_.vars, *index, &loops::LoopVar::symbol);
      if (var == nest_.vars.end() || !(var->extent == type.sizes[d])) return false;
      const auto position = static_cast<size_t>(var - nest_.vars.begin());
      if (is_used[position]) return false;
      is_used[position] = true;
      store.vars.push_back(static_cast<int>(position));
    }
    for (size_t i = 0; i < is_used.size(); ++i) {
      if (!is_used[i] && !nest_.vars[i].extent.is(1)) return false;
    }
    nest_.stores.push_back(std::move(store));
    return true;
  }

  const Kernel& kernel_;
  PointwiseNest nest_;
};

}  // namespace

std::optional<PointwiseNest> pointwise_nest(const Kernel& kernel) {
  return NestReader(kernel).read();
}

const PointwiseStore* find_store(const PointwiseNest& nest, loops::BufferId buffer) {
  const auto found = std::ranges::find(nest.stores, buffer, &PointwiseStore::buffer);
  return found == nest.stores.end() ? nullptr : &*found;
}

double cost_of(ScalarOp op) {
  switch (op) {
    case ScalarOp::div:
    case ScalarOp::floor_div:
    case ScalarOp::trunc_div:
    case ScalarOp::mod:
    case ScalarOp::fmod:
    case ScalarOp::sqrt:
    case ScalarOp::rsqrt:
    case ScalarOp::hypot:
    case ScalarOp::nextafter:
      return kDivision;
    case ScalarOp::exp:
    case ScalarOp::exp2:
    case ScalarOp::expm1:
    case ScalarOp::log:
    case ScalarOp::log2:
    case ScalarOp::log10:
    case ScalarOp::log1p:
    case ScalarOp::pow:
    case ScalarOp::sin:
    case ScalarOp::cos:
    case ScalarOp::tan:
    case ScalarOp::asin:
    case ScalarOp::acos:
    case ScalarOp::atan:
    case ScalarOp::atan2:
    case ScalarOp::sinh:
    case ScalarOp::cosh:
    case ScalarOp::tanh:
    case ScalarOp::asinh:
    case ScalarOp::acosh:
    case ScalarOp::atanh:
    case ScalarOp::erf:
    case ScalarOp::erfc:
    case ScalarOp::erfinv:
    case ScalarOp::lgamma:
    case ScalarOp::digamma:
    case ScalarOp::angle:
    case ScalarOp::philox:
      return kElementary;
    default:
      return kSimple;
  }
}

bool is_expensive(ScalarOp op) { return cost_of(op) >= kElementary; }

double estimate(Expr size) {
  if (const auto whole = size.maybe_constant()) return static_cast<double>(*whole);
  Bindings bindings;
  for (const SymbolId symbol : free_symbols(size)) {
    const SymbolInfo& info = size.pool()->symbol(symbol);
    constexpr int64_t kPlausible = 64;
    const int64_t value = info.hint.value_or(kPlausible);
    bindings.set(symbol, std::clamp(value, info.range.lo, std::max(info.range.lo, info.range.hi)));
  }
  try {
    return static_cast<double>(evaluate(size, bindings));
  } catch (const Error&) {
    return 1;  // Not defined for the guess.
  }
}

double trips(const std::vector<loops::LoopVar>& vars) {
  double count = 1;
  for (const loops::LoopVar& var : vars) count *= std::max(estimate(var.extent), 0.0);
  return count;
}

double inner_trips(const loops::Block& block) {
  double most = 1;
  for (const loops::Instr& instr : block.instrs) {
    double own = 1;
    for (const auto& nested : instr.blocks) own = std::max(own, inner_trips(*nested));
    most = std::max(most, own * trips(instr.vars));
  }
  return most;
}

}  // namespace litz::fusion
