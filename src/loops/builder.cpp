#include "loops/builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "loops/instr_key.h"
#include "loops/signature.h"
#include "support/check.h"

namespace litz::loops {
// One table per open block, innermost last: values of a block are visible in blocks inside it.
struct KernelBuilder::Interning {
  std::vector<std::unordered_map<std::string, ValueId>> scopes;
};

DType Scalar::dtype() const {
  check(builder_ != nullptr, "a scalar must be built before it is used");
  return builder_->kernel_.values.at(static_cast<size_t>(id_)).dtype;
}

KernelBuilder::KernelBuilder(std::string name, ExprPool& pool)
    : interning_(std::make_unique<Interning>()) {
  kernel_.name = std::move(name);
  kernel_.pool = &pool;
  blocks_.push_back(&kernel_.body);
  interning_->scopes.emplace_back();
}

KernelBuilder::~KernelBuilder() = default;

BufferId KernelBuilder::add_buffer(std::string name, BufferRole role, TensorType type) {
  type.offset = 0;
  kernel_.buffers.push_back({std::move(name), role, std::move(type)});
  return static_cast<BufferId>(kernel_.buffers.size() - 1);
}

BufferId KernelBuilder::input(std::string name, TensorType type) {
  return add_buffer(std::move(name), BufferRole::input, std::move(type));
}

BufferId KernelBuilder::output(std::string name, TensorType type) {
  return add_buffer(std::move(name), BufferRole::output, std::move(type));
}

const TensorType& KernelBuilder::type(BufferId buffer) const {
  return kernel_.buffers.at(static_cast<size_t>(buffer)).type;
}

ValueId KernelBuilder::new_value(DType dtype) {
  kernel_.values.push_back({dtype});
  return static_cast<ValueId>(kernel_.values.size() - 1);
}

void KernelBuilder::append(Instr instr) { blocks_.back()->instrs.push_back(std::move(instr)); }

Scalar KernelBuilder::append_pure(Instr instr, DType dtype) {
  std::string key = instr_key(instr, dtype);
  for (auto scope = interning_->scopes.rbegin(); scope != interning_->scopes.rend(); ++scope) {
    if (const auto found = scope->find(key); found != scope->end()) return {this, found->second};
  }
  const ValueId result = new_value(dtype);
  instr.results = {result};
  append(std::move(instr));
  interning_->scopes.back().emplace(std::move(key), result);
  return {this, result};
}

ValueId KernelBuilder::own(Scalar value) const {
  check(static_cast<bool>(value) && &value.builder() == this,
        "scalars of one kernel must come from its builder:", kernel_.name);
  return value.id();
}

Scalar KernelBuilder::constant(DType dtype, double value) {
  if (is_complex(dtype)) return constant(dtype, std::complex<double>(value));
  Instr instr;
  instr.kind = InstrKind::constant;
  if (is_floating(dtype)) {
    instr.literal = value;
  } else {
    // Beyond 2^63 the conversion itself would be undefined.
    require(std::trunc(value) == value && std::abs(value) < 0x1p63,
            "a constant of integer type must be a whole number:", value);
    return constant(dtype, static_cast<int64_t>(value));
  }
  return append_pure(std::move(instr), dtype);
}

Scalar KernelBuilder::constant(DType dtype, int64_t value) {
  if (is_complex(dtype)) {
    return constant(dtype, std::complex<double>(static_cast<double>(value)));
  }
  if (is_floating(dtype)) return constant(dtype, static_cast<double>(value));
  if (dtype == DType::bool_) {
    require(value == 0 || value == 1, "a constant of type bool must be 0 or 1:", value);
  }
  Instr instr;
  instr.kind = InstrKind::constant;
  instr.literal = value;
  return append_pure(std::move(instr), dtype);
}

Scalar KernelBuilder::constant(DType dtype, std::complex<double> value) {
  if (!is_complex(dtype)) {
    require(value.imag() == 0, "a real constant must have no imaginary part:", value.imag());
    return constant(dtype, value.real());
  }
  Instr instr;
  instr.kind = InstrKind::constant;
  instr.literal = value;
  return append_pure(std::move(instr), dtype);
}

Scalar KernelBuilder::index(Expr value, DType dtype) {
  if (const auto whole = value.maybe_constant(); whole && dtype != DType::bool_) {
    return constant(dtype, *whole);
  }
  Instr instr;
  instr.kind = InstrKind::index;
  instr.expr = value;
  return append_pure(std::move(instr), dtype);
}

Scalar KernelBuilder::op(ScalarOp op, std::span<const Scalar> operands) {
  Instr instr;
  instr.op = op;
  std::vector<DType> dtypes;
  for (const Scalar& operand : operands) {
    instr.operands.push_back(own(operand));
    dtypes.push_back(operand.dtype());
  }
  check(!chooses_dtype(op), "casts and draws must state their dtype:", name(op));
  const auto dtype = result_dtype(op, dtypes, DType::bool_);
  check(dtype.has_value(), "a scalar operation must exist for its operands:", name(op),
        dtypes.empty() ? "" : name(dtypes[0]), dtypes.size() > 1 ? name(dtypes[1]) : "");
  return append_pure(std::move(instr), *dtype);
}

Scalar KernelBuilder::cast(Scalar value, DType dtype) {
  if (value.dtype() == dtype) return value;
  Instr instr;
  instr.op = ScalarOp::cast;
  instr.operands = {own(value)};
  return append_pure(std::move(instr), dtype);
}

Scalar KernelBuilder::bitcast(Scalar value, DType dtype) {
  if (value.dtype() == dtype) return value;
  check(item_size(value.dtype()) == item_size(dtype),
        "a bitcast must keep the width:", name(value.dtype()), name(dtype));
  Instr instr;
  instr.op = ScalarOp::bitcast;
  instr.operands = {own(value)};
  return append_pure(std::move(instr), dtype);
}

Scalar KernelBuilder::philox(Scalar seed, Scalar n, DType dtype) {
  Instr instr;
  instr.op = ScalarOp::philox;
  instr.operands = {own(seed), own(n)};
  return append_pure(std::move(instr), dtype);
}

Scalar KernelBuilder::load(BufferId buffer, const IndexVector& indices) {
  return load_if(Scalar(), buffer, indices, Scalar());
}

Scalar KernelBuilder::load(BufferId buffer, Exprs indices) {
  return load(buffer, IndexVector(indices.begin(), indices.end()));
}

Scalar KernelBuilder::load_if(Scalar predicate, BufferId buffer, const IndexVector& indices,
                              Scalar other) {
  Instr instr;
  instr.kind = InstrKind::load;
  instr.buffer = buffer;
  instr.indices = indices;
  if (predicate) {
    instr.predicate = own(predicate);
    instr.other = own(other);
  }
  const Buffer& source = kernel_.buffers.at(static_cast<size_t>(buffer));
  // Two loads give the same value only if no store can change the buffer.
  if (source.role == BufferRole::input) return append_pure(std::move(instr), source.type.dtype);
  const ValueId result = new_value(source.type.dtype);
  instr.results = {result};
  append(std::move(instr));
  return {this, result};
}

void KernelBuilder::store(BufferId buffer, const IndexVector& indices, Scalar value,
                          StoreMode mode) {
  store_if(Scalar(), buffer, indices, value, mode);
}

void KernelBuilder::store(BufferId buffer, Exprs indices, Scalar value, StoreMode mode) {
  store(buffer, IndexVector(indices.begin(), indices.end()), value, mode);
}

void KernelBuilder::store_if(Scalar predicate, BufferId buffer, const IndexVector& indices,
                             Scalar value, StoreMode mode) {
  Instr instr;
  instr.kind = InstrKind::store;
  instr.buffer = buffer;
  instr.indices = indices;
  instr.operands = {own(value)};
  instr.mode = mode;
  instr.flag = is_order_free(mode, value.dtype());
  if (predicate) instr.predicate = own(predicate);
  append(std::move(instr));
}

Scalar KernelBuilder::bound_index(Scalar value, Expr extent, bool wrap, std::string what) {
  Instr instr;
  instr.kind = InstrKind::bound_index;
  instr.operands = {own(value)};
  instr.expr = extent;
  instr.flag = wrap;
  instr.text = std::move(what);
  return append_pure(std::move(instr), DType::i64);
}

void KernelBuilder::check_that(Scalar condition, std::string text) {
  Instr instr;
  instr.kind = InstrKind::check;
  instr.operands = {own(condition)};
  instr.text = std::move(text);
  append(std::move(instr));
}

std::vector<LoopVar> KernelBuilder::new_vars(Exprs extents) {
  std::vector<LoopVar> vars;
  vars.reserve(extents.size());
  for (const Expr& extent : extents) {
    vars.push_back(new_loop_var(*kernel_.pool, "i" + std::to_string(next_index_name_++), extent));
  }
  return vars;
}

std::unique_ptr<Block> KernelBuilder::nested(const std::function<void(Block&)>& fill) {
  auto block = std::make_unique<Block>();
  blocks_.push_back(block.get());
  interning_->scopes.emplace_back();
  fill(*block);
  interning_->scopes.pop_back();
  blocks_.pop_back();
  return block;
}

namespace {

std::vector<Expr> symbols_of(std::span<const LoopVar> vars) {
  std::vector<Expr> symbols;
  symbols.reserve(vars.size());
  for (const LoopVar& var : vars) symbols.push_back(var.symbol);
  return symbols;
}

}  // namespace

void KernelBuilder::loop(Exprs extents, const Body& body) {
  if (extents.empty()) return body({});  // One iteration.
  Instr instr;
  instr.kind = InstrKind::loop;
  instr.vars = new_vars(extents);
  const std::vector<Expr> symbols = symbols_of(instr.vars);
  instr.blocks.push_back(nested([&](Block&) { body(symbols); }));
  append(std::move(instr));
}

Scalar KernelBuilder::reduce(ReduceKind kind, Exprs extents, const ValueBody& body,
                             OfNothing of_nothing) {
  const bool is_position = kind == ReduceKind::argmax || kind == ReduceKind::argmin;
  if (extents.empty()) {  // One iteration.
    const Scalar value = body({});
    return is_position ? constant(DType::i64, int64_t{0}) : value;
  }
  Instr instr;
  instr.kind = InstrKind::reduce;
  instr.reduce = kind;
  instr.vars = new_vars(extents);
  const std::vector<Expr> symbols = symbols_of(instr.vars);
  DType operand = DType::f32;
  instr.blocks.push_back(nested([&](Block& block) {
    const Scalar value = body(symbols);
    operand = value.dtype();
    block.yields = {own(value)};
  }));
  const auto dtype = reduced_dtype(kind, operand);
  check(dtype.has_value(), "a reduction must exist for its values:", name(kind), name(operand));
  const bool may_be_empty =
      std::ranges::any_of(extents, [](Expr extent) { return bounds(extent).lo < 1; });
  instr.flag = may_be_empty && of_nothing == OfNothing::infinity && !has_identity(kind);
  const ValueId result = new_value(*dtype);
  instr.results = {result};
  append(std::move(instr));
  return {this, result};
}

std::vector<Scalar> KernelBuilder::carry(
    Expr extent, std::span<const Scalar> initial,
    const std::function<std::vector<Scalar>(Expr, std::span<const Scalar>)>& body) {
  Instr instr;
  instr.kind = InstrKind::loop;
  instr.vars = new_vars({{extent}});
  std::vector<Scalar> inside;
  for (const Scalar& value : initial) {
    instr.operands.push_back(own(value));
    instr.carried.push_back(new_value(value.dtype()));
    inside.emplace_back(this, instr.carried.back());
  }
  instr.blocks.push_back(nested([&](Block& block) {
    for (const Scalar& value : body(instr.vars[0].symbol, inside)) {
      block.yields.push_back(own(value));
    }
  }));
  std::vector<Scalar> results;
  for (const Scalar& value : initial) {
    instr.results.push_back(new_value(value.dtype()));
    results.emplace_back(this, instr.results.back());
  }
  append(std::move(instr));
  return results;
}

std::vector<Scalar> KernelBuilder::new_tuple(std::span<const Scalar> like) {
  std::vector<Scalar> made;
  for (const Scalar& value : like) made.emplace_back(this, new_value(value.dtype()));
  return made;
}

std::vector<ValueId> KernelBuilder::own(std::span<const Scalar> values) const {
  std::vector<ValueId> ids;
  for (const Scalar& value : values) ids.push_back(own(value));
  return ids;
}

KernelBuilder::Tuple KernelBuilder::fold(Expr extent, std::span<const Scalar> initial,
                                         const ElementBody& element, const CombineBody& combine) {
  return scan(extent, initial, element, combine, nullptr);
}

KernelBuilder::Tuple KernelBuilder::scan(
    Expr extent, std::span<const Scalar> initial, const ElementBody& element,
    const CombineBody& combine, const std::function<void(Expr, std::span<const Scalar>)>& emit) {
  Instr instr;
  instr.kind = InstrKind::loop;
  instr.vars = new_vars({{extent}});
  instr.operands = own(initial);
  const Tuple so_far = new_tuple(initial);
  const Tuple next = new_tuple(initial);
  instr.blocks.push_back(
      nested([&](Block& block) { block.yields = own(element(instr.vars[0].symbol)); }));
  instr.blocks.push_back(nested([&](Block& block) { block.yields = own(combine(so_far, next)); }));
  instr.carried = own(so_far);
  for (const ValueId value : own(next)) instr.carried.push_back(value);
  if (emit) {
    const Tuple made = new_tuple(initial);
    for (const ValueId value : own(made)) instr.carried.push_back(value);
    instr.blocks.push_back(nested([&](Block&) { emit(instr.vars[0].symbol, made); }));
  }
  const Tuple results = new_tuple(initial);
  instr.results = own(results);
  append(std::move(instr));
  return results;
}

void KernelBuilder::sort(Expr n, bool descending, Expr count,
                         const std::function<Scalar(Expr)>& key,
                         const std::function<void(Expr, Scalar, Scalar)>& emit) {
  Instr instr;
  instr.kind = InstrKind::sort;
  instr.flag = descending;
  instr.vars = new_vars({{n}});
  DType dtype = DType::f32;
  instr.blocks.push_back(nested([&](Block& block) {
    const Scalar value = key(instr.vars[0].symbol);
    dtype = value.dtype();
    block.yields = {own(value)};
  }));
  instr.position = new_vars({{count}})[0];
  instr.carried = {new_value(dtype), new_value(DType::i64)};
  instr.blocks.push_back(nested([&](Block&) {
    emit(instr.position.symbol, Scalar(this, instr.carried[0]), Scalar(this, instr.carried[1]));
  }));
  append(std::move(instr));
}

Kernel KernelBuilder::finish() && {
  check(blocks_.size() == 1, "every block must be closed when a kernel is finished:", kernel_.name);
  verify(kernel_);
  return std::move(kernel_);
}

}  // namespace litz::loops
