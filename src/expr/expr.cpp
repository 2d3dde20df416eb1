// Expressions as values and the pool that interns them; symbols; substitution.

#include "expr/expr.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "expr/node.h"

namespace litz {
namespace {

size_t mix(size_t seed, size_t value) {
  // The multiplier of a 64-bit linear congruential generator spreads small integers well enough.
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
  return seed * 6364136223846793005ULL + 1442695040888963407ULL;
}

size_t hash_application(ExprKind kind, ExprDomain domain, std::span<const Expr> operands,
                        SymbolId symbol) {
  size_t hash = mix(static_cast<size_t>(kind) * 8 + static_cast<size_t>(domain), symbol);
  for (const Expr& operand : operands) hash = mix(hash, operand.hash());
  return hash;
}

template <typename T>
T* copy_to_arena(std::pmr::monotonic_buffer_resource& arena, std::span<const T> values) {
  if (values.empty()) return nullptr;
  T* data = static_cast<T*>(arena.allocate(values.size_bytes(), alignof(T)));
  std::uninitialized_copy(values.begin(), values.end(), data);
  return data;
}

// The practical infinity that exporters write for "no upper limit".
Interval normalised(Interval range) {
  if (range.hi >= Interval::kMax - 1) range.hi = Interval::kMax;
  return range;
}

}  // namespace

// --- Expr

Expr Expr::real(double value) {
  return ExprAccess::constant(ExprDomain::real, std::bit_cast<int64_t>(value));
}

Expr Expr::boolean(bool value) { return ExprAccess::constant(ExprDomain::boolean, value ? 1 : 0); }

ExprKind Expr::kind() const { return node_ == nullptr ? ExprKind::constant : node_->kind; }

ExprDomain Expr::domain() const { return node_ == nullptr ? constant_domain_ : node_->domain; }

int64_t Expr::constant() const {
  check(node_ == nullptr && constant_domain_ == ExprDomain::integer,
        "expression is an integer constant:", *this);
  return bits_;
}

double Expr::real_constant() const {
  check(node_ == nullptr && constant_domain_ == ExprDomain::real,
        "expression is a real constant:", *this);
  return std::bit_cast<double>(bits_);
}

bool Expr::boolean_constant() const {
  check(node_ == nullptr && constant_domain_ == ExprDomain::boolean,
        "expression is a boolean constant:", *this);
  return bits_ != 0;
}

std::optional<int64_t> Expr::maybe_constant() const {
  if (node_ == nullptr && constant_domain_ == ExprDomain::integer) return bits_;
  return std::nullopt;
}

bool Expr::is(int64_t value) const {
  return node_ == nullptr && constant_domain_ == ExprDomain::integer && bits_ == value;
}

SymbolId Expr::symbol() const {
  check(is_symbol(), "expression is a symbol:", *this);
  return node_->symbol;
}

std::span<const Expr> Expr::operands() const {
  return node_ == nullptr ? std::span<const Expr>{} : node_->operands();
}

ExprPool* Expr::pool() const { return node_ == nullptr ? nullptr : node_->pool; }

size_t Expr::hash() const {
  if (node_ != nullptr) return node_->hash;
  return mix(static_cast<size_t>(constant_domain_) + 1, static_cast<size_t>(bits_));
}

// --- ExprPool

size_t ExprPool::Impl::MemoHash::operator()(const MemoKey& key) const {
  return mix(mix(static_cast<size_t>(key.kind), key.a.hash()), key.b.hash());
}

ExprPool::ExprPool() : impl_(std::make_unique<Impl>(this)) {}

ExprPool::~ExprPool() = default;

Expr ExprPool::add_symbol(SymbolInfo info) {
  require(!info.name.empty(), "symbols have a name");
  info.range = normalised(info.range);
  if (info.kind == SymbolKind::boolean) info.range = {0, 1};
  require(info.range.lo <= info.range.hi, "the range of a symbol must not be empty:", info.name,
          info.range.lo, info.range.hi);
  const auto id = static_cast<SymbolId>(impl_->symbols.size());
  if (info.kind != SymbolKind::index) {
    const bool fresh = impl_->by_name.emplace(info.name, id).second;
    require(fresh, "symbol names must be unique:", info.name);
  }
  ExprDomain domain = ExprDomain::integer;
  if (info.kind == SymbolKind::real_input || info.kind == SymbolKind::real_data) {
    domain = ExprDomain::real;
  } else if (info.kind == SymbolKind::boolean) {
    domain = ExprDomain::boolean;
  }
  impl_->symbols.push_back({std::move(info), Expr(), std::nullopt});
  impl_->symbols.back().self = impl_->intern(ExprKind::symbol, domain, {}, id);
  return impl_->symbols.back().self;
}

std::optional<Expr> ExprPool::find_symbol(std::string_view name) const {
  const auto found = impl_->by_name.find(name);
  if (found == impl_->by_name.end()) return std::nullopt;
  return impl_->symbols[found->second].self;
}

const SymbolInfo& ExprPool::symbol(SymbolId id) const { return impl_->record(id).info; }

Expr ExprPool::symbol_expr(SymbolId id) const { return impl_->record(id).self; }

size_t ExprPool::symbol_count() const { return impl_->symbols.size(); }

size_t ExprPool::node_count() const { return impl_->nodes.size(); }

void ExprPool::set_range(SymbolId id, Interval range) {
  check(id < impl_->symbols.size(), "symbol belongs to the pool:", id);
  range = normalised(range);
  SymbolInfo& info = impl_->symbols[id].info;
  const Interval meet{std::max(info.range.lo, range.lo), std::min(info.range.hi, range.hi)};
  require(meet.lo <= meet.hi, "the range of a symbol must not become empty:", info.name, meet.lo,
          meet.hi);
  if (meet == info.range) return;
  info.range = meet;
  impl_->refresh_ranges();
}

void ExprPool::set_extent(SymbolId id, Expr extent) {
  check(id < impl_->symbols.size(), "symbol belongs to the pool:", id);
  require_domain(extent, ExprDomain::integer, "set_extent");
  check(!mentions(extent, id), "an extent does not mention its own symbol:", extent);
  const Interval limit = range_of(extent);
  require(limit.hi >= 1, "the extent of an index must allow at least one value:", extent);
  if (!extent.is_constant()) impl_->symbols[id].extent = extent;
  set_range(id, {0, limit.hi == Interval::kMax ? limit.hi : limit.hi - 1});
}

const ExprPool::Impl::SymbolRecord& ExprPool::Impl::record(SymbolId id) const {
  check(id < symbols.size(), "symbol belongs to the pool:", id);
  return symbols[id];
}

void ExprPool::Impl::refresh_ranges() {
  // Iterates by index: proving a bound may intern products, whose ranges are already fresh.
  for (size_t i = 0; i < nodes.size(); ++i) compute_range(*nodes[i], *this);
  memo.clear();  // A narrower range may decide what was open before.
}

Expr ExprPool::Impl::intern(ExprKind kind, ExprDomain domain, std::span<const Expr> operands,
                            SymbolId symbol) {
  const size_t hash = hash_application(kind, domain, operands, symbol);
  size_t mask = table.size() - 1;
  size_t slot = hash & mask;
  for (; table[slot] != nullptr; slot = (slot + 1) & mask) {
    const ExprNode& node = *table[slot];
    if (node.hash == hash && node.kind == kind && node.domain == domain && node.symbol == symbol &&
        std::ranges::equal(node.operands(), operands)) {
      return ExprAccess::wrap(&node);
    }
  }
  ExprNode* node = create(kind, domain, operands, symbol);
  node->hash = hash;
  nodes.push_back(node);
  if (nodes.size() * 2 > table.size()) {
    grow_table();
  } else {
    // Creating the node may have interned its monomial, so the slot found above may be taken.
    mask = table.size() - 1;
    slot = hash & mask;
    while (table[slot] != nullptr) slot = (slot + 1) & mask;
    table[slot] = node;
  }
  return ExprAccess::wrap(node);
}

ExprNode* ExprPool::Impl::create(ExprKind kind, ExprDomain domain, std::span<const Expr> operands,
                                 SymbolId symbol) {
  require(nodes.size() < kMaxExprNodes, ErrorCode::limit_exceeded,
          "a pool holds at most four million expressions:", nodes.size());
  int depth = 0;
  uint64_t tree_size = 1;
  std::vector<SymbolId> free;
  if (kind == ExprKind::symbol) free.push_back(symbol);
  for (const Expr& operand : operands) {
    if (operand.is_constant()) {
      ++tree_size;
      continue;
    }
    const ExprNode& child = *operand.node();
    check(child.pool == pool, "operands of one expression share a pool");
    depth = std::max<int>(depth, child.depth);
    tree_size += child.tree_size;
    free.insert(free.end(), child.symbols().begin(), child.symbols().end());
  }
  require(depth < kMaxExprDepth, ErrorCode::limit_exceeded,
          "expressions nest at most 256 deep:", depth + 1);
  std::ranges::sort(free);
  free.erase(std::unique(free.begin(), free.end()), free.end());

  void* place = arena.allocate(sizeof(ExprNode), alignof(ExprNode));
  ExprNode* node = std::construct_at(static_cast<ExprNode*>(place));
  node->pool = pool;
  node->kind = kind;
  node->domain = domain;
  node->symbol = symbol;
  node->depth = static_cast<uint16_t>(depth + 1);
  node->tree_size = static_cast<uint32_t>(std::min<uint64_t>(tree_size, UINT32_MAX));
  node->operand_data = copy_to_arena(arena, operands);
  node->operand_count = static_cast<uint32_t>(operands.size());
  node->symbol_data = copy_to_arena(arena, std::span<const SymbolId>(free));
  node->symbol_count = static_cast<uint32_t>(free.size());
  if (kind == ExprKind::mul && domain == ExprDomain::integer) {
    const bool scaled = operands[0].is_constant();
    if (scaled) {
      const Expr rest =
          operands.size() == 2 ? operands[1] : intern(kind, domain, operands.subspan(1), symbol);
      node->monomial = rest.node();
    }
    int64_t degree = 0;
    for (const Factor& factor : factors_of(ExprAccess::wrap(scaled ? node->monomial : node))) {
      degree += std::min<int64_t>(factor.power, UINT16_MAX);
    }
    node->degree = static_cast<uint32_t>(std::min<int64_t>(degree, UINT32_MAX));
  } else if (kind == ExprKind::pow && operands[1].is_constant() && domain == ExprDomain::integer) {
    node->degree = static_cast<uint32_t>(std::min<int64_t>(operands[1].constant(), UINT16_MAX));
  }
  compute_range(*node, *this);
  return node;
}

void ExprPool::Impl::grow_table() {
  std::vector<ExprNode*> larger(table.size() * 2, nullptr);
  const size_t mask = larger.size() - 1;
  for (ExprNode* node : nodes) {
    size_t slot = node->hash & mask;
    while (larger[slot] != nullptr) slot = (slot + 1) & mask;
    larger[slot] = node;
  }
  table = std::move(larger);
}

ExprPool* pool_of(std::span<const Expr> operands) {
  ExprPool* pool = nullptr;
  for (const Expr& operand : operands) {
    if (operand.is_constant()) continue;
    check(pool == nullptr || pool == operand.pool(), "operands of one expression share a pool");
    pool = operand.pool();
  }
  return pool;
}

Expr intern(ExprKind kind, ExprDomain domain, std::span<const Expr> operands) {
  ExprPool* pool = pool_of(operands);
  check(pool != nullptr, "an application of constants alone is folded:", name(kind));
  return pool->impl().intern(kind, domain, operands);
}

Expr intern(ExprKind kind, ExprDomain domain, std::initializer_list<Expr> operands) {
  return intern(kind, domain, std::span<const Expr>(operands.begin(), operands.size()));
}

Expr memoised(ExprKind kind, Expr a, Expr b, Expr (*build)(Expr, Expr)) {
  ExprPool* pool = pool_of(std::initializer_list<Expr>{a, b});
  check(pool != nullptr, "constants are folded before the memo is asked:", name(kind));
  auto& memo = pool->impl().memo;
  const ExprPool::Impl::MemoKey key{kind, a, b};
  if (const auto found = memo.find(key); found != memo.end()) return found->second;
  const Expr result = build(a, b);
  if (memo.size() >= kMaxExprNodes) memo.clear();
  memo.emplace(key, result);
  return result;
}

void require_domain(Expr a, ExprDomain domain, const char* function) {
  if (a.domain() == domain) return;
  constexpr const char* kNames[] = {"integer", "real", "boolean"};
  fail(ErrorCode::invalid_argument,
       "symbolic functions take operands of their own domain:", function, "wants",
       kNames[static_cast<size_t>(domain)], "but got", to_string(a));
}

// --- Symbols of an expression

std::vector<SymbolId> free_symbols(Expr a) {
  if (a.is_constant()) return {};
  const auto symbols = a.node()->symbols();
  return {symbols.begin(), symbols.end()};
}

bool mentions(Expr a, SymbolId symbol) {
  return !a.is_constant() && std::ranges::binary_search(a.node()->symbols(), symbol);
}

bool depends_on_data(Expr a) {
  return std::ranges::any_of(
      free_symbols(a), [&](SymbolId id) { return comes_from_data(a.pool()->symbol(id).kind); });
}

namespace {

class Substitution {
 public:
  explicit Substitution(std::span<const std::pair<SymbolId, Expr>> replacements)
      : replacements_(replacements.begin(), replacements.end()) {
    std::ranges::sort(replacements_, {}, [](const auto& pair) { return pair.first; });
  }

  Expr rewrite(Expr a) {
    if (a.is_constant() || !touches(*a.node())) return a;
    if (a.is_symbol()) return *replacement(a.node()->symbol);
    if (const auto done = done_.find(a.node()); done != done_.end()) return done->second;
    std::vector<Expr> operands(a.operands().begin(), a.operands().end());
    for (Expr& operand : operands) operand = rewrite(operand);
    const Expr result = litz::apply(a.kind(), operands);
    done_.emplace(a.node(), result);
    return result;
  }

 private:
  bool touches(const ExprNode& node) const {
    return std::ranges::any_of(node.symbols(),
                               [&](SymbolId id) { return replacement(id) != nullptr; });
  }

  const Expr* replacement(SymbolId id) const {
    const auto found = std::ranges::lower_bound(replacements_, id, {},
                                                [](const auto& pair) { return pair.first; });
    return found != replacements_.end() && found->first == id ? &found->second : nullptr;
  }

  std::vector<std::pair<SymbolId, Expr>> replacements_;
  std::unordered_map<const ExprNode*, Expr> done_;
};

}  // namespace

Expr substitute(Expr a, std::span<const std::pair<SymbolId, Expr>> replacements) {
  return Substitution(replacements).rewrite(a);
}

// --- Bindings

void Bindings::set(SymbolId symbol, int64_t value) {
  if (symbol >= slots_.size()) slots_.resize(symbol + 1);
  slots_[symbol] = {true, value};
}

void Bindings::set_real(SymbolId symbol, double value) {
  set(symbol, std::bit_cast<int64_t>(value));
}

std::optional<int64_t> Bindings::find(SymbolId symbol) const {
  if (symbol >= slots_.size() || !slots_[symbol].bound) return std::nullopt;
  return slots_[symbol].bits;
}

std::optional<double> Bindings::find_real(SymbolId symbol) const {
  const auto bits = find(symbol);
  if (!bits) return std::nullopt;
  return std::bit_cast<double>(*bits);
}

}  // namespace litz
