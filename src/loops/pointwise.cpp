#include "loops/pointwise.h"

#include <algorithm>

#include "support/check.h"

namespace litz::loops {

using loops::Block;
using loops::Index;
using loops::Instr;
using loops::InstrKind;
using loops::Kernel;
using loops::ScalarOp;

namespace {

// The cost of a comparison and a branch that is never taken.
constexpr double kCheckCost = 4;
// The cost from which an operation is not computed twice: that of exp2 and exp, which take longer
// than a load from any cache.
constexpr double kExpensive = 12;

class NestReader {
 public:
  explicit NestReader(const Kernel& kernel) : kernel_(kernel) {}

  std::optional<PointwiseNest> read() {
    if (!read_block(kernel_.body) || nest_.stores.empty()) return std::nullopt;
    for (const Instr* instr : nest_.instrs) {
      if (instr->kind == InstrKind::load && find_store(nest_, instr->buffer) != nullptr) {
        return std::nullopt;  // Reads its own result.
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
        case InstrKind::check:
        case InstrKind::reduce:
        case InstrKind::sort:
        case InstrKind::sort_row:
        case InstrKind::attend:
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
      nest_.cost += loops::cost(instr.op);
      nest_.is_expensive = nest_.is_expensive || is_expensive(instr.op);
      const bool divides = instr.op == ScalarOp::floor_div || instr.op == ScalarOp::trunc_div ||
                           instr.op == ScalarOp::mod || instr.op == ScalarOp::fmod;
      const DType dtype = kernel_.values[static_cast<size_t>(instr.results[0])].dtype;
      nest_.has_check = nest_.has_check || (divides && is_integer(dtype));
    } else if (instr.kind == InstrKind::load) {
      nest_.cost += kLoadCost;
      ++nest_.loads;
    } else if (instr.kind == InstrKind::bound_index) {
      nest_.cost += kCheckCost;
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

bool is_expensive(ScalarOp op) { return loops::cost(op) >= kExpensive; }

double trips(const std::vector<loops::LoopVar>& vars, int64_t unknown) {
  double count = 1;
  for (const loops::LoopVar& var : vars) count *= std::max(estimate(var.extent, unknown), 0.0);
  return count;
}

double inner_trips(const loops::Block& block, int64_t unknown) {
  double most = 1;
  for (const loops::Instr& instr : block.instrs) {
    double own = 1;
    for (const auto& nested : instr.blocks) own = std::max(own, inner_trips(*nested, unknown));
    most = std::max(most, own * trips(instr.vars, unknown));
  }
  return most;
}

}  // namespace litz::loops
