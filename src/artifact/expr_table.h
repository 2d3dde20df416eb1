// The expressions of a file, each stored once: symbols first, then nodes, each after its operands.

#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "artifact/byte_stream.h"
#include "expr/expr.h"

namespace litz::artifact {

/// Numbers expressions while a file is written.
class ExprTableWriter {
 public:
  /// Writes an expression: a constant itself, or the number of its node.
  void write(ByteWriter& out, Expr expr);
  /// Returns the number of a symbol; `pool` is the one that all expressions share.
  uint32_t symbol(SymbolId id, const ExprPool& pool);

  /// Returns the table. A file stores it before everything that refers to it.
  std::vector<std::byte> take();

 private:
  uint32_t number(Expr expr);

  std::unordered_map<SymbolId, uint32_t> symbols_;
  std::unordered_map<Expr, uint32_t> numbers_;
  ByteWriter symbol_bytes_;
  ByteWriter node_bytes_;
};

/// Reads such a table into its own pool. Throws Error{corrupt} for bytes that are not a table.
class ExprTable {
 public:
  explicit ExprTable(ByteReader& in);

  Expr read(ByteReader& in) const;
  /// Returns symbol `number` of the table.
  SymbolId symbol(uint32_t number) const;

  const std::shared_ptr<ExprPool>& pool() const { return pool_; }

 private:
  std::shared_ptr<ExprPool> pool_;
  std::vector<Expr> symbols_;
  std::vector<Expr> nodes_;
};

}  // namespace litz::artifact
