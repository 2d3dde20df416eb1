// The rules of loop IR, checked in one walk: dtypes, arity, scoping, ranks. Each check names the
// instruction that breaks it by kind and results.

#include <set>
#include <string>

#include "loops/instrs.h"
#include "loops/kernel.h"
#include "loops/marks.h"
#include "loops/signature.h"
#include "support/check.h"

namespace litz::loops {
namespace {

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel), defined_(kernel.values.size(), 0) {}

  void run() {
    check(kernel_.pool != nullptr, "a kernel must have an expression pool:", kernel_.name);
    verify_buffers();
    open_scope();
    verify_block(kernel_.body);
    expect(kernel_.body.yields.empty(), "the body of a kernel must yield nothing");
    close_scope();
    verify_marks(kernel_);
  }

 private:
  void expect(bool condition, const char* rule) const {
    if (condition) return;
    std::string where = "kernel @" + kernel_.name;
    if (instr_ != nullptr) {
      where += ", " + describe(*instr_);
    }
    throw InternalError(std::string(rule) + ": " + where);
  }

  static std::string describe(const Instr& instr) {
    std::string text;
    for (const ValueId result : instr.results) text += "%" + std::to_string(result) + " ";
    switch (instr.kind) {
      case InstrKind::constant:
        return text + "constant";
      case InstrKind::index:
        return text + "index";
      case InstrKind::op:
        return text + std::string(name(instr.op));
      case InstrKind::load:
        return text + "load of buffer " + std::to_string(instr.buffer);
      case InstrKind::store:
        return text + "store to buffer " + std::to_string(instr.buffer);
      case InstrKind::bound_index:
        return text + "bound_index";
      case InstrKind::check:
        return text + "check";
      case InstrKind::loop:
        return text + "loop";
      case InstrKind::reduce:
        return text + "reduce " + std::string(name(instr.reduce));
      case InstrKind::sort:
        return text + "sort";
      case InstrKind::sort_row:
        return text + "sort_row";
      case InstrKind::attend:
        return text + "attend";
    }
    return text;
  }

  void verify_buffers() {
    std::set<std::string> names;
    for (const Buffer& buffer : kernel_.buffers) {
      expect(!buffer.name.empty(), "buffers must be named");
      expect(names.insert(buffer.name).second, "names of buffers must differ");
      expect(buffer.type.sizes.size() == buffer.type.strides.size(),
             "a buffer must have as many strides as sizes");
      for (const Sizes* list : {&buffer.type.sizes, &buffer.type.strides}) {
        for (const Expr& size : *list) verify_size(size, "sizes and strides must be integers");
      }
      verify_size(buffer.type.offset, "offsets must be integers");
    }
  }

  // An integer over sizes only.
  void verify_size(Expr size, const char* rule) {
    expect(size.domain() == ExprDomain::integer, rule);
    for (const SymbolId symbol : free_symbols(size)) {
      expect(kernel_.pool->symbol(symbol).kind != SymbolKind::index,
             "sizes, strides and extents must not depend on loop variables");
    }
  }

  // An expression whose loop variables are all in scope.
  void verify_expr(Expr expr) {
    for (const SymbolId symbol : free_symbols(expr)) {
      if (kernel_.pool->symbol(symbol).kind != SymbolKind::index) continue;
      expect(vars_.contains(symbol), "loop variables must be used inside their loop");
    }
  }

  void open_scope() { scopes_.emplace_back(); }

  void close_scope() {
    for (const ValueId value : scopes_.back()) defined_[static_cast<size_t>(value)] = kClosed;
    scopes_.pop_back();
  }

  void define(ValueId value) {
    expect(value >= 0 && static_cast<size_t>(value) < defined_.size(),
           "results must be values of the kernel");
    expect(defined_[static_cast<size_t>(value)] == kNever, "a value must be defined once");
    defined_[static_cast<size_t>(value)] = kVisible;
    scopes_.back().push_back(value);
  }

  DType use(ValueId value) const {
    expect(value >= 0 && static_cast<size_t>(value) < defined_.size(),
           "operands must be values of the kernel");
    expect(defined_[static_cast<size_t>(value)] == kVisible,
           "a value must be defined before it is used, in an enclosing block");
    return dtype(value);
  }

  DType dtype(ValueId value) const { return kernel_.values[static_cast<size_t>(value)].dtype; }

  void define_vars(const std::vector<LoopVar>& vars) {
    for (const LoopVar& var : vars) {
      expect(var.symbol.is_symbol() &&
                 kernel_.pool->symbol(var.symbol.symbol()).kind == SymbolKind::index,
             "loop variables must be symbols of kind index");
      expect(names_.insert(kernel_.pool->symbol(var.symbol.symbol()).name).second,
             "nested loops must have variables of different names");
      expect(vars_.insert(var.symbol.symbol()).second,
             "nested loops must have variables of their own");
    }
  }

  void forget_vars(const std::vector<LoopVar>& vars) {
    for (const LoopVar& var : vars) {
      vars_.erase(var.symbol.symbol());
      names_.erase(kernel_.pool->symbol(var.symbol.symbol()).name);
    }
  }

  void verify_extents(const std::vector<LoopVar>& vars) {
    for (const LoopVar& var : vars) verify_size(var.extent, "extents must be integers");
  }

  void verify_block(const Block& block) {
    for (const Instr& instr : block.instrs) {
      instr_ = &instr;
      verify_instr(instr);
      instr_ = &instr;
      for (const ValueId result : instr.results) define(result);
    }
  }

  void verify_instr(const Instr& instr) {
    switch (instr.kind) {
      case InstrKind::constant:
        return verify_constant(instr);
      case InstrKind::index:
        expect(instr.results.size() == 1, "an instruction must have one result");
        return verify_expr(instr.expr);
      case InstrKind::op:
        return verify_op(instr);
      case InstrKind::load:
        return verify_load(instr);
      case InstrKind::store:
        return verify_store(instr);
      case InstrKind::bound_index:
        return verify_bound_index(instr);
      case InstrKind::check:
        return verify_check(instr);
      case InstrKind::loop:
        return verify_loop(instr);
      case InstrKind::reduce:
        return verify_reduce(instr);
      case InstrKind::sort:
        return verify_sort(instr);
      case InstrKind::sort_row:
        return verify_sort_row(instr);
      case InstrKind::attend:
        return verify_attend(instr);
    }
  }

  DType only_result(const Instr& instr) const {
    expect(instr.results.size() == 1, "an instruction must have one result");
    const ValueId result = instr.results[0];
    expect(result >= 0 && static_cast<size_t>(result) < defined_.size(),
           "results must be values of the kernel");
    return dtype(result);
  }

  void verify_constant(const Instr& instr) {
    const DType result = only_result(instr);
    if (is_complex(result)) {
      expect(std::holds_alternative<std::complex<double>>(instr.literal),
             "a complex constant must have a complex literal");
    } else if (is_floating(result)) {
      expect(std::holds_alternative<double>(instr.literal),
             "a floating constant must have a floating literal");
    } else {
      expect(std::holds_alternative<int64_t>(instr.literal),
             "an integer or bool constant must have an integer literal");
    }
  }

  void verify_op(const Instr& instr) {
    const DType target = only_result(instr);
    std::vector<DType> operands;
    for (const ValueId operand : instr.operands) operands.push_back(use(operand));
    expect(operands.size() == static_cast<size_t>(arity(instr.op)),
           "an operation must have as many operands as its arity");
    const auto result = result_dtype(instr.op, operands, target);
    expect(result.has_value(), "an operation must exist for the dtypes of its operands");
    expect(*result == target, "the dtype of a result must follow from the operands");
  }

  const Buffer& verify_access(const Instr& instr) {
    expect(instr.buffer >= 0 && static_cast<size_t>(instr.buffer) < kernel_.buffers.size(),
           "an access must name a buffer of the kernel");
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(instr.buffer)];
    if (!instr.strides.empty()) {
      verify_strides(instr);
    } else {
      expect(instr.indices.size() == buffer.type.rank(),
             "an access must have as many indices as the buffer has dimensions");
    }
    for (const Index& index : instr.indices) {
      if (const auto* expr = std::get_if<Expr>(&index)) {
        expect(expr->domain() == ExprDomain::integer, "indices must be integers");
        verify_expr(*expr);
      } else {
        expect(use(std::get<ValueId>(index)) == DType::i64, "computed indices must be i64");
      }
    }
    if (instr.predicate != kNoValue) {
      expect(use(instr.predicate) == DType::bool_, "predicates must be bool");
    }
    return buffer;
  }

  void verify_strides(const Instr& instr) {
    expect(instr.strides.size() == instr.indices.size(),
           "a flat access must have a stride for each index");
    expect(std::holds_alternative<Expr>(instr.indices[0]) && instr.strides[0].is(1),
           "a flat access must have its offset first");
    for (size_t i = 1; i < instr.indices.size(); ++i) {
      expect(std::holds_alternative<ValueId>(instr.indices[i]),
             "a flat access must have computed indices behind its offset");
      verify_size(instr.strides[i], "strides must be integers");
    }
  }

  void verify_load(const Instr& instr) {
    const Buffer& buffer = verify_access(instr);
    expect(only_result(instr) == buffer.type.dtype, "a load must have the dtype of its buffer");
    expect((instr.predicate == kNoValue) == (instr.other == kNoValue),
           "a load must have an other value exactly when it has a predicate");
    if (instr.other != kNoValue) {
      expect(use(instr.other) == buffer.type.dtype,
             "the other value of a load must have the dtype of its buffer");
    }
  }

  void verify_store(const Instr& instr) {
    const Buffer& buffer = verify_access(instr);
    expect(instr.results.empty(), "a store must have no result");
    expect(buffer.role != BufferRole::input, "inputs must not be stored to");
    expect(reduce_depth_ == 0 || keeps_row(instr), "reductions and sort keys must not store");
    expect(instr.operands.size() == 1, "a store must have one value");
    expect(use(instr.operands[0]) == buffer.type.dtype,
           "a stored value must have the dtype of its buffer");
    expect(has_store_mode(instr.mode, buffer.type.dtype),
           "a store mode must exist for the dtype of its buffer");
    expect(!instr.flag || is_order_free(instr.mode, buffer.type.dtype),
           "a store in any order must give the same in every order");
  }

  // True if the store writes a row for the next loop, as schedules do: once per iteration.
  bool keeps_row(const Instr& store) const {
    const bool is_flat = store.strides.size() == 1;
    const BufferRole role = kernel_.buffers[static_cast<size_t>(store.buffer)].role;
    return role == BufferRole::scratch && is_flat && store.mode == StoreMode::assign &&
           store.predicate == kNoValue;
  }

  void verify_bound_index(const Instr& instr) {
    expect(only_result(instr) == DType::i64, "a bound index must be i64");
    expect(instr.operands.size() == 1 && use(instr.operands[0]) == DType::i64,
           "a bound index must have one i64 operand");
    expect(instr.expr.domain() == ExprDomain::integer, "the extent of an index must be an integer");
    verify_expr(instr.expr);
  }

  void verify_check(const Instr& instr) {
    expect(instr.results.empty(), "a check must have no result");
    expect(instr.operands.size() == 1 && use(instr.operands[0]) == DType::bool_,
           "a check must have one bool");
  }

  void verify_tuple(const Instr& instr, const std::vector<ValueId>& values,
                    const char* rule) const {
    for (size_t i = 0; i < values.size(); ++i) {
      verify_id(values[i]);
      expect(dtype(values[i]) == dtype(instr.operands[i % instr.operands.size()]), rule);
    }
  }

  void verify_yields(const Instr& instr, const Block& block) {
    instr_ = &instr;
    expect(block.yields.size() == instr.operands.size(),
           "elements and combinations must be tuples like the first");
    for (const ValueId value : block.yields) use(value);
    verify_tuple(instr, block.yields, "elements and combinations must be tuples like the first");
  }

  // Elements may use the iteration; combinations must not, since they may run for any.
  void verify_combining(const Instr& instr) {
    const size_t count = instr.operands.size();
    const bool is_scan = instr.blocks.size() == 3;
    expect(instr.blocks.size() <= 3 && count > 0, "a loop must have one block, or combine tuples");
    expect(instr.vars.size() == 1, "a loop that combines must have one variable");
    expect(instr.results.size() == count && instr.carried.size() == (is_scan ? 3 : 2) * count,
           "a loop that combines must name what each block sees");
    verify_extents(instr.vars);
    for (const ValueId value : instr.operands) use(value);
    verify_tuple(instr, instr.results, "a combined value must keep its dtype");
    verify_tuple(instr, instr.carried, "a combined value must keep its dtype");
    ++reduce_depth_;
    open_scope();
    define_vars(instr.vars);
    verify_block(*instr.blocks[0]);
    verify_yields(instr, *instr.blocks[0]);
    forget_vars(instr.vars);
    close_scope();
    open_scope();
    for (size_t i = 0; i < 2 * count; ++i) define(instr.carried[i]);
    verify_block(*instr.blocks[1]);
    verify_yields(instr, *instr.blocks[1]);
    close_scope();
    --reduce_depth_;
    if (!is_scan) return;
    open_scope();
    define_vars(instr.vars);
    for (size_t i = 2 * count; i < 3 * count; ++i) define(instr.carried[i]);
    verify_block(*instr.blocks[2]);
    instr_ = &instr;
    expect(instr.blocks[2]->yields.empty(), "the last block of a scan must yield nothing");
    forget_vars(instr.vars);
    close_scope();
  }

  void verify_loop(const Instr& instr) {
    if (is_combining(instr)) return verify_combining(instr);
    expect(instr.blocks.size() == 1, "a loop must have one block");
    expect(!instr.vars.empty(), "a loop must have a variable");
    verify_extents(instr.vars);
    const size_t carried = instr.carried.size();
    expect(carried == 0 || instr.vars.size() == 1, "a loop that carries must have one variable");
    expect(instr.operands.size() == carried && instr.results.size() == carried,
           "a loop must have one initial value and one result per carried value");
    for (size_t i = 0; i < carried; ++i) {
      const DType initial = use(instr.operands[i]);
      verify_id(instr.carried[i]);
      verify_id(instr.results[i]);
      expect(dtype(instr.carried[i]) == initial && dtype(instr.results[i]) == initial,
             "a carried value must keep its dtype");
    }
    open_scope();
    define_vars(instr.vars);
    for (const ValueId value : instr.carried) define(value);
    const Block& block = *instr.blocks[0];
    verify_block(block);
    instr_ = &instr;
    expect(block.yields.size() == carried, "a loop must yield one value per carried value");
    for (size_t i = 0; i < carried; ++i) {
      expect(use(block.yields[i]) == dtype(instr.carried[i]),
             "a carried value must keep its dtype");
    }
    forget_vars(instr.vars);
    close_scope();
  }

  void verify_id(ValueId value) const {
    expect(value >= 0 && static_cast<size_t>(value) < defined_.size(),
           "results must be values of the kernel");
  }

  void verify_reduce(const Instr& instr) {
    expect(instr.blocks.size() == 1, "a reduction must have one block");
    expect(!instr.vars.empty(), "a reduction must have a variable");
    verify_extents(instr.vars);
    open_scope();
    define_vars(instr.vars);
    ++reduce_depth_;
    const Block& block = *instr.blocks[0];
    verify_block(block);
    --reduce_depth_;
    instr_ = &instr;
    expect(block.yields.size() == 1, "a reduction must yield one value");
    if (instr.marks.mean_of != kNoValue) use(instr.marks.mean_of);
    const auto result = reduced_dtype(instr.reduce, use(block.yields[0]));
    expect(result.has_value(), "a reduction must exist for the dtype of its values");
    expect(!instr.flag || has_limit(instr.reduce, dtype(block.yields[0])),
           "a reduction that may be empty must have a limit");
    expect(instr.results.size() == static_cast<size_t>(result_count(instr.reduce)),
           "a reduction must have as many results as its kind");
    for (const ValueId value : instr.results) {
      verify_id(value);
      expect(dtype(value) == *result, "the dtype of a result must follow from the operands");
    }
    forget_vars(instr.vars);
    close_scope();
  }

  void verify_sort(const Instr& instr) {
    expect(instr.blocks.size() == 2, "a sort must have two blocks");
    expect(instr.vars.size() == 1, "a sort must have one variable");
    expect(instr.results.empty(), "a sort must have no result");
    expect(reduce_depth_ == 0, "reductions and sort keys must not sort");
    expect(instr.carried.size() == 2, "a sort must have a value and a position");
    verify_extents(instr.vars);
    verify_extents({instr.position});
    open_scope();
    define_vars(instr.vars);
    ++reduce_depth_;
    verify_block(*instr.blocks[0]);
    --reduce_depth_;
    instr_ = &instr;
    expect(instr.blocks[0]->yields.size() == 1, "a sort must yield one key");
    const DType key = use(instr.blocks[0]->yields[0]);
    expect(is_sortable(key), "sort keys must be ordered");
    forget_vars(instr.vars);
    close_scope();
    open_scope();
    define_vars({instr.position});
    verify_id(instr.carried[0]);
    verify_id(instr.carried[1]);
    expect(dtype(instr.carried[0]) == key && dtype(instr.carried[1]) == DType::i64,
           "a sort must give keys of the dtype it got, and i64 positions");
    for (const ValueId value : instr.carried) define(value);
    verify_block(*instr.blocks[1]);
    instr_ = &instr;
    expect(instr.blocks[1]->yields.empty(), "the second block of a sort must yield nothing");
    forget_vars({instr.position});
    close_scope();
  }

  const Buffer& row_of(BufferId id) const {
    expect(id >= 0 && static_cast<size_t>(id) < kernel_.buffers.size(),
           "an access must name a buffer of the kernel");
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(id)];
    expect(buffer.role != BufferRole::input, "inputs must not be stored to");
    expect(buffer.type.rank() == 1 && buffer.type.strides[0].is(1) && buffer.type.offset.is(0),
           "a row must be a dense buffer of one dimension");
    return buffer;
  }

  void verify_sort_row(const Instr& instr) {
    expect(instr.results.empty(), "a sort must have no result");
    expect(reduce_depth_ == 0, "reductions and sort keys must not sort");
    const Buffer& keys = row_of(instr.buffer);
    expect(is_sortable(keys.type.dtype), "sort keys must be ordered");
    const Buffer& origins = row_of(instr.origins);
    expect(origins.type.dtype == DType::i64, "origins of sorted elements must be i64");
    verify_size(instr.expr, "extents must be integers");
    verify_size(instr.position.extent, "extents must be integers");
    expect(!known_not_equal(instr.expr, keys.type.sizes[0]) &&
               !known_not_equal(instr.position.extent, origins.type.sizes[0]),
           "a sorted row must have the size of its buffers");
  }

  const TensorType& whole(BufferId id) const {
    expect(id >= 0 && static_cast<size_t>(id) < kernel_.buffers.size(),
           "an access must name a buffer of the kernel");
    return kernel_.buffers[static_cast<size_t>(id)].type;
  }

  void verify_attend(const Instr& instr) {
    const Attend& used = instr.attend;
    expect(instr.results.empty(), "attention must have no result");
    expect(scopes_.size() == 1, "attention must not be in a loop");
    expect(std::holds_alternative<double>(instr.literal), "attention must have a real scale");
    const TensorType& query = whole(used.query);
    const TensorType& key = whole(used.key);
    const TensorType& value = whole(used.value);
    const TensorType& result = whole(used.result);
    const size_t rank = result.rank();
    expect(rank >= 2 && query.rank() == rank && key.rank() == rank && value.rank() == rank,
           "buffers of attention must have one rank of at least 2");
    const auto is_written = kernel_.buffers[static_cast<size_t>(used.result)].role;
    expect(is_written == BufferRole::output, "attention must write an output");
    expect(is_floating(query.dtype) && key.dtype == query.dtype && value.dtype == query.dtype &&
               result.dtype == query.dtype,
           "buffers of attention must have one floating dtype");
    const auto expect_matrix = [&](const TensorType& type, Expr rows, Expr columns) {
      for (size_t i = 0; i + 2 < rank; ++i) {
        expect(!known_not_equal(type.sizes[i], result.sizes[i]), "attention must have one batch");
      }
      expect(!known_not_equal(type.sizes[rank - 2], rows) &&
                 !known_not_equal(type.sizes[rank - 1], columns),
             "matrices of attention must fit each other");
    };
    const Expr rows = result.sizes[rank - 2];
    const Expr keys = key.sizes[rank - 2];
    expect_matrix(query, rows, key.sizes[rank - 1]);
    expect_matrix(key, keys, key.sizes[rank - 1]);
    expect_matrix(value, keys, result.sizes[rank - 1]);
    if (used.mask < 0) return;
    expect(!used.is_causal, "causal attention must have no mask");
    const TensorType& mask = whole(used.mask);
    const DType sums = query.dtype == DType::f64 ? DType::f64 : DType::f32;
    expect(mask.rank() == rank && (mask.dtype == DType::bool_ || mask.dtype == sums),
           "the mask of attention must be of bool or of the dtype of sums");
    expect_matrix(mask, rows, keys);
  }

  enum State : char { kNever, kVisible, kClosed };

  const Kernel& kernel_;
  std::vector<char> defined_;
  std::vector<std::vector<ValueId>> scopes_;
  std::set<SymbolId> vars_;
  std::set<std::string> names_;  ///< Names of the variables.
  int reduce_depth_ = 0;
  const Instr* instr_ = nullptr;
};

}  // namespace

void verify(const Kernel& kernel) { Verifier(kernel).run(); }

}  // namespace litz::loops
