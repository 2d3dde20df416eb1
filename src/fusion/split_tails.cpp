// The last loop of a row kernel becomes a kernel of its own where readers need few of its elements,
// so that those are computed where they are read.
//
//   kernel @log_softmax {                        kernel @log_softmax_rows {
//     for i in 0..8192 {                           for i in 0..8192 {
//       %0 = reduce max j in 0..50304 { ... }        %0 = reduce max j in 0..50304 { ... }
//       %1 = reduce sum k in 0..50304 { ... }        %1 = reduce sum k in 0..50304 { ... }
//       for l in 0..50304 {                 =>       store %row[i], %0
//         %2 = load %x[i, l]                         store %row_1[i], %1
//         store %out[i, l], %2 - %0 - log %1       }
//       }                                        }
//     }                                          kernel @log_softmax {
//   }                                              for i in 0..8192, l in 0..50304 {
//                                                    store %out[i, l], %x[i, l] - %row[i] - log %row_1[i]
//                                                  }
//                                                }
//
// A loss reads one element of each row. Inlining removes the second kernel (inline_producers.cpp).

#include <algorithm>
#include <set>

#include "fusion/instr_writer.h"
#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "loops/instrs.h"
#include "loops/pointwise.h"

namespace litz::fusion {
namespace {

using loops::Block;
using loops::BufferId;
using loops::Instr;
using loops::InstrKind;
using loops::LoopVar;
using loops::ValueId;

/// Readers together evaluate at most this part of the elements.
constexpr double kFewest = 1.0 / 16;
/// Smaller results are not worth another kernel.
constexpr double kLeastElements = 1 << 14;
/// Values of a row that the loop needs.
constexpr size_t kMostRowValues = 4;

/// The loop over rows, if the kernel is one, whose last instruction is the loop over a row.
const Instr* row_loop(const loops::Kernel& kernel) {
  const std::vector<Instr>& body = kernel.body.instrs;
  if (body.size() != 1 || body[0].kind != InstrKind::loop || !body[0].carried.empty()) {
    return nullptr;
  }
  const std::vector<Instr>& inside = body[0].blocks[0]->instrs;
  if (inside.empty() || inside.back().kind != InstrKind::loop || !inside.back().carried.empty()) {
    return nullptr;
  }
  const bool has_reduce = std::ranges::any_of(
      inside, [](const Instr& instr) { return instr.kind == InstrKind::reduce; });
  const bool only_computes = std::all_of(inside.begin(), inside.end() - 1, [](const Instr& instr) {
    return loops::is_pure(instr) || instr.kind == InstrKind::load ||
           instr.kind == InstrKind::reduce;
  });
  return has_reduce && only_computes ? &body[0] : nullptr;
}

class TailSplitter {
 public:
  TailSplitter(PlanGraph& graph, StepId id, const Instr& rows)
      : graph_(graph), id_(id), step_(*graph.kernel(id)), rows_(rows) {}

  bool run() {
    if (graph_.step(id_).results.size() != 1 || !graph_.step(id_).defines.empty()) return false;
    if (!has_few_reads() || !find_row_values()) return false;
    KernelStep tail = make_tail();
    const auto nest = loops::pointwise_nest(tail.kernel);
    if (!nest || !can_inline_everywhere(tail, *nest)) return false;
    Step rows = make_rows();
    step_ = std::move(tail);
    graph_.refresh(id_);
    graph_.insert_before(id_, std::move(rows));
    return true;
  }

 private:
  const Block& inside() const { return *rows_.blocks[0]; }

  const Instr& tail_loop() const { return inside().instrs.back(); }

  Slot result() const { return graph_.step(id_).results[0].slot; }

  bool has_few_reads() const {
    const auto* const type = std::get_if<TensorType>(&graph_.step(id_).results[0].type);
    if (type == nullptr || graph_.is_output(result())) return false;
    const double elements = estimate(type->numel());
    if (elements < kLeastElements) return false;
    double reads = 0;
    for (const StepId reader : graph_.readers(result())) {
      const KernelStep* const kernel = graph_.consuming_kernel(reader);
      if (kernel == nullptr) return false;
      reads += reads_in(*kernel, kernel->kernel.body, 1);
    }
    return reads <= elements * kFewest;
  }

  double reads_in(const KernelStep& reader, const Block& block, double trips) const {
    double reads = 0;
    for (const Instr& instr : block.instrs) {
      const bool is_read = instr.kind == InstrKind::load &&
                           reader.buffers[static_cast<size_t>(instr.buffer)].slot == result();
      if (is_read) reads += trips;
      double inner = trips;
      for (const LoopVar& var : instr.vars) inner *= estimate(var.extent);
      for (const auto& nested : instr.blocks) reads += reads_in(reader, *nested, inner);
    }
    return reads;
  }

  /// Finds what the loop over a row reads of the instructions before it. Literals and expressions are
  /// computed again.
  bool find_row_values() {
    const Block& body = *tail_loop().blocks[0];
    std::set<ValueId> needed;
    for (const Instr& instr : body.instrs) {
      const bool is_known =
          loops::is_pure(instr) || instr.kind == InstrKind::load || instr.kind == InstrKind::store;
      if (!is_known) return false;
      for (const ValueId value : instr.operands) needed.insert(value);
      needed.insert(instr.predicate);
      needed.insert(instr.other);
      for (const loops::Index& index : instr.indices) {
        if (const auto* value = std::get_if<ValueId>(&index)) needed.insert(*value);
      }
    }
    for (const Instr& instr : inside().instrs) {
      for (const ValueId value : instr.results) {
        if (!needed.contains(value)) continue;
        const bool is_literal = instr.kind == InstrKind::constant || instr.kind == InstrKind::index;
        if (is_literal) {
          literals_.push_back(&instr);
        } else {
          row_values_.push_back(value);
        }
      }
    }
    if (row_values_.empty() || row_values_.size() > kMostRowValues) return false;
    Sizes sizes;
    for (const LoopVar& var : rows_.vars) sizes.push_back(var.extent);
    for (const ValueId value : row_values_) {
      types_.push_back(contiguous_type(step_.kernel.values[static_cast<size_t>(value)].dtype, sizes,
                                       step_.kernel.buffers[0].type.device));
      slots_.push_back(graph_.add_slot());
    }
    return true;
  }

  std::vector<Expr> row() const {
    std::vector<Expr> at;
    for (const LoopVar& var : rows_.vars) at.push_back(var.symbol);
    return at;
  }

  BufferId add_buffer(KernelStep& to, size_t value, loops::BufferRole role) const {
    return fusion::add_buffer(to, slots_[value], types_[value], role, "row");
  }

  /// A kernel of one loop over `vars`, which `fill` fills with copies of the step's instructions.
  template <typename Fill>
  KernelStep make_kernel(const std::string& name, std::vector<LoopVar> vars,
                         const Fill& fill) const {
    KernelStep made;
    made.kernel.name = name;
    made.kernel.pool = step_.kernel.pool;
    made.kernel.buffers = step_.kernel.buffers;
    made.buffers = step_.buffers;
    InstrCopier copier(step_.kernel, made.kernel);
    for (size_t i = 0; i < step_.kernel.buffers.size(); ++i) {
      copier.map_buffer(static_cast<BufferId>(i), static_cast<BufferId>(i));
    }
    Instr loop;
    loop.kind = InstrKind::loop;
    loop.vars = std::move(vars);
    loop.blocks.push_back(std::make_unique<Block>());
    fill(made, copier, loop.blocks[0]->instrs);
    made.kernel.body.instrs.push_back(std::move(loop));
    renew_loop_vars(made.kernel);
    rename_loop_vars(made.kernel);
    remove_unused_buffers(made);
    clean_kernel(made);
    return made;
  }

  /// The loop over all rows and what is in a row.
  KernelStep make_tail() const {
    std::vector<LoopVar> vars = rows_.vars;
    vars.insert(vars.end(), tail_loop().vars.begin(), tail_loop().vars.end());
    const auto fill = [&](KernelStep& to, InstrCopier& copier, std::vector<Instr>& out) {
      InstrWriter writer(to.kernel, out);
      for (size_t i = 0; i < row_values_.size(); ++i) {
        const BufferId buffer = add_buffer(to, i, loops::BufferRole::input);
        copier.map(row_values_[i], writer.load(buffer, row()));
      }
      for (const Instr* literal : literals_) copier.copy(*literal, out);
      for (const Instr& instr : tail_loop().blocks[0]->instrs) copier.copy(instr, out);
    };
    return make_kernel(step_.kernel.name, std::move(vars), fill);
  }

  bool can_inline_everywhere(const KernelStep& tail, const loops::PointwiseNest& nest) const {
    return std::ranges::all_of(graph_.readers(result()), [&](StepId reader) {
      return can_inline(tail, nest, *graph_.consuming_kernel(reader));
    });
  }

  /// The instructions before that loop, with stores of the values that it needs.
  Step make_rows() const {
    const auto fill = [&](KernelStep& to, InstrCopier& copier, std::vector<Instr>& out) {
      for (const Instr& instr : inside().instrs) {
        if (&instr != &tail_loop()) copier.copy(instr, out);
      }
      InstrWriter writer(to.kernel, out);
      for (size_t i = 0; i < row_values_.size(); ++i) {
        const BufferId buffer = add_buffer(to, i, loops::BufferRole::output);
        writer.store(buffer, row(), copier.mapped(row_values_[i]));
      }
    };
    Step step;
    step.location = graph_.step(id_).location;
    step.work = make_kernel(step_.kernel.name + "_rows", rows_.vars, fill);
    for (size_t i = 0; i < slots_.size(); ++i) step.results.push_back({slots_[i], types_[i], true});
    return step;
  }

  PlanGraph& graph_;
  StepId id_;
  KernelStep& step_;
  const Instr& rows_;  ///< The loop over rows.
  std::vector<ValueId> row_values_;
  std::vector<const Instr*> literals_;
  std::vector<TensorType> types_;  ///< By row value, as the next one.
  std::vector<Slot> slots_;
};

}  // namespace

bool split_tails(PlanGraph& graph) {
  bool changed = false;
  const std::vector<StepId> order = graph.order();
  for (const StepId id : order) {
    const KernelStep* const kernel = graph.kernel(id);
    const Instr* const rows = kernel != nullptr ? row_loop(kernel->kernel) : nullptr;
    if (rows != nullptr) changed = TailSplitter(graph, id, *rows).run() || changed;
  }
  return changed;
}

}  // namespace litz::fusion
