// Appends instructions one after another, for code that rewrites kernels.

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "loops/kernel.h"

namespace litz::fusion {

/// Appends instructions to a list. Their values belong to the kernel.
class InstrWriter {
 public:
  InstrWriter(loops::Kernel& kernel, std::vector<loops::Instr>& out) : kernel_(kernel), out_(out) {}

  loops::ValueId op(loops::ScalarOp op, std::vector<loops::ValueId> operands, DType dtype) {
    loops::Instr instr;
    instr.op = op;
    instr.operands = std::move(operands);
    return append(std::move(instr), dtype);
  }

  loops::ValueId constant(loops::Literal literal, DType dtype) {
    loops::Instr instr;
    instr.kind = loops::InstrKind::constant;
    instr.literal = literal;
    return append(std::move(instr), dtype);
  }

  loops::ValueId index(Expr expr) {
    loops::Instr instr;
    instr.kind = loops::InstrKind::index;
    instr.expr = expr;
    return append(std::move(instr), DType::i64);
  }

  loops::ValueId load(loops::BufferId buffer, const std::vector<Expr>& at) {
    loops::Instr instr;
    instr.kind = loops::InstrKind::load;
    instr.buffer = buffer;
    instr.indices.assign(at.begin(), at.end());
    return append(std::move(instr), kernel_.buffers[static_cast<size_t>(buffer)].type.dtype);
  }

  void store(loops::BufferId buffer, const std::vector<Expr>& at, loops::ValueId value) {
    loops::Instr instr;
    instr.kind = loops::InstrKind::store;
    instr.buffer = buffer;
    instr.indices.assign(at.begin(), at.end());
    instr.operands = {value};
    out_.push_back(std::move(instr));
  }

  loops::ValueId reduce(loops::ReduceKind kind, bool may_be_empty, std::vector<loops::LoopVar> vars,
                        loops::Block body, DType dtype) {
    loops::Instr instr;
    instr.kind = loops::InstrKind::reduce;
    instr.reduce = kind;
    instr.flag = may_be_empty;
    instr.vars = std::move(vars);
    instr.blocks.push_back(std::make_unique<loops::Block>(std::move(body)));
    return append(std::move(instr), dtype);
  }

  loops::ValueId append(loops::Instr instr, DType dtype) {
    kernel_.values.push_back({dtype});
    instr.results = {static_cast<loops::ValueId>(kernel_.values.size()) - 1};
    out_.push_back(std::move(instr));
    return out_.back().results[0];
  }

 private:
  loops::Kernel& kernel_;
  std::vector<loops::Instr>& out_;
};

}  // namespace litz::fusion
