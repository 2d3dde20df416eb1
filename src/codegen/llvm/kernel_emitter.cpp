// Functions, blocks and loops.

#include "codegen/llvm/kernel_emitter.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/TargetParser/Triple.h>

#include "codegen/llvm/elementary.h"
#include "loops/instrs.h"
#include "support/check.h"

namespace litz::codegen {

using loops::InstrKind;
using loops::LoopVar;

namespace {

/// True if formulas of elementary functions would be most of the code. A gate of a recurrent network
/// has five; long chains of unrolled programs have dozens.
bool has_many_functions(const loops::Kernel& kernel) {
  constexpr int kMostInPlace = 6;
  int count = 0;
  loops::for_each_instr(kernel.body, [&](const loops::Instr& instr) {
    if (instr.kind == InstrKind::op && has_long_formula(instr.op)) ++count;
  });
  return count > kMostInPlace;
}

}  // namespace

KernelEmitter::KernelEmitter(const schedule::Schedule& schedule, llvm::Module& module,
                             std::vector<artifact::KernelCheck>& checks)
    : schedule_(schedule),
      kernel_(schedule.kernel),
      module_(module),
      checks_(checks),
      b_(module.getContext()),
      calls_functions_(has_many_functions(kernel_)) {}

void KernelEmitter::begin_function(const std::string& symbol) {
  llvm::Type* pointer = b_.getPtrTy();
  llvm::Type* word = b_.getInt64Ty();
  auto* type = llvm::FunctionType::get(b_.getInt32Ty(), {pointer, word, word}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  b_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function_));
  llvm::Value* arguments = function_->getArg(0);
  begin_ = function_->getArg(1);
  end_ = function_->getArg(2);
  const auto field = [&](int index) {
    return b_.CreateLoad(pointer, b_.CreateConstGEP1_64(pointer, arguments, index));
  };
  llvm::Value* buffers = field(0);
  llvm::Value* scalars = field(1);
  failure_ = field(2);
  buffers_.clear();
  for (size_t i = 0; i < schedule_.bound_buffers; ++i) {
    buffers_.push_back(
        b_.CreateLoad(pointer, b_.CreateConstGEP1_64(pointer, buffers, static_cast<unsigned>(i)),
                      kernel_.buffers[i].name));
  }
  symbols_.clear();
  for (size_t i = 0; i < schedule_.scalars.size(); ++i) {
    const SymbolId id = schedule_.scalars[i];
    const SymbolKind kind = kernel_.pool->symbol(id).kind;
    const bool is_real = kind == SymbolKind::real_input || kind == SymbolKind::real_data;
    llvm::Value* scalar =
        b_.CreateLoad(is_real ? b_.getDoubleTy() : word,
                      b_.CreateConstGEP1_64(word, scalars, static_cast<unsigned>(i)));
    if (kind == SymbolKind::boolean) scalar = b_.CreateICmpNE(scalar, b_.getInt64(0));
    symbols_[id] = scalar;
  }
  values_.assign(kernel_.values.size(), nullptr);
  lanes_ = 1;
  mask_ = nullptr;
  has_streamed_ = false;
  complex_result_ = nullptr;
  for (size_t i = schedule_.bound_buffers; i < kernel_.buffers.size(); ++i) {
    buffers_.push_back(new_row(i));
  }
}

/// Memory of a scratch buffer.
llvm::Value* KernelEmitter::new_row(size_t buffer) {
  constexpr int64_t kMostOnStack = 64 << 10;
  const TensorType& own = kernel_.buffers[buffer].type;
  const Expr elements = own.numel();
  const auto constant = elements.maybe_constant();
  if (constant && *constant * item_size(own.dtype) <= kMostOnStack) {
    const auto count = static_cast<uint64_t>(*constant);
    llvm::AllocaInst* row = local(llvm::ArrayType::get(memory_type(own.dtype), count), "row");
    row->setAlignment(llvm::Align(64));
    return row;
  }
  return emit_scratch(buffer, emit_base(elements));
}

void KernelEmitter::emit_phase(const schedule::Phase& phase, const std::string& symbol) {
  begin_function(symbol);
  if (phase.position) {
    for (size_t i = 0; i < *phase.position; ++i) {
      const Instr& instr = kernel_.body.instrs[i];
      if (instr.blocks.empty()) emit_instr(instr);
    }
    emit_divided(phase);
  } else {
    emit_block(kernel_.body);
  }
  // Stores that bypass the caches are not ordered with those that signal other threads.
  if (has_streamed_) b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  b_.CreateRet(b_.getInt32(0));
}

void KernelEmitter::emit_block(const Block& block) {
  for (const Instr& instr : block.instrs) emit_instr(instr);
}

void KernelEmitter::emit_instr(const Instr& instr) {
  switch (instr.kind) {
    case InstrKind::constant:
      return emit_constant(instr);
    case InstrKind::index: {
      const DType to = dtype(instr.results[0]);
      if (to == DType::i64) index_exprs_[instr.results[0]] = instr.expr;
      const Lanes index = emit_expr(instr.expr);
      const DType from = instr.expr.domain() == ExprDomain::real      ? DType::f64
                         : instr.expr.domain() == ExprDomain::boolean ? DType::bool_
                                                                      : DType::i64;
      return set(instr.results[0], emit_cast(index.value, from, to));
    }
    case InstrKind::op:
      return emit_op(instr);
    case InstrKind::load:
      return emit_load(instr);
    case InstrKind::store:
      return emit_store(instr);
    case InstrKind::bound_index:
      return emit_bound_index(instr);
    case InstrKind::check:
      return emit_check(instr);
    case InstrKind::loop:
      check(!loops::is_combining(instr), "schedules combine no tuples:", kernel_.name);
      return instr.carried.empty() ? emit_loop(instr) : emit_carried_loop(instr);
    case InstrKind::reduce:
      return emit_reduce(instr);
    case InstrKind::sort_row:
      return emit_sort_row(instr);
    case InstrKind::sort:
    case InstrKind::attend:
      check(false,
            "schedules must have no sort but that of rows, and nothing to attend:", kernel_.name);
  }
}

void KernelEmitter::emit_divided(const schedule::Phase& phase) {
  const Instr& loop = *schedule_.loop_of(phase);
  const size_t last = phase.first + phase.divided;
  const Body body = [&] { emit_block(*loop.blocks[0]); };
  emit_vars(loop, 0, phase.first, [&] {
    if (phase.divides_last && loops::lanes_of(loop) > 1) {
      return vector_loop(loop, begin_, end_, body);
    }
    if (phase.is_tiled) {
      return counted_loop(begin_, end_, 1, "block", [&](llvm::Value* block) {
        const auto parts = [&](size_t var, int64_t size) {
          llvm::Value* extent = emit_base(loop.vars[var].extent);
          return b_.CreateUDiv(b_.CreateAdd(extent, integer(size - 1)), integer(size));
        };
        llvm::Value* spans = parts(last, schedule::kTileSpan);
        llvm::Value* blocks = parts(last - 1, schedule::kTileRows);
        llvm::Value* row_block = b_.CreateUDiv(block, spans);
        set_digits(loop, phase.first, last - 1, b_.CreateUDiv(row_block, blocks));
        emit_tiled(loop, b_.CreateURem(row_block, blocks), b_.CreateURem(block, spans), body);
      });
    }
    counted_loop(begin_, end_, 1, "row", [&](llvm::Value* row) {
      set_digits(loop, phase.first, last, row);
      emit_vars(loop, last, loop.vars.size(), body);
    });
  });
}

/// The variables [first, last) are row-major digits of `number`; the first needs no remainder.
void KernelEmitter::set_digits(const Instr& loop, size_t first, size_t last, llvm::Value* number) {
  for (size_t v = last; v-- > first;) {
    const LoopVar& var = loop.vars[v];
    if (v == first) {
      symbols_[var.symbol.symbol()] = number;
      break;
    }
    llvm::Value* extent = emit_base(var.extent);
    symbols_[var.symbol.symbol()] = b_.CreateURem(number, extent);
    number = b_.CreateUDiv(number, extent);
  }
}

void KernelEmitter::emit_loop(const Instr& instr) {
  emit_vars(instr, [&] { emit_block(*instr.blocks[0]); });
}

void KernelEmitter::emit_vars(const Instr& instr, size_t first, size_t last, const Body& body) {
  if (first == last) return body();
  const LoopVar& var = instr.vars[first];
  llvm::Value* end = emit_base(var.extent);
  const int lanes = loops::lanes_of(instr);
  if (lanes > 1 && first + 1 == instr.vars.size()) {
    return vector_loop(instr, b_.getInt64(0), end, body);
  }
  counted_loop(b_.getInt64(0), end, 1, "i", [&](llvm::Value* index) {
    symbols_[var.symbol.symbol()] = index;
    emit_vars(instr, first + 1, last, body);
  });
}

void KernelEmitter::counted_loop(llvm::Value* begin, llvm::Value* end, int64_t step,
                                 const char* name, const std::function<void(llvm::Value*)>& body) {
  llvm::LLVMContext& context = module_.getContext();
  auto* head = llvm::BasicBlock::Create(context, name, function_);
  auto* after = llvm::BasicBlock::Create(context, "after", function_);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  b_.CreateCondBr(b_.CreateICmpSLT(begin, end), head, after);
  b_.SetInsertPoint(head);
  llvm::PHINode* index = b_.CreatePHI(b_.getInt64Ty(), 2, name);
  index->addIncoming(begin, before);
  body(index);
  llvm::Value* next = b_.CreateNSWAdd(index, integer(step));
  index->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpSLT(next, end), head, after);
  after->moveAfter(b_.GetInsertBlock());
  b_.SetInsertPoint(after);
}

void KernelEmitter::full_vectors(const Instr& loop, llvm::Value* begin, llvm::Value* end,
                                 const Body& body) {
  const auto run = [&] {
    if (loops::has_column_blocks(loop)) return emit_column_blocks(loop, begin, end, body);
    counted_loop(begin, end, lanes_, "v", [&](llvm::Value* index) {
      symbols_[vector_symbol_] = index;
      body();
    });
  };
  symbols_[vector_symbol_] = begin;
  with_streams(loop, run);
}

void KernelEmitter::with_streams(const Instr& loop, const Body& run) {
  const bool is_x86 = llvm::Triple(module_.getTargetTriple()).isX86();
  llvm::Value* aligned = is_x86 ? streams_are_aligned(*loop.blocks[0]) : nullptr;
  if (aligned == nullptr) return run();
  has_streamed_ = true;
  guarded(aligned, [&] {
    streams_ = true;
    run();
    streams_ = false;
  });
  guarded(b_.CreateNot(aligned), run);
}

/// The alignment of a full vector that is stored past the caches.
unsigned KernelEmitter::streamed_alignment(const Instr& store) const {
  const DType dtype = kernel_.buffers[static_cast<size_t>(store.buffer)].type.dtype;
  const int64_t bytes = item_size(dtype) * lanes_;
  return static_cast<unsigned>(std::min<int64_t>(bytes, 64));
}

/// True at run time if all stores of the block that may bypass the caches are aligned; null if
/// there are none.
llvm::Value* KernelEmitter::streams_are_aligned(const Block& block) {
  llvm::Value* all = nullptr;
  for (const Instr& instr : block.instrs) {
    if (instr.kind != InstrKind::store || !instr.marks.is_streamed) continue;
    llvm::Value* address = b_.CreatePtrToInt(place(instr).pointer, b_.getInt64Ty());
    llvm::Value* below = b_.CreateAnd(address, integer(streamed_alignment(instr) - 1));
    llvm::Value* aligned = b_.CreateICmpEQ(below, b_.getInt64(0));
    all = all == nullptr ? aligned : b_.CreateAnd(all, aligned);
  }
  return all;
}

void KernelEmitter::vector_loop(const Instr& loop, llvm::Value* begin, llvm::Value* end,
                                const Body& body, bool has_rest) {
  check(lanes_ == 1, "vector loops must not nest:", kernel_.name);
  const int lanes = loops::lanes_of(loop);
  lanes_ = lanes;
  vector_symbol_ = loop.vars.back().symbol.symbol();
  llvm::Value* count = b_.CreateSub(end, begin);
  llvm::Value* rest = has_rest ? b_.CreateAnd(count, integer(lanes - 1)) : integer(0);
  llvm::Value* full = b_.CreateSub(end, rest);
  full_vectors(loop, begin, full, body);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(rest);
  if (constant == nullptr || !constant->isZero()) {
    guarded(b_.CreateICmpNE(rest, b_.getInt64(0)), [&] {
      symbols_[vector_symbol_] = full;
      // Narrow counters make the comparison one instruction per register of lanes.
      llvm::Type* narrow = b_.getInt32Ty();
      llvm::Value* limit =
          b_.CreateVectorSplat(static_cast<unsigned>(lanes), b_.CreateTrunc(rest, narrow));
      mask_ = b_.CreateICmpULT(lane_numbers(narrow), limit, "mask");
      body();
      mask_ = nullptr;
    });
  }
  lanes_ = 1;
}

void KernelEmitter::guarded(llvm::Value* condition, const Body& body, llvm::MDNode* weights) {
  llvm::LLVMContext& context = module_.getContext();
  auto* then = llvm::BasicBlock::Create(context, "then", function_);
  auto* after = llvm::BasicBlock::Create(context, "after", function_);
  b_.CreateCondBr(condition, then, after, weights);
  b_.SetInsertPoint(then);
  body();
  b_.CreateBr(after);
  after->moveAfter(b_.GetInsertBlock());
  b_.SetInsertPoint(after);
}

void KernelEmitter::rarely(llvm::Value* condition, const Body& body) {
  guarded(condition, body, llvm::MDBuilder(module_.getContext()).createBranchWeights(1, 1000));
}

/// Carried values are stack variables, which LLVM promotes to registers.
void KernelEmitter::emit_carried_loop(const Instr& instr) {
  std::vector<llvm::AllocaInst*> state;
  for (size_t i = 0; i < instr.carried.size(); ++i) {
    state.push_back(local(lane_type(dtype(instr.carried[i])), "carried"));
    b_.CreateStore(lanes_ > 1 ? spread(value(instr.operands[i])) : value(instr.operands[i]),
                   state.back());
  }
  const auto read = [&](const std::vector<loops::ValueId>& into) {
    for (size_t i = 0; i < into.size(); ++i) {
      set(into[i], b_.CreateLoad(state[i]->getAllocatedType(), state[i]));
    }
  };
  const auto iteration = [&] {
    read(instr.carried);
    const Block& block = *instr.blocks[0];
    emit_block(block);
    for (size_t i = 0; i < state.size(); ++i) {
      llvm::Value* next = value(block.yields[i]);
      b_.CreateStore(lanes_ > 1 ? spread(next) : next, state[i]);
    }
  };
  if (loops::is_scan(instr)) {
    emit_scan(instr, iteration);
  } else {
    emit_vars(instr, iteration);
  }
  read(instr.results);
}

llvm::AllocaInst* KernelEmitter::local(llvm::Type* type, const char* name) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  return at_entry.CreateAlloca(type, nullptr, name);
}

llvm::Type* KernelEmitter::lane_type(DType dtype) const {
  llvm::Type* scalar = register_type(dtype);
  return lanes_ > 1 ? vector_of(scalar) : scalar;
}

llvm::Value* KernelEmitter::spread(llvm::Value* value) {
  if (value->getType()->isVectorTy()) return value;
  return b_.CreateVectorSplat(static_cast<unsigned>(lanes_), value);
}

void KernelEmitter::unify(llvm::MutableArrayRef<llvm::Value*> values) {
  bool any = false;
  for (const llvm::Value* value : values) any |= value->getType()->isVectorTy();
  if (!any) return;
  for (llvm::Value*& value : values) value = spread(value);
}

llvm::Type* KernelEmitter::vector_of(llvm::Type* scalar) const {
  return llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes_));
}

llvm::Type* KernelEmitter::widen(llvm::Type* scalar, const llvm::Value* like) const {
  return like->getType()->isVectorTy() ? vector_of(scalar) : scalar;
}

llvm::Value* KernelEmitter::broadcast_constant(llvm::Constant* constant, const llvm::Value* like) {
  if (!like->getType()->isVectorTy()) return constant;
  return b_.CreateVectorSplat(static_cast<unsigned>(lanes_), constant);
}

}  // namespace litz::codegen
