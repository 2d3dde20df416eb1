#include "artifact/expr_table.h"

#include <bit>
#include <string>

#include "support/check.h"

namespace litz::artifact {
namespace {

constexpr const char* kWhat = "a stored program";

/// The first byte of an expression: the domain of a constant, or a node.
enum class Tag : uint8_t { integer, real, boolean, node };

uint8_t tag_of(Expr expr) {
  if (!expr.is_constant()) return static_cast<uint8_t>(Tag::node);
  return static_cast<uint8_t>(expr.domain());
}

static_assert(static_cast<int>(ExprDomain::integer) == static_cast<int>(Tag::integer) &&
              static_cast<int>(ExprDomain::real) == static_cast<int>(Tag::real) &&
              static_cast<int>(ExprDomain::boolean) == static_cast<int>(Tag::boolean));

template <typename Enum>
Enum read_enum(ByteReader& in, Enum last) {
  const auto value = in.number<uint8_t>();
  require(value <= static_cast<uint8_t>(last), ErrorCode::corrupt, kWhat,
          "must hold what is known:", int{value});
  return static_cast<Enum>(value);
}

/// A file must not contain an expression that the builder refuses.
template <typename Build>
auto built(const Build& build) {
  try {
    return build();
  } catch (const Error& error) {
    fail(ErrorCode::corrupt, kWhat, "must hold sound expressions:", error.message());
  }
}

}  // namespace

void ExprTableWriter::write(ByteWriter& out, Expr expr) {
  out.number(tag_of(expr));
  if (!expr.is_constant()) return out.number(number(expr));
  switch (expr.domain()) {
    case ExprDomain::integer:
      return out.number(expr.constant());
    case ExprDomain::real:
      return out.number(expr.real_constant());
    case ExprDomain::boolean:
      return out.number(static_cast<uint8_t>(expr.boolean_constant()));
  }
}

uint32_t ExprTableWriter::symbol(SymbolId id, const ExprPool& pool) {
  const auto [found, is_new] = symbols_.emplace(id, static_cast<uint32_t>(symbols_.size()));
  if (!is_new) return found->second;
  const SymbolInfo& info = pool.symbol(id);
  symbol_bytes_.text(info.name);
  symbol_bytes_.number(static_cast<uint8_t>(info.kind));
  symbol_bytes_.number(info.range.lo);
  symbol_bytes_.number(info.range.hi);
  symbol_bytes_.number(static_cast<uint8_t>(info.hint.has_value()));
  symbol_bytes_.number(info.hint.value_or(0));
  return found->second;
}

// Nodes are numbered once their operands are.
uint32_t ExprTableWriter::number(Expr expr) {
  if (const auto found = numbers_.find(expr); found != numbers_.end()) return found->second;
  ByteWriter node;
  node.number(static_cast<uint8_t>(expr.kind()));
  if (expr.is_symbol()) {
    node.number(symbol(expr.symbol(), *expr.pool()));
  } else {
    node.number<uint64_t>(expr.operands().size());
    for (const Expr operand : expr.operands()) write(node, operand);
  }
  const auto number = static_cast<uint32_t>(numbers_.size());
  numbers_.emplace(expr, number);
  node_bytes_.bytes(node.take());
  return number;
}

std::vector<std::byte> ExprTableWriter::take() {
  ByteWriter out;
  out.number<uint64_t>(symbols_.size());
  out.bytes(symbol_bytes_.take());
  out.number<uint64_t>(numbers_.size());
  out.bytes(node_bytes_.take());
  return out.take();
}

ExprTable::ExprTable(ByteReader& in) : pool_(std::make_shared<ExprPool>()) {
  for (size_t left = in.count(); left > 0; --left) {
    SymbolInfo info;
    info.name = in.text();
    info.kind = read_enum(in, SymbolKind::boolean);
    info.range.lo = in.number<int64_t>();
    info.range.hi = in.number<int64_t>();
    const bool has_hint = in.number<uint8_t>() != 0;
    const auto hint = in.number<int64_t>();
    if (has_hint) info.hint = hint;
    symbols_.push_back(built([&] { return pool_->add_symbol(std::move(info)); }));
  }
  for (size_t left = in.entries(); left > 0; --left) {
    const ExprKind kind = read_enum(in, ExprKind::log2);
    require(kind != ExprKind::constant, ErrorCode::corrupt, kWhat, "must not number constants");
    if (kind == ExprKind::symbol) {
      const auto number = in.number<uint32_t>();
      require(number < symbols_.size(), ErrorCode::corrupt, kWhat,
              "must hold its symbols:", number);
      nodes_.push_back(symbols_[number]);
      continue;
    }
    std::vector<Expr> operands;
    for (size_t more = in.entries(); more > 0; --more) operands.push_back(read(in));
    nodes_.push_back(built([&] { return litz::apply(kind, operands); }));
  }
}

Expr ExprTable::read(ByteReader& in) const {
  switch (read_enum(in, Tag::node)) {
    case Tag::integer:
      return in.number<int64_t>();
    case Tag::real:
      return Expr::real(in.number<double>());
    case Tag::boolean:
      return Expr::boolean(in.number<uint8_t>() != 0);
    case Tag::node:
      break;
  }
  const auto number = in.number<uint32_t>();
  require(number < nodes_.size(), ErrorCode::corrupt, kWhat, "must hold its expressions:", number);
  return nodes_[number];
}

SymbolId ExprTable::symbol(uint32_t number) const {
  require(number < symbols_.size(), ErrorCode::corrupt, kWhat, "must hold its symbols:", number);
  return symbols_[number].symbol();
}

}  // namespace litz::artifact
